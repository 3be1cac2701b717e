// Installs the locked dependencies for the launcher: node build/install.mjs PACKAGE STAMP.
//
// It runs on the Node that happens to be on PATH, so it is plain JavaScript for Node 20. npm works
// in a staging directory that is renamed into place only when it is complete: a kill at any moment,
// or a second launch at the same time, leaves node_modules as it was or as it should be.

import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const [platformPackage = "none", stamp = ""] = process.argv.slice(2);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockfile = join(root, "package-lock.json");
const modules = join(root, "node_modules");
const work = join(root, ".install");
const lock = join(work, "lock");
const holder = `${hostname()} ${process.pid}`;

/** A holder touches its lock every second; one that was killed stops doing so. */
const staleAfterMilliseconds = 10_000;

try {
  await main();
} catch (error) {
  process.stderr.write(`sluice: cannot install the dependencies: ${error.message}\n`);
  process.exitCode = 1;
}

async function main() {
  if (Number(process.versions.node.split(".")[0]) < 20) {
    throw new Error(`Node.js ${process.versions.node} is too old; install Node.js 20 or newer`);
  }
  if (adopt()) return;
  const release = await acquire();
  try {
    if (!stamped() && !adopt()) await install();
  } finally {
    release();
  }
}

/** Tells whether another launch has installed in the meantime. */
function stamped() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === readFileSync(lockfile, "utf8");
}

/** Stamps a node_modules that npm itself completed for this very lockfile, as `npm ci` by hand does. */
function adopt() {
  const hidden = join(modules, ".package-lock.json");
  if (!existsSync(hidden)) return false;
  const installed = JSON.parse(readFileSync(hidden, "utf8")).packages;
  const wanted = JSON.parse(readFileSync(lockfile, "utf8")).packages;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "") continue;
    const found = installed[path];
    if (found === undefined) {
      const needed = !entry.optional && !entry.devOptional && !entry.peer;
      if (needed || path === `node_modules/${platformPackage}`) return false;
    } else if (found.version !== entry.version || found.integrity !== entry.integrity) {
      return false;
    }
  }
  if (Object.keys(installed).some((path) => wanted[path] === undefined)) return false;
  copyFileSync(lockfile, stamp);
  return true;
}

/** Waits for the lock and returns its release; takes over a lock whose holder was killed. */
async function acquire() {
  for (let told = false; ; ) {
    try {
      mkdirSync(work, { recursive: true });
      writeFileSync(lock, holder, { flag: "wx" });
      break;
    } catch (error) {
      // ENOENT: a release removed the directory between the two calls.
      if (error.code !== "EEXIST" && error.code !== "ENOENT") throw error;
    }
    if (abandoned()) {
      rmSync(lock, { force: true });
      continue;
    }
    if (!told) process.stderr.write("sluice: another launch is installing, waiting for it …\n");
    told = true;
    await sleep(200);
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(lock, now, now);
    } catch {
      // Somebody removed the directory: the rename below still decides who wins.
    }
  }, 1000);
  return () => {
    clearInterval(heartbeat);
    // A holder that was suspended for long may have lost its lock to another launch.
    if (existsSync(lock) && readFileSync(lock, "utf8") === holder) {
      rmSync(lock, { force: true });
    }
    try {
      rmdirSync(work);
    } catch {
      // Another launch is at work in it.
    }
  };
}

/** Whether the lock's holder is gone: on this host by its process, elsewhere by its last touch. */
function abandoned() {
  try {
    if (Date.now() - statSync(lock).mtimeMs > staleAfterMilliseconds) return true;
    const [host, pid] = readFileSync(lock, "utf8").split(" ");
    if (host === hostname() && Number(pid) > 0) process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    // Another launch may have released the lock in between; then there is nothing to take over.
    return error.code === "ESRCH";
  }
}

async function install() {
  const started = Date.now();
  process.stderr.write("sluice: installing the locked dependencies (only once) …\n");
  for (const left of readdirSync(work)) {
    if (left !== "lock") rmSync(join(work, left), { recursive: true, force: true });
  }
  const staging = join(work, `staging-${process.pid}`);
  mkdirSync(staging);
  try {
    await installThrough(staging);
  } finally {
    rmSync(staging, { recursive: true, force: true, maxRetries: 3 });
  }
  const seconds = Math.max(1, Math.round((Date.now() - started) / 1000));
  process.stderr.write(`sluice: installed in ${seconds} s\n`);
}

/** Installs into a directory of its own and moves the result to node_modules. */
async function installThrough(staging) {
  for (const file of ["package.json", "package-lock.json", ".npmrc"]) {
    if (existsSync(join(root, file))) copyFileSync(join(root, file), join(staging, file));
  }
  await npmCi(staging);
  const made = join(staging, "node_modules");
  dropUnusableNode(made);
  copyFileSync(join(staging, "package-lock.json"), join(made, relative(modules, stamp)));
  if (existsSync(modules)) renameSync(modules, join(staging, "replaced"));
  renameSync(made, modules);
}

/** Runs `npm ci`; rejects with what npm said and the next step. */
function npmCi(directory) {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  const quiet = ["--loglevel=error", "--no-progress", "--no-update-notifier"];
  return new Promise((resolve, reject) => {
    const npm = spawn("npm", ["ci", ...flags, ...quiet], {
      cwd: directory,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    npm.stderr.setEncoding("utf8");
    npm.stderr.on("data", (text) => {
      said = (said + text).slice(0, 4000);
    });
    npm.on("error", (error) => {
      const missing = error.code === "ENOENT";
      reject(new Error(missing ? "npm is not on PATH; it comes with Node.js" : error.message));
    });
    npm.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(explain(said.trim(), signal ?? `exit code ${code}`)));
    });
  });
}

/** Turns npm's last words into a message with a next step. */
function explain(said, end) {
  const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;
  const next = offline.test(said)
    ? "The package registry cannot be reached. The first run needs it; connect (or set npm's registry and proxy), then run this again. Later runs work offline."
    : "Run this again; if it fails in the same way, `npm ci` in the project's directory shows more.";
  const lines = said.split("\n").filter((line) => !/^npm error\s*$/.test(line));
  // What follows is npm's own help, or the path of a log.
  const help = lines.findIndex((line) =>
    /Usage:|Clean install a project|A complete log/.test(line),
  );
  const quoted = lines
    .slice(0, help < 0 ? undefined : help)
    .slice(0, 12)
    .map((line) => `\n    ${line}`)
    .join("");
  return `npm ci failed (${end}).${quoted}\n${next}`;
}

/** Removes a pinned Node that does not run here (musl), so that the launcher looks for another. */
function dropUnusableNode(made) {
  const directory = join(made, platformPackage);
  if (!existsSync(directory)) return;
  const run = spawnSync(join(directory, "bin", "node"), ["--version"], { stdio: "ignore" });
  if (run.status !== 0) rmSync(directory, { recursive: true, force: true });
}
