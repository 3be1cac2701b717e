import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCommand, runSluice } from "../cli/dispatch.ts";
import { grpcTarget } from "../cli/via.ts";
import { createHandlers } from "../functions/handlers.ts";
import { readOptions } from "../functions/options.ts";
import { type RunningServer, startServer } from "../functions/server.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import { recorded } from "./support/terminal.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
let server: RunningServer;
let via = "";

beforeAll(async () => {
  const flags = { insecure: true, address: "127.0.0.1:0", "metrics-address": "127.0.0.1:0" };
  const options = readOptions(flags, {});
  if (typeof options === "string") throw new Error(options);
  const handlers = createHandlers(shippedDefinitions());
  server = await startServer(options, handlers, pino({ level: "silent" }));
  via = `grpc://127.0.0.1:${server.port}`;
});
afterAll(() => server.drain(1000));

async function preview(...argv: string[]) {
  return recorded(
    (terminal) => runSluice(["preview", ...argv], ["preview"], loadCommand, () => "0", terminal),
    { cwd: root },
  );
}

describe("--via a running function", () => {
  test.each(
    readdirSync(join(root, "examples"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `examples/${name}`),
  )("shows of %s what composing in this process shows", async (example) => {
    const argv = [example, "-o", "yaml", "--assume", "ready"];
    expect(await preview(...argv, "--via", via)).toEqual(await preview(...argv));
  });

  test("says how to start one when nobody answers", async () => {
    const { code, out, err } = await preview("examples/replica", "--via", "grpc://127.0.0.1:1");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("the function server at 127.0.0.1:1 did not answer");
    expect(err).toContain("sluice function --insecure");
  });
});

describe("an address", () => {
  test.each([
    ["grpc://localhost:9443", "localhost:9443"],
    ["grpc://[::1]:9443/", "[::1]:9443"],
    ["grpc://localhost", undefined],
    ["localhost:9443", undefined],
    ["grpc://user@host:1", undefined],
    ["http://localhost:9443", undefined],
  ])("%s leads to %s", (address, target) => {
    expect(grpcTarget(address)).toBe(target);
  });
});
