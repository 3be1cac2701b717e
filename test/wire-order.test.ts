import { expect, test } from "vitest";
import { createHandlers } from "../functions/handlers.ts";
import { runFunction } from "../functions/run.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import { createRandom, type Random } from "./fuzz/random.ts";
import { replicaScenes } from "./replica-scenes.ts";
import { encodeRequest } from "./wire-messages.ts";

const handlers = createHandlers(shippedDefinitions());

/** The same value with the keys of every map, at every level, in an order of the source's choosing. */
function shuffled<T>(random: Random, value: T): T {
  if (Array.isArray(value)) return value.map((item) => shuffled(random, item)) as T;
  if (typeof value !== "object" || value === null) return value;
  const left = Object.entries(value);
  const order: [string, unknown][] = [];
  while (left.length > 0) order.push(...left.splice(random.below(left.length), 1));
  return Object.fromEntries(order.map(([key, item]) => [key, shuffled(random, item)])) as T;
}

function answer(bytes: Buffer): string {
  const outcome = runFunction(handlers, bytes, "id");
  if ("invalid" in outcome) throw new Error(outcome.invalid);
  if (outcome.facts.bug !== undefined) throw outcome.facts.bug;
  return outcome.response.toString("hex");
}

test.each([
  "replica",
  "gang-leader-worker-set",
  "gang-grove",
  "prefill-decode-picker",
  "model-cache-dynamo",
])("requests for %s that differ in map order alone get the same bytes", (example) => {
  for (const scene of replicaScenes(handlers, [example])) {
    for (const state of [
      { ...scene.parts, observed: {}, required: {} },
      { ...scene.parts, observed: {} },
      scene.parts,
      { ...scene.parts, required: { cluster: [] } },
    ]) {
      const expected = answer(encodeRequest(state));
      for (let run = 0; run < 20; run++) {
        const random = createRandom(1, run);
        expect(answer(encodeRequest(shuffled(random, state)))).toBe(expected);
      }
    }
  }
});
