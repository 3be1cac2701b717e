import { expect, it } from "vitest";
import { readDuration } from "./cel-times.ts";

it.each([
  ["1h30m", 5_400_000_000_000n],
  ["-9223372036854775808ns", -(2n ** 63n)],
  ["9223372036854775807.ns", 2n ** 63n - 1n],
  ["3 weeks and 2 days", 1_987_200_000_000_000n],
  ["9223372036854775808 days", undefined],
  ["1 x", undefined],
  ["", undefined],
])("reads the duration %j", (text, nanos) => {
  expect(readDuration(text)?.nanos).toBe(nanos);
});
