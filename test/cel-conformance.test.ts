import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judgeSpecTest, specTests } from "./cel/conformance.ts";

// The tests of the CEL specification (cel-spec v0.25.1, from @bufbuild/cel-spec), in an environment
// with all that any of Kubernetes' has. What fails is listed with its reason; the list is as long as
// it must be and no longer.
const json = (name: string) =>
  JSON.parse(readFileSync(new URL(`cel/${name}`, import.meta.url), "utf8"));
const known = json("known-failures.json") as Readonly<Record<string, readonly string[]>>;
/** What Kubernetes 1.37.2 itself answers where the specification wants something else. */
const recorded = json("spec-differences.json") as Readonly<Record<string, { value?: unknown }>>;

const SAME_AS_KUBERNETES = "Kubernetes 1.37 answers as we do";

const tests = specTests();
const outcomes = new Map(tests.map((one) => [one.name, judgeSpecTest(one)]));
const named = (outcome: string) =>
  [...outcomes].filter(([, one]) => one.outcome === outcome).map(([name]) => name);

describe("the tests of the CEL specification", () => {
  it("are all looked at, each under a name of its own", () => {
    expect(tests.length).toBe(2344);
    expect(outcomes.size).toBe(tests.length);
    expect(named("passed").length).toBeGreaterThan(1250);
    expect(named("outside").length).toBeLessThan(750);
  });

  it("fail where it is known, and only there", () => {
    const failing = [...named("failed"), ...named("differs")].sort();
    expect(failing).toEqual(Object.values(known).flat().sort());
  });

  it("give no other value than Kubernetes gives itself", () => {
    const differing = named("differs").sort();
    expect(differing).toEqual([...(known[SAME_AS_KUBERNETES] ?? [])].sort());
    expect(differing).toEqual(Object.keys(recorded).sort());
    for (const name of differing) {
      expect([name, outcomes.get(name)?.value]).toEqual([name, recorded[name]?.value]);
    }
  });
});
