import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { RunFunctionResponse } from "@crossplane-org/function-sdk-typescript";
import { type ChannelOptions, Client, credentials, type ServiceError, status } from "@grpc/grpc-js";
import { type Logger, pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Composition, Handler } from "../functions/composition/composition.ts";
import type { ServerOptions } from "../functions/options.ts";
import { type RunningServer, StartError, startServer } from "../functions/server.ts";
import {
  type Authority,
  createAuthority,
  ExtendedKeyUsage,
  mountSecret,
  type Pair,
} from "./server-certificates.ts";
import { encodeRequest, frame, resource } from "./wire-messages.ts";

const xr = { apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "x" } };
const nothing: Composition = {
  resources: [],
  requirements: {},
  conditions: [],
  results: [],
  status: {},
};

/** Composes what it is told to, so that a test can have a bug or a hold when it wants one. */
const handlers: readonly Handler[] = [
  {
    apiVersion: "example.org/v1",
    kind: "Thing",
    compose({ composite, observed }) {
      const { mode } = (composite.spec ?? {}) as { mode?: string };
      if (mode === "bug") throw new TypeError("deliberate");
      const object = {
        apiVersion: "v1",
        kind: "ConfigMap",
        observed: observed.get("deep") ?? null,
      };
      const resources = [{ key: "ours", object, ready: true }];
      const results = [{ severity: "Warning", message: "w" }] as const;
      return { ...nothing, resources, results, ...(mode === "hold" && { holding: "InvalidSpec" }) };
    },
  },
];

const V1 = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction";
const V1BETA1 = "/apiextensions.fn.proto.v1beta1.FunctionRunnerService/RunFunction";
const HEALTH = "/grpc.health.v1.Health/Check";
const bytes = (value: Buffer) => value;

let directory: string;
let authority: Authority;
let stranger: Authority;
let clientPair: Pair;
const running: { server: RunningServer; clients: Client[] }[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "sluice-server-"));
  authority = await createAuthority("authority");
  stranger = await createAuthority("stranger");
  clientPair = await authority.issue("client");
  mountSecret(directory, "..v1", authority.certificate, await authority.issue("server"));
});

afterEach(async () => {
  for (const { server, clients } of running.splice(0)) {
    for (const client of clients) client.close();
    await server.drain(2_000);
  }
});

afterAll(() => rmSync(directory, { recursive: true }));

function logTo(lines: string[]): Logger {
  return pino({ level: "debug", base: {} }, { write: (line) => void lines.push(line) });
}

async function start(options: Partial<ServerOptions> = {}, lines: string[] = [], reload = 60_000) {
  const server = await startServer(
    {
      address: "127.0.0.1:0",
      certificates: undefined,
      debug: true,
      maxMessageBytes: 64 * 1024 * 1024,
      metricsAddress: "127.0.0.1:0",
      ...options,
    },
    handlers,
    logTo(lines),
    reload,
  );
  const clients: Client[] = [];
  running.push({ server, clients });
  return {
    server,
    client(channel = credentials.createInsecure(), settings: ChannelOptions = {}) {
      const client = new Client(`localhost:${server.port}`, channel, {
        "grpc.max_receive_message_length": -1,
        "grpc.use_local_subchannel_pool": 1,
        ...settings,
      });
      clients.push(client);
      return client;
    },
    http: (path: string, init?: RequestInit) =>
      fetch(`http://127.0.0.1:${server.metricsPort}${path}`, init),
  };
}

const mutualTls = (ca: string, pair: Pair | undefined) =>
  credentials.createSsl(
    Buffer.from(ca),
    pair === undefined ? null : Buffer.from(pair.key),
    pair === undefined ? null : Buffer.from(pair.certificate),
  );

function call(client: Client, request: Buffer, path = V1): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + 20_000 };
    client.makeUnaryRequest(path, bytes, bytes, request, options, (error, response) => {
      if (error !== null || response === undefined) reject(error);
      else resolve(response);
    });
  });
}

const code = (answer: Promise<Buffer>): Promise<number | undefined> =>
  answer.then(
    () => status.OK,
    (error: ServiceError) => error.code,
  );

const request = (spec: Record<string, unknown> = {}) =>
  encodeRequest({ composite: { ...xr, spec } });

describe("calls", () => {
  test.each([V1, V1BETA1])("%s answers", async (path) => {
    const client = (await start()).client();
    const response = RunFunctionResponse.decode(await call(client, request(), path));
    expect(Object.keys(response.desired?.resources ?? {})).toStrictEqual(["ours"]);
  });

  test("takes 5 MiB, and objects nested 900 levels deep", async () => {
    const client = (await start()).client();
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 900; level++) deep = { deep };
    const observed = { deep: { ...xr, deep }, large: { ...xr, data: "x".repeat(5 * 1024 * 1024) } };
    const response = await call(client, encodeRequest({ composite: xr, observed }));
    expect(response.length).toBeGreaterThan(900 * 10);
  });

  const large = request({ text: "x".repeat(1_000) });
  test.each([
    ["", "identity", large.length, large.length],
    [", compressed", "gzip", "more than 1000", undefined],
  ] as const)(
    "refuses what is larger than --max-message-bytes%s, and says so once",
    async (_, encoding, amount, requestBytes) => {
      const lines: string[] = [];
      const { client, http } = await start({ maxMessageBytes: 1_000 }, lines);
      const caller = client(credentials.createInsecure(), {
        "grpc.default_compression_algorithm": encoding === "gzip" ? 2 : 0,
      });
      const details = `the request has ${amount} bytes and function-sluice takes at most 1000: raise --max-message-bytes`;
      await expect(call(caller, large)).rejects.toMatchObject({
        code: status.RESOURCE_EXHAUSTED,
        details,
      });
      expect(await code(call(caller, request()))).toBe(status.OK);
      const told = lines
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === "oversized request");
      expect(told).toMatchObject([{ level: 40, maxMessageBytes: 1_000, details }]);
      expect(told[0].requestBytes).toBe(requestBytes);
      const metrics = await (await http("/metrics")).text();
      expect(metrics).toMatch(/^sluice_function_oversized_requests_total 1$/m);
      expect(metrics).toMatch(
        /^# HELP sluice_function_oversized_requests_total .*--max-message-bytes$/m,
      );
    },
  );

  test("answers 100 calls at once", async () => {
    const client = (await start()).client();
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        call(client, encodeRequest({ tag: `t${i}`, composite: xr })),
      ),
    );
    const tags = responses.map((response) => RunFunctionResponse.decode(response).meta?.tag);
    expect(tags).toStrictEqual(Array.from({ length: 100 }, (_, i) => `t${i}`));
  });

  test("an undecodable request is INVALID_ARGUMENT with the reason", async () => {
    const client = (await start()).client();
    await expect(call(client, Buffer.from([0x0b]))).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining("wire type 3 is a group"),
    });
  });

  test("a bug in a handler is a Fatal with the id that the log has, and the server lives on", async () => {
    const lines: string[] = [];
    const client = (await start({}, lines)).client();
    const response = RunFunctionResponse.decode(await call(client, request({ mode: "bug" })));
    const logged = lines.map((line) => JSON.parse(line)).find(({ err }) => err !== undefined);
    expect(logged.err.stack).toContain("TypeError: deliberate");
    expect(response.results[0]?.message).toContain(logged.correlationId);
    expect(await code(call(client, request()))).toBe(status.OK);
  });

  test("never logs credentials, connection details or objects, even with --debug", async () => {
    const lines: string[] = [];
    const client = (await start({}, lines)).client();
    const secret = Buffer.from("hunter2");
    const parts = {
      composite: { ...xr, spec: { token: "hunter2" } },
      compositeConnection: { password: secret },
      observed: { a: { ...xr, data: { key: "hunter2" } } },
      observedConnection: { password: secret },
      credentials: { cloud: { key: secret } },
      desired: { b: resource(xr, { password: secret }) },
      context: { token: "hunter2" },
    };
    const bug = { ...parts, composite: { ...xr, spec: { mode: "bug", token: "hunter2" } } };
    await call(client, encodeRequest(parts));
    await call(client, encodeRequest(bug));
    await code(call(client, encodeRequest({ ...parts, composite: { apiVersion: "hunter2" } })));
    expect(lines).toHaveLength(3);
    expect(lines.join("")).not.toContain("hunter2");
  });
});

describe("mutual TLS", () => {
  test("takes a client with a certificate of our authority", async () => {
    const { client } = await start({ certificates: directory });
    const trusted = client(mutualTls(authority.certificate, clientPair));
    expect(await code(call(trusted, request()))).toBe(status.OK);
  });

  // Crossplane's core makes its client certificate so, and OpenSSL takes it for self-signed.
  describe("a client certificate that bears its issuer's own name", () => {
    let name = "";
    beforeAll(() => {
      name = new X509Certificate(authority.certificate).subject.replace("CN=", "");
    });
    const answer = async (pair: Pair) => {
      const { client } = await start({ certificates: directory });
      return code(call(client(mutualTls(authority.certificate, pair)), request()));
    };

    test("is taken when our authority signed it", async () => {
      const usage = ExtendedKeyUsage.clientAuth;
      expect(await answer(await authority.issue(name, { usage }))).toBe(status.OK);
      expect(await answer(await authority.issue(name))).toBe(status.OK);
    });

    test("is refused when another authority of that name signed it", async () => {
      const impostor = await createAuthority(name);
      expect(await answer(await impostor.issue(name))).toBe(status.UNAVAILABLE);
    });

    test("is refused when it has expired, or is meant for servers", async () => {
      const usage = ExtendedKeyUsage.serverAuth;
      expect(await answer(await authority.issue(name, { expired: true }))).toBe(status.UNAVAILABLE);
      expect(await answer(await authority.issue(name, { usage }))).toBe(status.UNAVAILABLE);
    });
  });

  test("refuses a client without a certificate, of another authority, or in plain text", async () => {
    const { client } = await start({ certificates: directory });
    const nobody = client(mutualTls(authority.certificate, undefined));
    const foreign = client(mutualTls(authority.certificate, await stranger.issue("client")));
    expect(await code(call(nobody, request()))).toBe(status.UNAVAILABLE);
    expect(await code(call(foreign, request()))).toBe(status.UNAVAILABLE);
    expect(await code(call(client(), request()))).toBe(status.UNAVAILABLE);
  });

  test("resumes no session, so that every connection proves its certificate", async () => {
    const { server } = await start({ certificates: directory });
    const reused = [];
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      let session: Buffer | undefined;
      for (const _ of ["first", "again"]) {
        const socket = connectTls({
          host: "localhost",
          port: server.port,
          ca: authority.certificate,
          cert: clientPair.certificate,
          key: clientPair.key,
          ALPNProtocols: ["h2"],
          maxVersion,
          ...(session && { session }),
        });
        socket.on("session", (told: Buffer) => {
          session = told;
        });
        // The server's settings come after whatever it says of sessions.
        await once(socket, "data");
        reused.push(socket.isSessionReused());
        socket.destroy();
      }
    }
    expect(reused).toEqual([false, false, false, false]);
  });

  test("refuses TLS 1.1", async () => {
    const { server } = await start({ certificates: directory });
    const refused = await new Promise<Error>((resolve, reject) => {
      const socket = connectTls({
        host: "localhost",
        port: server.port,
        ca: authority.certificate,
        cert: clientPair.certificate,
        key: clientPair.key,
        minVersion: "TLSv1.1",
        maxVersion: "TLSv1.1",
        ciphers: "DEFAULT@SECLEVEL=0",
      });
      socket.once("secureConnect", () => reject(new Error("connected")));
      socket.once("error", resolve);
    });
    expect(refused.message).toMatch(/protocol version|alert/);
  });

  test("reloads on a Secret's swap, keeps the last good set while files are half-written, and drops no connection", async () => {
    const own = mkdtempSync(join(tmpdir(), "sluice-reload-"));
    mountSecret(own, "..v1", authority.certificate, await authority.issue("server"));
    const lines: string[] = [];
    const { client } = await start({ certificates: own }, lines, 20);
    const logged = (message: string) =>
      vi.waitFor(() => expect(lines.join("")).toContain(message), { timeout: 10_000 });
    const established = client(mutualTls(authority.certificate, clientPair));
    await call(established, request());

    // Half a pair, then half a file: new connections still meet the first set.
    const next = await stranger.issue("server");
    writeFileSync(join(own, "..data", "tls.crt"), next.certificate);
    await logged("tls.key is not the private key of tls.crt");
    writeFileSync(join(own, "..data", "tls.crt"), next.certificate.slice(0, 200));
    await logged("tls.crt is cut off");
    const noCertificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    writeFileSync(join(own, "..data", "tls.crt"), next.certificate);
    writeFileSync(join(own, "..data", "ca.crt"), authority.certificate + noCertificate);
    await logged("ca.crt holds a certificate that is not valid");
    const meanwhile = client(mutualTls(authority.certificate, clientPair));
    expect(await code(call(meanwhile, request()))).toBe(status.OK);

    mountSecret(own, "..v2", stranger.certificate, next);
    await logged("certificates reloaded");
    const newcomer = client(mutualTls(stranger.certificate, await stranger.issue("client")));
    expect(await code(call(newcomer, request()))).toBe(status.OK);
    const outdated = client(mutualTls(authority.certificate, clientPair));
    expect(await code(call(outdated, request()))).toBe(status.UNAVAILABLE);
    expect(await code(call(established, request()))).toBe(status.OK);
    rmSync(own, { recursive: true });
  });

  test("does not start without usable certificates, and says which file is wrong", async () => {
    const missing = start({ certificates: join(directory, "none") });
    await expect(missing).rejects.toThrow(StartError);
    await expect(missing).rejects.toThrow(/none\/ca\.crt does not exist; put tls\.crt/);
  });
});

describe("health", () => {
  const check = (service: string) => (service === "" ? Buffer.alloc(0) : frame(0x0a, service));

  test("Check knows the server and both services, and no other", async () => {
    const client = (await start()).client();
    for (const name of ["", "apiextensions.fn.proto.v1.FunctionRunnerService"]) {
      expect(await call(client, check(name), HEALTH)).toStrictEqual(Buffer.from([0x08, 1]));
    }
    expect(await code(call(client, check("other"), HEALTH))).toBe(status.NOT_FOUND);
    expect(await code(call(client, Buffer.from([0x0a]), HEALTH))).toBe(status.INVALID_ARGUMENT);
  });

  test("Watch reports serving, then not serving, and lets the server drain", async () => {
    const { server, client } = await start();
    const stream = client().makeServerStreamRequest(
      "/grpc.health.v1.Health/Watch",
      bytes,
      bytes,
      check(""),
    );
    const unknown = client().makeServerStreamRequest(
      "/grpc.health.v1.Health/Watch",
      bytes,
      bytes,
      check("other"),
    );
    const first = new Promise<Buffer>((resolve) => unknown.once("data", resolve));
    expect(await first).toStrictEqual(Buffer.from([0x08, 3]));
    const states: number[] = [];
    const ended = new Promise<void>((resolve) => {
      stream.on("data", (state: Buffer) => {
        states.push(state[1] ?? -1);
        if (states.length === 1) void server.drain(5_000).then((ok) => expect(ok).toBe(true));
      });
      stream.on("end", resolve);
    });
    await ended;
    expect(states).toStrictEqual([1, 2]);
  });
});

describe("metrics and probes", () => {
  test("count calls, severities, sizes and holds by kind", async () => {
    const { client, http } = await start();
    const caller = client();
    await call(caller, request());
    await call(caller, request({ mode: "hold" }));
    await call(caller, request({ mode: "bug" }));
    await call(caller, encodeRequest({ composite: { ...xr, kind: "Unknown" } }));
    await code(call(caller, Buffer.from([0x0b])));
    const text = await (await http("/metrics")).text();
    for (const line of [
      'sluice_function_calls_total{kind="example.org/v1/Thing",outcome="answered"} 2',
      'sluice_function_calls_total{kind="example.org/v1/Thing",outcome="bug"} 1',
      'sluice_function_calls_total{kind="other",outcome="answered"} 1',
      'sluice_function_calls_total{kind="other",outcome="invalid"} 1',
      'sluice_function_results_total{kind="example.org/v1/Thing",severity="Warning"} 2',
      'sluice_function_results_total{kind="other",severity="Fatal"} 1',
      'sluice_function_holds_total{kind="example.org/v1/Thing",reason="InvalidSpec"} 1',
      'sluice_function_call_seconds_count{kind="example.org/v1/Thing"} 3',
      "sluice_function_request_bytes_count 5",
      "sluice_function_response_bytes_count 4",
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text).not.toContain("Unknown");
  });

  test("answer GET on three paths and nothing else", async () => {
    const { http } = await start();
    expect((await http("/healthz")).status).toBe(200);
    expect((await http("/readyz?verbose")).status).toBe(200);
    expect((await http("/")).status).toBe(404);
    expect((await http("/metrics", { method: "POST", body: "x" })).status).toBe(405);
    const header = { headers: { "X-Large": "x".repeat(10_000) } };
    expect((await http("/healthz", header)).status).toBe(431);
  });

  test("are off when there is no address for them", async () => {
    const { server } = await start({ metricsAddress: undefined });
    expect(server.metricsPort).toBeUndefined();
  });

  test("readiness ends before the last connection does", async () => {
    const { server, http } = await start();
    // A connection that never asks anything is cut off at the limit.
    const idle = connect(server.port, "127.0.0.1");
    await new Promise((resolve) => idle.once("connect", resolve));
    const drained = server.drain(500);
    expect((await http("/readyz")).status).toBe(503);
    idle.destroy();
    await drained;
  });
});

describe("starting", () => {
  test("a port in use is said with its flag, for calls and for metrics", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = `127.0.0.1:${(taken.address() as { port: number }).port}`;
    await expect(start({ address })).rejects.toThrow(`can't listen on ${address} (--address): `);
    await expect(start({ metricsAddress: address })).rejects.toThrow(
      `can't listen on ${address} (--metrics-address): `,
    );
    taken.close();
  });
});
