import { expect, test } from "vitest";
import { createHandlers } from "../functions/handlers.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import { fuzzRequests } from "./fuzz/requests.ts";

test("damaged requests: no crash, no bug, no lost object (`npm run fuzz` runs a million)", () => {
  const handlers = createHandlers(shippedDefinitions());
  const tally = fuzzRequests(handlers, 20_261_130, 0, 3_000, () => {});
  // Each way out was taken, so the damage neither spares nor destroys everything.
  for (const met of Object.values(tally)) expect(met).toBeGreaterThan(30);
});
