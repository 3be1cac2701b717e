import { expect, test } from "vitest";
import { DatasetMemory } from "./dataset-memory.ts";

const bytes = (answer: string) =>
  Buffer.from(
    `${JSON.stringify({ state: {}, questions: { q: { type: "choice" } }, expected: { q: answer } })}\n`,
  );

test("the same bytes are decoded once for each DecisionModel", () => {
  const memory = new DatasetMemory();
  const first = memory.decode("default/a", bytes("billing"), 500);
  expect(first.decoded).toMatchObject({ ok: true });
  expect(memory.decode("default/a", bytes("billing"), 500)).toBe(first);
  expect(memory.decode("default/b", bytes("billing"), 500)).not.toBe(first);
});

test("other bytes, another cap and a new life are decoded anew", () => {
  const memory = new DatasetMemory();
  const first = memory.decode("default/a", bytes("billing"), 500);
  const other = memory.decode("default/a", bytes("sales"), 500);
  expect(other.digest).not.toBe(first.digest);
  const capped = memory.decode("default/a", bytes("sales"), 1);
  expect([capped === other, capped.digest]).toEqual([false, other.digest]);
  memory.forget("default/a");
  expect(memory.decode("default/a", bytes("sales"), 1)).not.toBe(capped);
});

test("what can't be decoded is remembered too", () => {
  const memory = new DatasetMemory();
  const first = memory.decode("default/a", Buffer.from("{"), 500);
  expect(first.decoded).toMatchObject({ ok: false });
  expect(memory.decode("default/a", Buffer.from("{"), 500)).toBe(first);
});
