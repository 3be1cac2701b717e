import type { Budget } from "../budget.ts";
import type { Pattern, PatternCache } from "../pattern.ts";
import { CelFailure, type Overload } from "./overload.ts";

const MAX_FOUND = 10_000;

/**
 * Regular expressions with RE2's syntax and its linear time; what a match may cost is taken off the
 * budget before it runs.
 */
export function regex(patterns: PatternCache, budget: Budget): readonly Overload[] {
  const compiled = (source: string, text: string): Pattern => {
    const result = patterns.compile(source);
    if (!result.ok) throw new CelFailure(result.error);
    budget.spend((text.length * result.pattern.size) / 64);
    return result.pattern;
  };
  // Finding where a match lies takes several times as long as finding that there is one.
  const found = (text: string, source: string, limit: number): readonly string[] => {
    const pattern = compiled(source, text);
    budget.spend(text.length * 16);
    return pattern.findAll(text, limit);
  };
  const findAll = (text: string, source: string, limit: bigint): readonly string[] =>
    found(text, source, limit < 0n ? MAX_FOUND : Math.min(Number(limit), MAX_FOUND));
  // biome-ignore format: a table
  return [
    ["string.matches(string): bool",              (text: string, source: string) => compiled(source, text).test(text)],
    ["matches(string, string): bool",             (text: string, source: string) => compiled(source, text).test(text)],
    ["string.find(string): string",               (text: string, source: string) => found(text, source, 1)[0] ?? ""],
    ["string.findAll(string): list<string>",      (text: string, source: string) => findAll(text, source, -1n)],
    ["string.findAll(string, int): list<string>", findAll],
  ];
}
