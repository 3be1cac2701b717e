import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CelType, DYN, INT, listOf, STRING } from "./checking/type.ts";
import { KeyedList, PreservedValue, SetList } from "./list-values.ts";
import { type Judged, judge, RuleBudget, RuleCompiler, type RuleText, ruleOf } from "./rules.ts";
import { UnreadableValue } from "./values.ts";

const compiler = new RuleCompiler();
const BUDGET = 10_000_000;

function text(rule: string, more: Partial<RuleText> = {}): RuleText {
  const none = { message: "", messageExpression: "", fieldPath: "" };
  return { rule, ...none, reason: undefined, optionalOldSelf: undefined, ...more };
}

function compile(rule: string, more: Partial<RuleText> = {}, self: CelType = DYN) {
  return compiler.compileText(text(rule, more), self);
}

function ruleFrom(rule: string, more: Partial<RuleText> = {}, self: CelType = DYN) {
  const compiled = ruleOf(text(rule, more), compile(rule, more, self));
  if (compiled === undefined) throw new Error(`does not compile: ${rule}`);
  return compiled;
}

function verdict(expression: string, self: unknown, message = "") {
  const judged: Judged = { self, oldSelf: undefined, hasOldSelf: false };
  return judge(ruleFrom(expression, { message }), judged, new RuleBudget(BUDGET));
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
      Array.from({ length: 40 }, () => 1),
      "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: why",
    ],
  ])("fails in the API server's words: %s", (expression, self, detail) => {
    const value = self instanceof UnreadableValue ? self : cel(self);
    expect(verdict(expression, value, "why")).toMatchObject({ state: "failed", detail });
  });

  it("does not see past a value that can't be read, unless it need not look", () => {
    const self = new Map<string, unknown>([["x", new UnreadableValue("no")]]);
    for (const rule of ["has(self.x)", "'x' in self", "self.?x.hasValue()", "self == self"]) {
      expect(verdict(rule, self)).toMatchObject({
        state: "failed",
        detail: `no evaluating rule: ${rule}`,
      });
    }
    expect(verdict("has(self.x) || true", self)).toEqual({ state: "holds" });
    expect(verdict("!has(self.y)", self)).toEqual({ state: "holds" });
  });
});

describe("a rule about a change", () => {
  const judged = (rule: string, oldSelf: unknown, more: Partial<RuleText> = {}) =>
    judge(
      ruleFrom(rule, more, INT),
      { self: 2n, oldSelf, hasOldSelf: true },
      new RuleBudget(BUDGET),
    );

  it("reads the old value, or an optional of it", () => {
    expect(judged("self > oldSelf", 1n)).toEqual({ state: "holds" });
    expect(judged("self > oldSelf", 2n).state).toBe("violated");
    const optional = { optionalOldSelf: true };
    expect(judged("self > oldSelf.value()", 1n, optional)).toEqual({ state: "holds" });
    expect(judged("!oldSelf.hasValue()", undefined, optional)).toEqual({ state: "holds" });
  });

  it("fails where the old value is there and can't be read", () => {
    const optional = { optionalOldSelf: true };
    for (const rule of ["oldSelf.orValue(0) < self", "oldSelf.value() < self"]) {
      expect(judged(rule, new UnreadableValue("no"), optional)).toMatchObject({
        state: "failed",
        detail: `no evaluating rule: ${rule}`,
      });
    }
    expect(judged("oldSelf.hasValue()", new UnreadableValue("no"), optional)).toEqual({
      state: "holds",
    });
  });

  it("is told from one about the value alone", () => {
    expect(compile("oldSelf == self", {}, INT).usesOldSelf).toBe(true);
    expect(compile("self == 1", {}, INT).usesOldSelf).toBe(false);
    expect(compile("self == 1", { messageExpression: "string(oldSelf)" }, INT).usesOldSelf).toBe(
      false,
    );
  });
});

describe("a messageExpression", () => {
  const detail = (messageExpression: string, self: unknown = "x", message = "plain") => {
    const rule = ruleFrom("false", { message, messageExpression }, STRING);
    const judged = { self, oldSelf: undefined, hasOldSelf: false };
    return judge(rule, judged, new RuleBudget(BUDGET));
  };

  it("writes the message, trimmed", () => {
    expect(detail("' got ' + self + ' '")).toEqual({ state: "violated", detail: "got x" });
  });

  it.each([
    ["fails", "self.split(',')[3]", "x"],
    ["is empty", "' '", "x"],
    ["has line breaks", "'a\\nb'", "x"],
    ["is too long", "self", "a".repeat(5121)],
    ["is not there", "", "x"],
  ])("gives way to the message when it %s", (_, expression, self) => {
    expect(detail(expression, self)).toEqual({ state: "violated", detail: "plain" });
  });

  it("may be as long as the API server lets it", () => {
    const long = "a".repeat(5120);
    expect(detail("self", long)).toEqual({ state: "violated", detail: long });
  });

  it("must give a string", () => {
    const { rule, message } = compile("true", { messageExpression: "1" });
    expect(rule?.ok).toBe(true);
    expect(message).toMatchObject({
      ok: false,
      message: "messageExpression must evaluate to a string",
    });
  });
});

describe("values without a schema", () => {
  const equal = (left: Map<string, unknown>, right: Map<string, unknown>) =>
    verdict("self[0] == self[1]", [left, right]).state === "holds";
  const open = (json: string) => new PreservedValue(() => json, false);
  const declared = (json: string) => new PreservedValue(() => json, true);

  it("are the same when their JSON is", () => {
    expect(equal(new Map([["a", declared("1")]]), new Map([["a", declared("1")]]))).toBe(true);
    expect(equal(new Map([["a", declared("1")]]), new Map([["a", declared("2")]]))).toBe(false);
    expect(equal(new Map([["a", open("1")]]), new Map([["a", open("2")]]))).toBe(false);
  });

  it("may be missing on the right where no schema declares them, as in the API server", () => {
    expect(equal(new Map([["a", open("1")]]), new Map([["b", 1n]]))).toBe(true);
    expect(equal(new Map([["a", declared("1")]]), new Map([["b", 1n]]))).toBe(false);
  });
});

describe("lists of type set and map", () => {
  const holds = (rule: string, ...lists: readonly unknown[]) =>
    verdict(rule, lists).state === "holds";
  const keyed = (...names: readonly string[]) =>
    KeyedList.withKeys(
      names.map(
        (name) =>
          new Map([
            ["k", name[0]],
            ["v", name],
          ]),
      ),
      ["k"],
    );

  it("are equal in any order", () => {
    const [ab, ba] = [SetList.holding(["a", "b"]), SetList.holding(["b", "a"])];
    expect(holds("self[0] == self[1]", ab, ba)).toBe(true);
    expect(holds("self[0] == self[1]", ["a", "b"], ["b", "a"])).toBe(false);
    expect(holds("self[0] == self[1]", keyed("a1", "b1"), keyed("b1", "a1"))).toBe(true);
    expect(holds("self[0] == self[1]", keyed("a1", "b1"), keyed("b1", "a2"))).toBe(false);
  });

  it("add what they do not have", () => {
    const [ab, bc] = [SetList.holding(["a", "b"]), SetList.holding(["b", "c"])];
    expect(holds("self[0] + self[1] == ['c', 'b', 'a']", ab, bc)).toBe(true);
    expect(holds("(self[0] + self[1]).size() == 2", keyed("a1", "b1"), keyed("a2"))).toBe(true);
    expect(holds("(self[0] + self[1])[0].v == 'a2'", keyed("a1", "b1"), keyed("a2"))).toBe(true);
  });

  it("give plain lists when something is made of them", () => {
    const set = SetList.holding(["a", "b"]);
    expect(holds("self[0].map(x, x) == ['b', 'a']", set)).toBe(false);
    expect(holds("self[0].filter(x, true) == ['a', 'b']", set)).toBe(true);
  });
});

describe("the budget", () => {
  it("ends the judging of an object when a rule takes more than is left", () => {
    const rule = ruleFrom("self.all(x, x > 0)", {}, listOf(INT));
    const judged = { self: [1n, 2n, 3n], oldSelf: undefined, hasOldSelf: false };
    const budget = new RuleBudget(20);
    expect(judge(rule, judged, budget)).toEqual({ state: "holds" });
    expect(judge(rule, judged, budget)).toEqual({
      state: "failed",
      stopped: true,
      isMessage: false,
      detail:
        "validation failed due to running out of cost budget, no further validation rules will be run",
    });
  });

  it("counts messages, too", () => {
    const rule = ruleFrom("false", { messageExpression: "self + self + self" }, STRING);
    const judged = { self: "a".repeat(100), oldSelf: undefined, hasOldSelf: false };
    expect(judge(rule, judged, new RuleBudget(20))).toMatchObject({
      state: "failed",
      stopped: true,
      isMessage: true,
    });
  });
});

describe("compiling", () => {
  it.each([
    ["self.", /Syntax error/],
    ["'text'", /^cel expression must evaluate to a bool$/],
    ["self", /^cel expression must evaluate to a bool$/],
    ["self.matches('a{1001}')", /invalid matches argument/],
    ["cel.bind(a, 1, a == 1)", /undeclared reference to 'cel'/],
    ["has(self)", /<input>:1:5: .*invalid argument to has/],
    ["older == self", /undeclared reference to 'older'/],
    ["self.foo()", /<input>:1:9: undeclared reference to 'foo'/],
    ["[1, 'a'] == self", /<input>:1:5: expected type 'int' but found 'string'/],
    ["self == 9223372036854775808", /invalid int literal/],
    ["self ==\n  1.foo", /<input>:2:4/],
  ])("refuses %s", (expression, message) => {
    expect(compile(expression).rule).toMatchObject({
      ok: false,
      message: expect.stringMatching(message),
    });
  });

  it.each([
    [
      "self.x == 1",
      { kind: "object", name: "self", fields: new Map([["y", INT]]) },
      /undefined field 'x'/,
    ],
    ["self == 'a'", INT, /found no matching overload for '_==_' applied to '\(int, string\)'/],
    ["self.all(x, x == 1)", listOf(STRING), /applied to '\(string, int\)'/],
  ] as const)("refuses %s against its type", (expression, self, message) => {
    expect(compile(expression, {}, self as CelType).rule).toMatchObject({
      ok: false,
      message: expect.stringMatching(message),
    });
  });

  it("knows the rule that is empty from one that is broken", () => {
    expect(compile(" \n").rule).toBeUndefined();
  });

  it("never throws", () => {
    const words = "self . has( ) 'a' [ ] == && ! 1 { } : ? matches( \\ .? oldSelf".split(" ");
    const fragments = fc.constantFrom(...words, "all(x, ", " ", "\n");
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 12 }), (parts) => {
        const rule = parts.join("");
        const compiled = ruleOf(text(rule), compile(rule));
        if (compiled === undefined) return;
        const judged = { self: cel({ a: [1] }), oldSelf: undefined, hasOldSelf: true };
        judge(compiled, judged, new RuleBudget(BUDGET));
      }),
      { numRuns: 2000 },
    );
  });
});
