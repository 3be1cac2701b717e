import type { Meter } from "../evaluating/meter.ts";
import { compilationSteps, type Pattern, type PatternCache } from "../pattern.ts";
import { CelFailure, type Overload } from "./overload.ts";

// Some 7 ms.
const BEARABLE = 500_000;

/**
 * Regular expressions with RE2's syntax and its linear time; what a match may take is spent before it
 * runs.
 */
export function regex(patterns: PatternCache, meter: Meter): readonly Overload[] {
  const compiled = (source: string): Pattern => {
    if (!patterns.has(source)) meter.spend(compilationSteps(source));
    const result = patterns.compile(source);
    if (!result.ok) throw new CelFailure(result.error);
    return result.pattern;
  };
  const matches = (text: string, source: string) => {
    const pattern = compiled(source);
    // Where the worst can be borne, it is only paid for if it comes to that.
    const worst = text.length * pattern.stepsPerUnit;
    const isBearable = worst <= BEARABLE;
    meter.spend(isBearable ? text.length : worst);
    const before = pattern.progress();
    const found = pattern.test(text);
    if (isBearable && (before === undefined || pattern.progress() !== before)) meter.spend(worst);
    return found;
  };
  // Finding where a match lies takes several times as long as finding that there is one.
  const findAll = (text: string, source: string, limit: bigint): readonly string[] => {
    const pattern = compiled(source);
    meter.spend(text.length * (20 + pattern.size / 2));
    return limit === 0n ? [] : pattern.findAll(text, limit < 0n ? undefined : Number(limit));
  };
  // biome-ignore format: a table
  return [
    ["matches",                    "matches(string, string): bool",              matches],
    ["matches_string",             "string->matches(string): bool",              matches],
    ["string_find_string",         "string->find(string): string",               (text: string, source: string) => findAll(text, source, 1n)[0] ?? ""],
    ["string_find_all_string",     "string->findAll(string): list<string>",      (text: string, source: string) => findAll(text, source, -1n)],
    ["string_find_all_string_int", "string->findAll(string, int): list<string>", findAll],
  ];
}
