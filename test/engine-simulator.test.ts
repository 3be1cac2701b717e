import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Sockets } from "./support/sockets.ts";

const entrypoint = fileURLToPath(new URL("../cli/main.ts", import.meta.url));
const page = fileURLToPath(new URL("../docs/engine.md", import.meta.url));
const markdown = readFileSync(page, "utf8");
const children: ChildProcess[] = [];
const sockets = new Sockets();
let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "sluice-engine-"));
  for (const name of ["answers.yaml", "models.yaml"]) {
    writeFileSync(join(cwd, name), block(`file: ${name}`));
  }
  writeFileSync(join(cwd, "key"), "secret\n");
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await sockets.close();
});
afterAll(() => rmSync(cwd, { recursive: true }));

/** The code block of docs/engine.md below a mark. */
function block(mark: string): string {
  const found = new RegExp(`<!-- ${mark} -->\n\`\`\`[a-z]+\n([^]*?)\`\`\``).exec(markdown)?.[1];
  if (found === undefined) throw new Error(`docs/engine.md has no ${mark}`);
  return found;
}

/** Starts the command; `lines` are those of stderr, `exit` its code. */
function start(...flags: string[]) {
  const argv = [entrypoint, "engine", "--simulate", "--listen", "127.0.0.1:0", ...flags];
  const child = spawn(process.execPath, argv, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  children.push(child);
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const exit = once(child, "close").then(([code, signal]) => code ?? signal);
  return { child, exit, line: async () => String((await lines.next()).value ?? "") };
}

async function started(...flags: string[]) {
  const run = start(...flags);
  const banner = await run.line();
  const origin = /http:\S+/.exec(await run.line())?.[0] ?? "";
  return { ...run, banner, origin };
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body: JSON.stringify(body), headers });

test("answers as docs/engine.md shows", async () => {
  const { origin, banner } = await started(
    "--answers",
    "answers.yaml",
    "--latency",
    "0",
    "--load-time",
    "0",
  );
  expect(banner).toMatch(/^SIMULATOR of Ollaya /);
  const response = await fetch(`${origin}/v1/systemone`, {
    method: "POST",
    body: block("request: POST /v1/systemone"),
  });
  const answer = `${JSON.stringify(await response.json(), null, 2)}\n`;
  const shown = block("answer");
  if (process.env.UPDATE_GOLDEN === "1")
    writeFileSync(
      page,
      markdown.replace(shown, () => answer),
    );
  else expect(shown, "`npm run golden` brings docs/engine.md up to date").toBe(answer);
});

test("has the models of its file and of its registry, and the device and key that it is given", async () => {
  const flags = ["--models", "models.yaml", "--load-time", "0", "--latency", "0"];
  const { origin } = await started(...flags, "--device", "cuda:0", "--api-key-file", "key");
  const headers = { authorization: "Bearer secret" };
  expect((await post(`${origin}/api/decide`, { model: "acme/router:1" })).status).toBe(401);
  const body = { model: "acme/router:1", keep_alive: -1 };
  expect((await post(`${origin}/api/decide`, body, headers)).status).toBe(200);
  const ps = (await (await fetch(`${origin}/api/ps`, { headers })).json()) as { models: object[] };
  expect(ps.models).toEqual([
    expect.objectContaining({ name: "acme/router:1", device: "cuda:0", expires_at: null }),
  ]);
  expect((await fetch(`${origin}/v2/acme/router/manifests/1`)).status).toBe(200);
  expect((await fetch(`${origin}/v2/acme/router/manifests/2`)).status).toBe(404);
});

test("goes wrong when it is told to", async () => {
  const { origin } = await started();
  const faults = `${origin}/simulator/faults`;
  expect((await post(faults, { fault: "cut", path: "/api/version" })).status).toBe(200);
  await expect(
    fetch(`${origin}/api/version`).then((response) => response.text()),
  ).rejects.toThrow();
  await fetch(faults, { method: "DELETE" });
  expect((await fetch(`${origin}/api/version`)).status).toBe(200);
  await post(faults, { fault: "restart", times: 1 });
  await expect(fetch(`${origin}/api/version`)).rejects.toThrow();
  expect((await fetch(`${origin}/api/version`)).status).toBe(200);
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends it, whatever is under way", async (signal) => {
  const { child, exit, origin } = await started("--load-time", "1h");
  const asked = post(`${origin}/api/decide`, { model: "laya:en" }).catch(() => "broken off");
  // It has begun once the server has answered what was sent after it.
  await fetch(origin);
  child.kill(signal);
  expect(await exit).toBe(0);
  expect(await asked).toBe("broken off");
});

test("says so where the address is taken", async () => {
  const { port } = new URL(await sockets.serve((_, response) => response.end()));
  const run = start("--listen", `127.0.0.1:${port}`);
  expect(await run.line()).toBe(
    `sluice engine: can't listen on port ${port} of 127.0.0.1: the address is in use; give another --listen`,
  );
  expect(await run.exit).toBe(1);
});
