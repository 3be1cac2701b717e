import { expect, test } from "vitest";
import { createHandlers } from "../functions/handlers.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import { fuzzKinds } from "./fuzz/kinds.ts";

test("damaged kinds of the fleet: no crash, no bug, nothing lost (`npm run fuzz` runs a million)", () => {
  const handlers = createHandlers(shippedDefinitions());
  const { accepted, refused } = fuzzKinds(handlers, 20_261_201, 0, 4_000, () => {});
  expect(Math.min(accepted, refused)).toBeGreaterThan(300);
});
