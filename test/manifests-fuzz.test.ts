import { expect, test } from "vitest";
import { fuzzManifests } from "./fuzz/manifests.ts";

test("damaged manifests: no crash, every document answered (`npm run fuzz` runs a million)", () => {
  const tally = fuzzManifests(20_261_130, 0, 4_000, () => {});
  // Each way out was taken, so the damage neither spares nor destroys everything.
  for (const met of [tally.valid, tally.invalid, tally.unreadable])
    expect(met).toBeGreaterThan(300);
  expect(tally.definitions).toBeGreaterThan(2);
});
