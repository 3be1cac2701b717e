import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { RunFunctionResponse } from "@crossplane-org/function-sdk-typescript";
import { Client, credentials } from "@grpc/grpc-js";
import { afterEach, expect, test } from "vitest";
import { encodeRequest } from "./wire-messages.ts";

const program = fileURLToPath(new URL("server-child.ts", import.meta.url));
const entrypoint = fileURLToPath(new URL("../functions/main.ts", import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly port?: number;
  readonly drained?: boolean;
}

/** Starts the server as a process; `log` reads its next line, `exit` its code. */
function start(...flags: string[]) {
  return run(program, "--insecure", ...flags);
}

function run(file: string, ...flags: string[]) {
  const child = spawn(process.execPath, [file, ...flags], {
    env: { ...process.env, TLS_SERVER_CERTS_DIR: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  return {
    child,
    log: async () => JSON.parse((await lines.next()).value ?? "{}") as LogLine,
    line: async () => (await lines.next()).value ?? "",
    exit: once(child, "close").then(([code, signal]) => code ?? signal),
    printed: () => printed,
  };
}

const local = ["--address", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0"];

function call(port: number | undefined, busyMilliseconds: number) {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const composite = {
    apiVersion: "example.org/v1",
    kind: "Thing",
    metadata: { name: "x" },
    spec: { busyMilliseconds },
  };
  const bytes = (value: Buffer) => value;
  return new Promise<RunFunctionResponse>((resolve, reject) => {
    client.makeUnaryRequest(
      "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction",
      bytes,
      bytes,
      encodeRequest({ composite }),
      (error, response) => {
        client.close();
        if (error !== null || response === undefined) reject(error);
        else resolve(RunFunctionResponse.decode(response));
      },
    );
  });
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s lets the calls under way finish and exits 0",
  async (signal) => {
    const { child, log, exit, printed } = start(...local);
    const started = await log();
    expect(started).toMatchObject({ level: 30, msg: "function-sluice serves" });
    await call(started.port, 0);
    const answer = call(started.port, 400);
    await once(child.stdout, "data");
    child.kill(signal);
    expect((await answer).desired?.composite?.resource?.status).toStrictEqual({ done: true });
    expect(await log()).toMatchObject({ msg: "function-sluice stopped", drained: true });
    expect(await exit).toBe(0);
    expect(printed()).toBe("busy\n");
  },
);

test.each(["--address", "--metrics-address"])("%s in use exits 1 with the reason", async (flag) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = `127.0.0.1:${(taken.address() as { port: number }).port}`;
  const { log, exit } = start(...local, flag, address);
  expect(await log()).toMatchObject({
    level: 60,
    msg: expect.stringMatching(
      new RegExp(`^can't listen on ${address} \\(${flag}\\): .*EADDRINUSE.*; free that port`),
    ),
  });
  expect(await exit).toBe(1);
  taken.close();
});

test("the image's entrypoint serves every kind that sluice ships", async () => {
  const { child, log, exit } = run(entrypoint, "--insecure", ...local);
  expect(await log()).toMatchObject({
    msg: "function-sluice serves",
    kinds: expect.arrayContaining(["modelplane.ai/v1alpha1/ModelReplica"]),
  });
  child.kill("SIGTERM");
  await log();
  expect(await exit).toBe(0);
});

test("missing certificates exit 1 with the remedy", async () => {
  const { log, exit } = run(entrypoint, ...local, "--tls-certs-dir", "/nonexistent");
  expect((await log()).msg).toBe(
    "no usable certificates: /nonexistent/ca.crt does not exist; put tls.crt, tls.key and ca.crt into the directory of --tls-certs-dir, or pass --insecure for development",
  );
  expect(await exit).toBe(1);
});

test.each([
  [["--adress", "x"], "Unknown option '--adress'"],
  [["--insecure", "--address", "x"], '--address is "x"; give host:port'],
  [[], "no certificates: give --tls-certs-dir DIR"],
])("wrong flags %j exit 2 and are named", async (flags, message) => {
  const { line, exit } = run(entrypoint, ...flags);
  expect(await line()).toContain(`function-sluice: ${message}`);
  expect(await exit).toBe(2);
});
