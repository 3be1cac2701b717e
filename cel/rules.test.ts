import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judge, RuleCompiler } from "./rules.ts";
import { UnreadableValue } from "./values.ts";

const compiler = new RuleCompiler();

function verdict(expression: string, self: unknown, message?: string) {
  const compiled = compiler.compile(expression, message);
  if (!compiled.ok) throw new Error(compiled.message);
  return judge(compiled.rule, self);
}

/** Plain data as CEL sees it: objects as Map, integers as bigint. */
function cel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cel);
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  if (typeof value !== "object" || value === null) return value;
  return new Map(
    Object.keys(value).map((key) => [key, cel((value as Record<string, unknown>)[key])]),
  );
}

describe("a rule", () => {
  it.each([
    ["self.x == 1", { x: 1 }],
    ["has(self.x) && !has(self.y)", { x: null }],
    ["self.?a.?b.orValue(8000) == 8000", { a: {} }],
    ["self.a.?b.hasValue() == false", { a: {} }],
    ["type(self.p) == string || self.p >= 1", { p: "http" }],
    ["type(self.p) == string || self.p >= 1", { p: 80 }],
    ["self.m.all(k, k in ['cpu', 'memory'])", { m: { cpu: 1 } }],
    [
      "self.m.all(k, self.m[k].matches('^a+$'))",
      { m: { constructor: "a", toString: "aa", length: "a" } },
    ],
    ["self.l.exists_one(e, e.n == 'x')", { l: [{ n: "x" }, { n: "y" }] }],
    ["self.l.filter(e, e > 1).size() == 2", { l: [1, 2, 3] }],
    ["self.s.size() == 1", { s: "😀" }],
    ["self.s.split('/')[0] == 'a'", { s: "a/b" }],
    ["'x' in self.l && !('y' in self.l)", { l: ["x"] }],
    ["self.l.exists(e, e.n == 'x')", { l: [{}, { n: "x" }] }],
  ])("holds: %s", (expression, self) => {
    expect(verdict(expression, cel(self))).toEqual({ state: "holds" });
  });

  it("is violated with its message, or else with its text", () => {
    expect(verdict("self == 1", 2n, " trimmed\n")).toEqual({
      state: "violated",
      detail: "trimmed",
    });
    expect(verdict(" self == 1 ", 2n)).toEqual({
      state: "violated",
      detail: "failed rule: self == 1",
    });
  });

  it.each([
    ["self.a == 1", {}, "no such key: a evaluating rule: why"],
    ["self[3] == 1", [], "index out of bounds: 3 evaluating rule: why"],
    ["1 / self == 1", 0, "division by zero evaluating rule: why"],
    ["1 % self == 1", 0, "modulus by zero evaluating rule: why"],
    ["self + 9223372036854775807 > 0", 1, "integer overflow evaluating rule: why"],
    ["-(self) > 0", new UnreadableValue("can't be read"), "can't be read evaluating rule: why"],
    [
      "self > 'a'",
      1,
      "'no such overload': call arguments did not match a supported operator, function or macro signature for rule: why",
    ],
    [
      "self.all(a, self.all(b, self.all(c, self.all(d, true))))",
      Array.from({ length: 60 }, () => 1),
      "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: why",
    ],
  ])("fails in the API server's words: %s", (expression, self, detail) => {
    const value = self instanceof UnreadableValue ? self : cel(self);
    expect(verdict(expression, value, "why")).toMatchObject({ state: "failed", detail });
  });

  it("sees that an unreadable value is there", () => {
    const self = new Map([["x", new UnreadableValue("no")]]);
    expect(verdict("has(self.x)", self)).toEqual({ state: "holds" });
    expect(verdict("has(self.x) || self.x == 1", self)).toEqual({ state: "holds" });
    expect(verdict("self.x == 1 || true", self)).toEqual({ state: "holds" });
  });
});

describe("compiling", () => {
  it.each([
    ["self.", /./, 5],
    ["'text'", /must evaluate to bool, not string/, 0],
    ["self == {'constructor': 1}", /map key/, 8],
    ["self.matches('a{1001}')", /invalid repeat count/, 13],
    ["cel.bind(a, 1, a == 1)", /undeclared reference to 'cel.bind'/, 0],
    ["has(self)", /invalid argument to has/, 0],
    ["oldSelf == self", /Unknown variable: oldSelf/, 0],
    ["self.foo()", /undeclared reference to 'foo'/, 0],
    ["self._matches('a')", /undeclared reference to '_matches'/, 0],
    ["[1, 'a'] == self", /same type/, 4],
    ["self == 9223372036854775808", /invalid int literal/, 8],
  ])("refuses %s", (expression, message, position) => {
    expect(compiler.compile(expression, undefined)).toMatchObject({
      ok: false,
      message: expect.stringMatching(message),
      position,
    });
  });

  it("never throws", () => {
    const fragments = fc.constantFrom(
      "self",
      ".",
      "has(",
      ")",
      "'a'",
      "[",
      "]",
      "all(x, ",
      "==",
      "&&",
      "!",
      "1",
      "{",
      "}",
      ":",
      "?",
      " ",
      "matches(",
      "\\",
      "\n",
      ".?",
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 12 }), (parts) => {
        const compiled = compiler.compile(parts.join(""), undefined);
        if (compiled.ok) judge(compiled.rule, cel({ a: [1] }));
      }),
      { numRuns: 2000 },
    );
  });
});
