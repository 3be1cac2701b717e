import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JumpingClock } from "../../../test/support/engine-clock.ts";
import { type Sent, send, simulatedServer } from "../../../test/support/simulated-server.ts";

const question = { q: { type: "noul" } };
const decision = { model: "laya:en", state: "a charge", questions: question };
const key = { authorization: "Bearer secret" };

async function code(server: ReturnType<typeof simulatedServer>, line: string, sent?: Sent) {
  const answer = await send(server, line, sent);
  return `${answer?.status} ${answer?.json?.code ?? ""}`.trim();
}

describe("what is checked first", () => {
  const server = simulatedServer(new JumpingClock(), {
    apiKey: "secret",
    loopback: true,
    mostBodyBytes: 100,
    mostQueued: 0,
  });
  const tooLarge = new Uint8Array(101);
  test.each<[string, Sent, string]>([
    // Each of these is wrong in every later way too.
    [
      "POST /nowhere",
      { headers: { host: "example.org", origin: "https://x.org" } },
      "403 FORBIDDEN",
    ],
    ["POST /nowhere", { headers: { origin: "https://x.org" } }, "403 FORBIDDEN"],
    ["OPTIONS /nowhere", { headers: { "access-control-request-method": "POST" } }, "204"],
    ["OPTIONS /nowhere", {}, "401 UNAUTHORIZED"],
    ["POST /nowhere", {}, "401 UNAUTHORIZED"],
    ["POST /api/decide", { headers: { authorization: "Bearer other" } }, "401 UNAUTHORIZED"],
    ["POST /api/decide", { headers: { authorization: "secret" } }, "401 UNAUTHORIZED"],
    ["POST /nowhere", { headers: key, body: tooLarge }, "404 NOT_FOUND"],
    ["PUT /api/decide", { headers: key, body: tooLarge }, "405 METHOD_NOT_ALLOWED"],
    ["POST /api/decide", { headers: key, body: tooLarge }, "413 REQUEST_TOO_LARGE"],
    ["POST /api/decide", { headers: key, body: "" }, "400 INVALID_JSON"],
    ["POST /api/decide", { headers: key, body: "{" }, "400 INVALID_JSON"],
    ["POST /api/decide", { headers: key, body: "[]" }, "422 INVALID_REQUEST"],
    ["POST /api/decide", { headers: key, body: { model: "a/b/c/d" } }, "422 INVALID_REQUEST"],
    ["POST /api/decide", { headers: key, body: { model: "absent" } }, "503 QUEUE_FULL"],
    ["POST /v1/systemone", { headers: key, body: { ...decision, model: "x" } }, "503 QUEUE_FULL"],
    ["GET /", {}, "200"],
    ["HEAD /", {}, "200"],
    ["GET /api/ps", { headers: { authorization: "bearer secret" } }, "200"],
  ])("%s %j: %s", async (line, sent, expected) => {
    expect(await code(server, line, sent)).toBe(expected);
  });

  test("who has no key is told which kind is wanted", async () => {
    const answer = await send(server, "POST /nowhere");
    expect(answer?.headers).toMatchObject({ "WWW-Authenticate": "Bearer" });
  });

  test("a body of exactly the limit is read", async () => {
    const body = new TextEncoder().encode(JSON.stringify({ model: "absent" }).padEnd(100));
    expect(await code(server, "POST /api/decide", { headers: key, body })).toBe("503 QUEUE_FULL");
  });
});

describe("what comes after the queue", () => {
  const words = (count: number) => Array.from({ length: count }, () => "word").join(" ");
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`o${index}`, null]));
  const choice = (criteria: unknown) => ({ q: { type: "choice", criteria } });
  test.each<[string, unknown, string]>([
    ["/api/decide", { model: "absent" }, "404 MODEL_NOT_FOUND"],
    ["/api/decide", { ...decision, questions: undefined }, "422 INVALID_REQUEST"],
    ["/api/decide", { ...decision, questions: undefined, preset: "mine" }, "404 NOT_FOUND"],
    ["/api/decide", { model: "laya:en", questions: question }, "422 INVALID_REQUEST"],
    ["/v1/systemone", { model: "laya:en" }, "422 INVALID_REQUEST"],
    [
      "/v1/systemone",
      { ...decision, model: "jevk5", questions: choice(many) },
      "422 TOO_MANY_OPTIONS",
    ],
    ["/v1/systemone", { ...decision, state: words(65_537) }, "422 INPUT_TOO_LONG"],
    ["/api/decide", { ...decision, state: words(65_537) }, "422 INPUT_TOO_LONG"],
    ["/v1/systemone", { ...decision, state: words(513) }, "422 STATE_TRUNCATED"],
    ["/v1/systemone", { ...decision, state: words(512) }, "200"],
    ["/api/decide", { ...decision, state: words(513) }, "200"],
    ["/v1/decisions", { ...decision, state: "" }, "200"],
    ["/v1/decisions", { ...decision, state: ["a", { b: "c" }] }, "200"],
  ])("%s", async (path, body, expected) => {
    const server = simulatedServer(new JumpingClock());
    expect(await code(server, `POST ${path}`, { body })).toBe(expected);
  });

  test("the text of a model that is not there is upstream's", async () => {
    const server = simulatedServer(new JumpingClock());
    const absent = await send(server, "POST /api/decide", { body: { model: "Absent" } });
    expect(absent?.json).toEqual({
      error: 'model "absent:latest" not found, try pulling it first',
      code: "MODEL_NOT_FOUND",
    });
    await send(server, "DELETE /api/delete", { body: { model: "laya:en" } });
    const routed = await send(server, "POST /api/decide", { body: { model: "laya" } });
    expect(routed?.json.error).toBe(
      'model "laya:en" not found, try pulling it first (routed from "laya:latest")',
    );
  });
});

test.each<[string, string, object]>([
  ["GET /api/generate", "404 NOT_FOUND", { error: expect.stringContaining("/api/decide") }],
  ["POST /api/push", "501 NOT_IMPLEMENTED", {}],
  ["HEAD /api/blobs/sha256:0", "501 NOT_IMPLEMENTED", {}],
  ["GET /metrics", "404 NOT_FOUND", {}],
  ["GET /simulator/faults", "404 NOT_FOUND", {}],
  ["GET /api/version", "200", { version: "0.12.0" }],
])("%s: %s", async (line, status, body) => {
  const server = simulatedServer(new JumpingClock());
  expect(await code(server, line)).toBe(status);
  expect((await send(server, line))?.json).toMatchObject(body);
});

test("405 says which methods there are", async () => {
  const server = simulatedServer(new JumpingClock());
  expect((await send(server, "PUT /api/tags"))?.headers.Allow).toBe("GET, HEAD");
  expect((await send(server, "GET /api/decide"))?.headers.Allow).toBe("POST");
});

test("every answer names its request, those of TypeSafe twice", async () => {
  const server = simulatedServer(new JumpingClock());
  const named = { headers: { "x-request-id": "mine-1" } };
  expect((await send(server, "GET /nowhere", named))?.headers["X-Request-Id"]).toBe("mine-1");
  expect((await send(server, "GET /v1/models", named))?.headers).toMatchObject({
    "X-Request-Id": "mine-1",
    "x-typesafe-request-id": "mine-1",
  });
  const other = await send(server, "GET /", { headers: { "x-request-id": "a b" } });
  expect(other?.headers["X-Request-Id"]).toMatch(/^req_/);
  expect(other?.headers).toMatchObject({ "content-type": "text/plain; charset=utf-8" });
});

test("the registry's digest is the SHA-256 of what it sends, and needs no key", async () => {
  const server = simulatedServer(new JumpingClock(), { apiKey: "secret" });
  const answer = await send(server, "GET /v2/library/laya/manifests/en");
  const digest = createHash("sha256")
    .update(answer?.body ?? "")
    .digest("hex");
  const tags = await send(server, "GET /api/tags", { headers: key });
  const listed = tags?.json.models.find(({ name }: { name: string }) => name === "laya:en");
  expect(listed.digest).toBe(digest);
  expect(JSON.parse(answer?.body ?? "").schemaVersion).toBe(2);
  expect(await code(server, "GET /v2/library/laya/manifests/none")).toBe("404 NOT_FOUND");
});

describe("whatever is sent", () => {
  const words = [
    "laya:en",
    "laya",
    "choice",
    "score",
    "noul",
    "mine",
    "-1",
    "0s",
    "slow",
    "__proto__",
  ];
  const text = fc.oneof(fc.constantFrom(...words), fc.string());
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      text,
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      tie("list"),
      tie("object"),
    ),
    list: fc.array(tie("value"), { maxLength: 3 }),
    object: fc.dictionary(
      fc.oneof(fc.constantFrom("type", "criteria", "q", "true"), text),
      tie("value"),
      { maxKeys: 3 },
    ),
  }));
  const body = fc.record(
    {
      model: fc.oneof({ weight: 5, arbitrary: fc.constantFrom("laya:en", "laya", "nli") }, value),
      state: value,
      questions: fc.oneof(
        value,
        fc.dictionary(
          text,
          fc.record({
            type: fc.constantFrom("choice", "score", "noul"),
            criteria: fc.oneof(value, fc.uniqueArray(text, { minLength: 2, maxLength: 9 })),
          }),
          { minKeys: 1, maxKeys: 3 },
        ),
      ),
      ...Object.fromEntries(
        "keep_alive extras preset name from source destination fault times code error"
          .split(" ")
          .map((name) => [name, value]),
      ),
    },
    { requiredKeys: [] },
  );
  const paths = ["decide", "show", "pull", "create", "copy", "presets/create", "presets/show"].map(
    (name) => `POST /api/${name}`,
  );
  const line = fc.oneof(
    fc.constantFrom(
      ...paths,
      "POST /v1/systemone",
      "POST /simulator/faults",
      "DELETE /api/delete",
      "DELETE /api/presets/delete",
      "GET /api/ps",
      "GET /api/tags",
    ),
    fc.webPath().map((path) => `GET ${path}`),
  );

  test("is answered, and every refusal is of the one form", async () => {
    let server = simulatedServer(new JumpingClock(), { controllable: true });
    await fc.assert(
      fc.asyncProperty(
        line,
        fc.oneof({ weight: 9, arbitrary: body }, value),
        async (asked, sent) => {
          const answer = await send(server, asked, { body: sent });
          // A fault that was asked for may have ended the process.
          if (server.faults.list().length > 0) {
            server = simulatedServer(new JumpingClock(), { controllable: true });
          }
          if (answer === undefined || answer.cut) return;
          const { status, json } = answer;
          if (status < 300) return;
          expect(typeof json.error).toBe("string");
          expect(json.code).toMatch(/^[A-Z_]*$/);
          expect([400, 403, 404, 405, 422]).toContain(status);
          expect(json.detail !== undefined).toBe(status === 422);
        },
      ),
      { seed: 1, numRuns: 2000 },
    );
  });

  test("a body that looks like a refusal is a body", async () => {
    const sent = { ...decision, error: "x", code: "Y", status: 999 };
    expect(
      await code(simulatedServer(new JumpingClock()), "POST /v1/systemone", { body: sent }),
    ).toBe("200");
  });

  test.each([
    ["[", "]", 127, 422],
    ["[", "]", 128, 400],
    ["[", "]", 1_000_000, 400],
    ['{"state":', "}", 200, 400],
  ])("%s repeated: %#", async (open, close, depth, status) => {
    const sent = `${open.repeat(depth)}${open === "[" ? "" : "0"}${close.repeat(depth)}`;
    const server = simulatedServer(new JumpingClock());
    expect((await send(server, "POST /v1/systemone", { body: sent }))?.status).toBe(status);
  });
});
