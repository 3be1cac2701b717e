import { expect, test } from "vitest";
import { JumpingClock } from "../../../test/support/engine-clock.ts";
import { type Sent, send, simulatedServer } from "../../../test/support/simulated-server.ts";
import type { SimulatedServer } from "./server.ts";

const post = async (server: SimulatedServer, path: string, body: Sent["body"]) =>
  send(server, `POST ${path}`, { body });
const names = async (server: SimulatedServer): Promise<readonly string[]> =>
  (await send(server, "GET /api/tags"))?.json.models.map(({ name }: { name: string }) => name);

test("a pull streams its lines, and what it has pulled is in the store", async () => {
  const server = simulatedServer(new JumpingClock(), { stored: [] });
  expect(await names(server)).toEqual([]);
  const answer = await post(server, "/api/pull", { model: "laya:en" });
  expect(answer?.headers["content-type"]).toBe("application/x-ndjson");
  const lines =
    answer?.body
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)) ?? [];
  expect(lines[0]).toEqual({ status: "pulling manifest" });
  expect(lines[1]).toMatchObject({ completed: 0, digest: expect.stringMatching(/^sha256:/) });
  expect(lines.slice(-3)).toEqual([
    { status: "verifying sha256 digest" },
    { status: "writing manifest" },
    { status: "success" },
  ]);
  expect(await names(server)).toEqual(["laya:en"]);
  const quiet = await post(server, "/api/pull", { model: "nli", stream: false });
  expect(quiet?.json).toEqual({ status: "success" });
  expect(await post(server, "/api/pull", { model: "absent:1" })).toMatchObject({
    status: 404,
    json: { error: 'model "absent:1" not found in registry ollaya.dev', code: "MODEL_NOT_FOUND" },
  });
});

test("models are listed newest first, shown without a digest, and named for TypeSafe", async () => {
  const clock = new JumpingClock();
  const server = simulatedServer(clock);
  clock.pass(1000);
  await post(server, "/api/copy", { source: "laya:en", destination: "Mine" });
  expect((await names(server))[0]).toBe("mine:latest");
  const shown = await post(server, "/api/show", { model: "laya" });
  expect(shown?.json.router).toMatchObject({ default: "laya:en" });
  expect(shown?.body).not.toContain("digest");
  const models = (await send(server, "GET /v1/models"))?.json.models;
  expect(models[0]).toEqual({
    name: "decima:small",
    description: expect.any(String),
    release_date: "2026-12-01",
  });
});

test("a copy shares the digest of its source, and its entry when loaded", async () => {
  const server = simulatedServer(new JumpingClock());
  await post(server, "/api/copy", { source: "laya:en", destination: "mine:1" });
  await post(server, "/api/decide", { model: "laya:en" });
  const again = await post(server, "/api/decide", { model: "mine:1" });
  expect(again?.json).toMatchObject({ model: "mine:1", load_duration: 0 });
  expect((await send(server, "GET /api/ps"))?.json.models).toHaveLength(1);
});

test("what is deleted is unloaded, and deleted once", async () => {
  const server = simulatedServer(new JumpingClock());
  await post(server, "/api/decide", { model: "laya:en" });
  const remove = () => send(server, "DELETE /api/delete", { body: { model: "laya:en" } });
  expect(await remove()).toMatchObject({ status: 200, body: "" });
  expect((await send(server, "GET /api/ps"))?.json.models).toEqual([]);
  expect((await remove())?.json.code).toBe("MODEL_NOT_FOUND");
});

test("a model is made of another one, with questions that requests may leave out", async () => {
  const server = simulatedServer(new JumpingClock());
  const questions = { urgent: { type: "noul" } };
  const made = await post(server, "/api/create", { model: "mine", from: "laya:en", questions });
  expect(made?.body.trimEnd().split("\n").at(-1)).toBe('{"status":"success"}');
  const answer = await post(server, "/v1/systemone", { model: "mine", state: "now" });
  expect(Object.keys(answer?.json.answers)).toEqual(["urgent"]);
  const tags = (await send(server, "GET /api/tags"))?.json.models as { digest: string }[];
  expect(new Set(tags.map(({ digest }) => digest)).size).toBe(tags.length);
  const from = await post(server, "/api/create", { model: "mine", from: "absent" });
  expect(from?.json.code).toBe("MODEL_NOT_FOUND");
  const bad = await post(server, "/api/create", { model: "mine", from: "nli", questions: {} });
  expect(bad?.json.detail[0].type).toBe("too_short");
});

test("presets are made, listed, shown, asked and deleted", async () => {
  const server = simulatedServer(new JumpingClock());
  const preset = {
    name: "mine",
    questions: { urgent: { type: "noul" } },
    description: "what I ask",
  };
  expect(await post(server, "/api/presets/create", preset)).toMatchObject({
    status: 200,
    body: "",
  });
  expect((await send(server, "GET /api/presets"))?.json.presets).toEqual([
    {
      name: "mine",
      builtin: false,
      description: "what I ask",
      questions: ["urgent"],
      modified_at: "2026-12-01T00:00:00.000Z",
    },
  ]);
  expect((await post(server, "/api/presets/show", { name: "mine" }))?.json).toMatchObject(preset);
  const asked = await post(server, "/api/decide", { model: "nli", state: "now", preset: "mine" });
  expect(Object.keys(asked?.json.answers)).toEqual(["urgent"]);
  const remove = (name: unknown) => send(server, "DELETE /api/presets/delete", { body: { name } });
  expect((await remove("mine"))?.status).toBe(200);
  expect((await remove("mine"))?.json.code).toBe("NOT_FOUND");
  expect((await remove("triage"))?.json.code).toBe("FORBIDDEN");
  expect((await remove(undefined))?.json.detail[0].type).toBe("missing");
});

test.each<[unknown, string]>([
  [{ name: "Mine", questions: { q: { type: "noul" } } }, "name"],
  [{ name: "triage", questions: { q: { type: "noul" } } }, "name"],
  [{ name: "mine" }, "questions"],
  [{ name: "mine", questions: { q: {} } }, "questions.q"],
])("%j is no preset", async (preset, place) => {
  const answer = await post(simulatedServer(new JumpingClock()), "/api/presets/create", preset);
  expect(answer?.status).toBe(422);
  expect(answer?.json.detail.map(({ loc }: { loc: string[] }) => loc.slice(1).join("."))).toEqual([
    place,
  ]);
});
