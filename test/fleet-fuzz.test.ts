import { expect, test } from "vitest";
import { createHandlers } from "../functions/handlers.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import { fuzzFleets } from "./fuzz/fleets.ts";

test("damaged fleets: no crash, no bug, no lost replica (`npm run fuzz` runs a million)", () => {
  const handlers = createHandlers(shippedDefinitions());
  const { placed, holding } = fuzzFleets(handlers, 20_261_201, 0, 2_000, () => {});
  expect(Math.min(placed, holding)).toBeGreaterThan(100);
});
