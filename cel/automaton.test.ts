import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { type CompiledProgram, isSmallAutomaton } from "./automaton.ts";

// These look into re2js, which its types don't promise: a new version has to pass here before
// anything else is believed.
interface Engine {
  readonly prog: CompiledProgram;
  readonly lazyDFA?: { readonly failed: boolean; readonly stateCount: number } | null;
}
const engineOf = (source: string) => {
  const compiled = RE2JS.compile(source);
  return { compiled, engine: () => compiled.re2() as unknown as Engine };
};

describe("isSmallAutomaton", () => {
  it.each([
    ["^(a+)+$", true],
    ["(a|aa)*b", true],
    ["(?i)h[12]00", true],
    ["^[[:alpha:]]\\pL$", true],
    ["[ab]*a[ab]{6}$", true],
    ["[ab]*a[ab]{20}$", false],
    ["(.{1,50}a){1,10}[^ab]$", false],
  ])("%s: %s", (source, small) => {
    expect(isSmallAutomaton(engineOf(source).engine().prog)).toBe(small);
  });
});

describe("re2js", () => {
  it("keeps count of the states that it had to make", () => {
    const { compiled, engine } = engineOf("[ab]*a[ab]{20}$");
    expect(engine().lazyDFA ?? undefined).toBeUndefined();
    compiled.test("ab".repeat(50));
    const before = engine().lazyDFA?.stateCount ?? 0;
    expect(before).toBeGreaterThan(0);
    compiled.test("ab".repeat(50));
    expect(engine().lazyDFA?.stateCount).toBe(before);
    compiled.test("aab".repeat(50));
    expect(engine().lazyDFA?.stateCount).toBeGreaterThan(before);
    expect(engine().lazyDFA?.failed).toBe(false);
  });
});
