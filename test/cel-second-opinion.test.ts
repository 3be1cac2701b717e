import { isCelError, run } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CelType, INT, listOf, mapOf, STRING } from "../cel/checking/type.ts";
import { CelEnvironment } from "../cel/environment.ts";
import { typedValue } from "./cel/typed-value.ts";

// Another engine, which shares no code with ours, judges random expressions that both can express. It
// counts UTF-16 units where Kubernetes counts code points, so texts keep to characters of one unit.
const environment = new CelEnvironment({
  maxLength: 16_384,
  bind: false,
  includes: false,
  costLimit: 1_000_000,
});
const TYPES: ReadonlyMap<string, CelType> = new Map([
  ["i", INT],
  ["s", STRING],
  ["l", listOf(INT)],
  ["m", mapOf(STRING, INT)],
]);

const { int, text, truth } = fc.letrec<{ int: string; text: string; truth: string; list: string }>(
  (tie) => {
    const pair = (of: "int" | "text" | "truth", operators: readonly string[]) =>
      fc
        .tuple(tie(of), fc.constantFrom(...operators), tie(of))
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`);
    const call = (template: (...parts: string[]) => string, ...parts: fc.Arbitrary<string>[]) =>
      fc.tuple(...parts).map((given) => template(...(given as string[])));
    return {
      int: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom("i", "0", "1", "-3", "9223372036854775807", "l[0]", "m['a']", "m.zz"),
        pair("int", ["+", "-", "*", "/", "%"]),
        call((one) => `size(${one})`, tie("text")),
        call((one) => `${one}.size()`, tie("list")),
        call((a, b, c) => `(${a} ? ${b} : ${c})`, tie("truth"), tie("int"), tie("int")),
        call((a, b) => `${a}.indexOf(${b})`, tie("text"), tie("text")),
        call((a) => `int(string(${a}))`, tie("int")),
      ),
      text: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom("s", "''", "'a'", "'aXb'", "'éü'", "string(i)"),
        pair("text", ["+"]),
        call((a, b) => `${a}.substring(${b})`, tie("text"), tie("int")),
        call((a) => `${a}.lowerAscii()`, tie("text")),
        // An empty part is found in an empty text by Kubernetes, and not by them.
        call((a, b) => `${a}.replace('a', ${b})`, tie("text"), tie("text")),
        call((a, b) => `${a}.charAt(${b})`, tie("text"), tie("int")),
        call((a, b) => `${a}.split(${b}).join('-')`, tie("text"), tie("text")),
      ),
      truth: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom("true", "false", "has(m.a)", "has(m.zz)", "(i in l)", "('a' in m)"),
        pair("truth", ["&&", "||", "=="]),
        pair("int", ["<", "<=", ">", ">=", "==", "!="]),
        pair("text", ["<", "==", "!="]),
        call((a) => `!${a}`, tie("truth")),
        call((a, b) => `${a}.all(x, x < ${b})`, tie("list"), tie("int")),
        call((a, b) => `${a}.exists(x, x / ${b} == 1)`, tie("list"), tie("int")),
        call((a, b) => `${a}.exists_one(x, x == ${b})`, tie("list"), tie("int")),
        call((a, b) => `${a}.contains(${b})`, tie("text"), tie("text")),
        call((a) => `m.all(k, k.startsWith(${a}))`, tie("text")),
      ),
      list: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom("l", "[1, 2, 3]", "(l + [i])"),
        call((a, b) => `${a}.map(x, x + ${b})`, tie("list"), tie("int")),
        call((a, b) => `${a}.filter(x, x > ${b})`, tie("list"), tie("int")),
      ),
    };
  },
);

describe("@bufbuild/cel", () => {
  it("comes to what we come to, for random expressions and values", () => {
    const outcomes = { value: 0, error: 0 };
    fc.assert(
      fc.property(
        fc.oneof(int, text, truth),
        fc.record({
          i: fc.constantFrom(0n, 1n, -1n, 7n, 2n ** 63n - 1n, -(2n ** 63n)),
          s: fc.constantFrom("", "a", "hello", "éüx"),
          l: fc.array(fc.constantFrom(0n, 1n, 5n, -2n), { maxLength: 4 }),
          m: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom(1n, 2n)),
        }),
        (expression, { i, s, l, m }) => {
          const compiled = environment.compile(expression, { variables: TYPES, result: anything });
          if (!compiled.ok) throw new Error(`${expression}: ${compiled.message}`);
          const entries = new Map(Object.entries(m));
          const ours = compiled.program.evaluate(
            new Map<string, unknown>([
              ["i", i],
              ["s", s],
              ["l", l],
              ["m", entries],
            ]),
          );
          const theirs = run(expression, { i, s, l, m: entries }, { funcs: strings });
          if (isCelError(theirs)) {
            outcomes.error += 1;
            expect([expression, ours.ok]).toEqual([expression, false]);
          } else {
            outcomes.value += 1;
            expect([expression, ours.ok && typedValue(ours.value)]).toEqual([
              expression,
              typedValue(theirs),
            ]);
          }
        },
      ),
      { numRuns: 3000, seed: 20_261_134 },
    );
    expect(outcomes.value).toBeGreaterThan(1000);
    expect(outcomes.error).toBeGreaterThan(200);
  });
});

const anything: CelType = { kind: "dyn" };
