import fc from "fast-check";
import { expect, test } from "vitest";
import { after, formatInstant, type Instant, parseInstant } from "./instant.ts";

test.each([
  ["1970-01-01T00:00:00Z", 0],
  ["2026-12-01T04:01:45Z", 1_796_097_705_000],
  ["2024-02-29T23:59:59.123456Z", 1_709_251_199_123],
  ["2026-12-01T06:01:45+02:00", 1_796_097_705_000],
  ["2026-11-30T23:31:45-04:30", 1_796_097_705_000],
])("%s is %d", (text, milliseconds) => {
  expect(parseInstant(text)).toBe(milliseconds);
});

test.each(["", "2026-12-01", "2026-12-01 04:01:45Z", "2026-12-01T04:01:45", "yesterday"])(
  "%j is no time",
  (text) => {
    expect(parseInstant(text)).toBeUndefined();
  },
);

test("what is written reads back to the second, as the platform's own clock reads it", () => {
  const instants = fc.integer({ min: 0, max: 253_402_300_799_999 });
  fc.assert(
    fc.property(instants, (milliseconds) => {
      const at = milliseconds as Instant;
      const text = formatInstant(at);
      expect(text).toBe(`${new Date(at).toISOString().slice(0, 19)}Z`);
      expect(parseInstant(text)).toBe(at - (at % 1000));
      expect(after(at, 1500) - at).toBe(1500);
    }),
    { seed: 20261201 },
  );
});
