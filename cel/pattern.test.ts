import { describe, expect, it } from "vitest";
import { PatternCache } from "./pattern.ts";

const patterns = new PatternCache(2);

function test(source: string, text: string): boolean {
  const compiled = patterns.compile(source);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.pattern.test(text);
}

describe("PatternCache", () => {
  it.each([
    ["^a+$", "aaa", true],
    ["b", "abc", true],
    ["^[[:alpha:]]\\pL$", "aé", true],
    ["^.$", "😀", true],
    ["(?i)ABC", "xabc", true],
    ["\\Aa\\z", "a", true],
    ["a$", "a\n", false],
  ])("matches as RE2 does: %s", (source, text, matches) => {
    expect(test(source, text)).toBe(matches);
  });

  it.each(["(?=a)", "(a)\\1", "a{1001}", "[", "x*+", "((a{100}){100}){100}", "a".repeat(4097)])(
    "refuses what RE2 refuses: %.20s",
    (source) => {
      expect(patterns.compile(source).ok).toBe(false);
    },
  );

  it("finds occurrences up to a limit", () => {
    const compiled = patterns.compile("[a-z]");
    expect(compiled.ok && compiled.pattern.findAll("aBcd", 2)).toEqual(["a", "c"]);
  });

  it("takes linear time on text that makes others backtrack", () => {
    expect(test("^(a+)+$", `${"a".repeat(100_000)}!`)).toBe(false);
    expect(test("(x+x+)+y", "x".repeat(100_000))).toBe(false);
  });

  it("forgets the oldest pattern, never the answer", () => {
    const first = patterns.compile("first");
    expect(patterns.compile("first")).toBe(first);
    patterns.compile("second");
    patterns.compile("third");
    expect(patterns.compile("first")).not.toBe(first);
    expect(test("first", "the first one")).toBe(true);
  });
});
