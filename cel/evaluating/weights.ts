// What a call takes beyond its node's own step, in steps of some 12 ns, where that is much: measured
// with the slowest arguments there are. `perUnit` counts UTF-16 units of the first argument.
interface Weight {
  readonly perCall: number;
  readonly perUnit: number;
}

const of = (perCall: number, perUnit = 0): Weight => ({ perCall, perUnit });

const WEIGHTS: ReadonlyMap<string, Weight> = new Map([
  ["string_to_quantity", of(80)],
  ["is_quantity_string", of(80)],
  ["quantity_add", of(30)],
  ["quantity_add_int", of(30)],
  ["quantity_sub", of(30)],
  ["quantity_sub_int", of(30)],
  ["quantity_get_float", of(60)],
  ["string_to_semver", of(100)],
  ["string_bool_to_semver", of(150)],
  ["is_semver_string", of(100)],
  ["is_semver_string_bool", of(150)],
  ["string_to_url", of(300, 20)],
  ["is_url_string", of(150, 10)],
  ["url_get_query", of(50, 20)],
  ["format-validate", of(100, 1)],
  ["string_to_ip", of(150, 1)],
  ["is_ip", of(150, 1)],
  ["ip_is_canonical", of(250, 1)],
  ["ip_to_string", of(150)],
  ["string_to_cidr", of(200, 1)],
  ["is_cidr", of(200, 1)],
  ["cidr_to_string", of(150)],
  ["cidr_contains_ip_string", of(200)],
  ["cidr_contains_cidr_string", of(250)],
  ["cidr_contains_ip_ip", of(30)],
  ["cidr_contains_cidr", of(30)],
  ["cidr_masked", of(30)],
  ["string_to_timestamp", of(100)],
  ["timestamp_to_string", of(80)],
  ["string_to_duration", of(80)],
  ["duration_to_string", of(60)],
  ["double_to_string", of(40)],
  ["int64_to_string", of(10)],
  ["string_to_double", of(20)],
  ["string_to_int64", of(20)],
  ["string_to_uint64", of(20)],
  ["string_to_bytes", of(20)],
  ["bytes_to_string", of(40)],
  ["string_lower_ascii", of(10)],
  ["string_upper_ascii", of(10)],
  ["string_trim", of(10)],
  ["strings_quote", of(20, 1)],
  ["string_format", of(60, 1)],
  ["add_bytes", of(60, 1)],
  ["matches", of(20)],
  ["matches_string", of(20)],
  ["string_find_string", of(60)],
  ["string_find_all_string", of(60)],
  ["string_find_all_string_int", of(60)],
]);
const NONE = of(0);
// Dates are computed, and clocks of named zones asked for.
const DATE = of(60);
const ZONED_DATE = of(900);

/** The weight of an overload. */
export function weightOf(overload: string): Weight {
  if (/^timestamp_to_.+_tz$/.test(overload)) return ZONED_DATE;
  if (/^timestamp_to_(year|month|day|hours|minutes|seconds|millis)/.test(overload)) return DATE;
  return WEIGHTS.get(overload) ?? NONE;
}

/** The steps of a call with its first argument. */
export function stepsOf({ perCall, perUnit }: Weight, first: unknown): number {
  return perUnit > 0 && typeof first === "string" ? perCall + perUnit * first.length : perCall;
}
