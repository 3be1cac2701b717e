import { describe, expect, it } from "vitest";
import { type CelType, DYN } from "../cel/checking/type.ts";
import { CelEnvironment } from "../cel/environment.ts";
import type { Evaluation } from "../cel/program.ts";

// No expression or pattern that a user writes holds the event loop: each step stands for some 12 ns at
// most, and 2,000,000 are all that an evaluation may take. What is counted is what is tested; time is
// measured elsewhere.
const STEPS = 2_000_000;

const environment = new CelEnvironment({
  maxLength: 200_000,
  bind: true,
  includes: true,
  costLimit: Number.MAX_SAFE_INTEGER,
});

function evaluate(expression: string, variables: ReadonlyMap<string, unknown>): Evaluation {
  const types = new Map([...variables.keys()].map((name): [string, CelType] => [name, DYN]));
  const compiled = environment.compile(expression, { variables: types, result: DYN });
  if (!compiled.ok) throw new Error(`${expression}: ${compiled.message}`);
  return compiled.program.evaluate(variables);
}

const ofSize = (size: number) =>
  new Map<string, unknown>([
    ["big", "a".repeat(size)],
    ["part", `b${"a".repeat(size / 2)}`],
    ["emoji", "😀".repeat(size / 2)],
    ["list", Array.from({ length: size / 100 }, (_, index) => BigInt(index))],
    ["texts", Array.from({ length: size / 100 }, (_, index) => `t${index}`)],
  ]);

const doubling = (times: number) => {
  let expression = "a.size()";
  for (let turn = 0; turn < times; turn += 1) expression = `cel.bind(a, a + a, ${expression})`;
  return `cel.bind(a, 'abcdefgh', ${expression})`;
};

const MANY = "lists.range(300)";

// What grows beyond all bounds when nobody stops it.
const ENDLESS = [
  `${MANY}.all(a, ${MANY}.all(b, ${MANY}.all(c, a + b + c >= 0)))`,
  `${MANY}.exists(a, ${MANY}.exists(b, ${MANY}.exists(c, 1 / 0 == a)))`,
  `${MANY}.map(a, ${MANY}.map(b, ${MANY}.map(c, [a, b, c]))).size()`,
  `${MANY}.transformMap(i, a, ${MANY}.transformMap(j, b, ${MANY}.map(c, c))).size()`,
  `${MANY}.all(a, ${MANY}.all(b, ${MANY}.all(c, true))) || true`,
  doubling(40),
  "list.map(x, list.filter(y, y == x)).size()",
  "texts.sortBy(x, texts.sortBy(y, y + x)[0]).size()",
  "sets.equivalent(texts, texts.reverse())",
  "list.distinct().size()",
  "big.split('').size()",
  "big.replace('', 'xxxxxxxxxxxxxxxxxxx').size()",
  "big.replace('a', 'bb').size()",
  "big.find('(a|aa)*b')",
  "big.findAll('a').size()",
  "big.matches('[ab]*a[ab]{20}$')",
  "big.lastIndexOf('b')",
  "big.contains(part)",
  "big.split(part).size()",
  "emoji.charAt(5)",
  "emoji.substring(1, 5) == ''",
  "'%s'.format([texts.map(t, texts)])",
  "texts.map(t, timestamp('2020-01-01T00:00:00Z').getHours('America/New_York'))",
  "texts.map(t, quantity('1Gi').add(quantity('2Mi')))",
  "texts.map(t, url('https://a.b/' + t).getQuery())",
  "texts.map(t, t.matches('\\\\pL{1,20}' + t))",
  "texts.map(t, bytes(t) + bytes(t))",
  "url('http://' + big).getHost()",
  "strings.quote(big).size()",
  "ip(big)",
];

describe("an expression without end", () => {
  it.each(ENDLESS)("is stopped: %.70s", (expression) => {
    const { steps, ...outcome } = evaluate(expression, ofSize(10_000_000));
    expect(outcome).toMatchObject({ ok: false });
    if (!outcome.ok && outcome.stopped) {
      expect(outcome).toMatchObject({ unjudged: true, message: expect.stringContaining("steps") });
    } else expect(steps).toBeLessThanOrEqual(STEPS);
  });
});

// What takes longer the more it looks at, and must be paid for like that.
const LINEAR = [
  "big.matches('^(a+)+$')",
  "big.matches('(x+x+)+y')",
  "big.lowerAscii().size()",
  "big.upperAscii().size()",
  "big.trim().size()",
  "big.indexOf('b')",
  "big.size()",
  "emoji.size()",
  "big == big + ''",
  "big.startsWith(part)",
  "bytes(big).size()",
  "list.map(x, x + 1).size()",
  "list.filter(x, x > 5).size()",
  "list.sort().size()",
  "list.sum()",
  "list.max()",
  "list.isSorted()",
  "list.flatten(1).size()",
  "list == list",
  "texts.join(',').size()",
  "'x' in texts",
  "texts.indexOf('x')",
  "texts.transformMapEntry(i, v, {v: i}).size()",
  "'%s'.format([list])",
  "list.all(x, x >= 0)",
  "list.exists(x, 1 / 0 == x)",
];

describe("an expression that ends", () => {
  it.each(LINEAR)("pays for all that it looks at: %s", (expression) => {
    // Patterns are compiled, and their automata grow, the first time.
    evaluate(expression, ofSize(1000));
    const [less, more] = [100_000, 200_000].map((size) => evaluate(expression, ofSize(size)).steps);
    expect(less).toBeGreaterThan(100);
    expect(less).toBeLessThan(STEPS);
    expect(more).toBeGreaterThan((less ?? 0) * 1.8);
  });
});

describe("a pattern", () => {
  it.each([".{1,1000}".repeat(10), "((a{1,100}){1,100}){1,10}", "\\\\pL".repeat(1000)])(
    "that grows too large is refused before it is compiled: %.20s",
    (pattern) => {
      const compiled = environment.compile(`'a'.matches('${pattern}')`, {
        variables: new Map(),
        result: DYN,
      });
      expect(compiled.ok).toBe(false);
    },
  );
});

describe("a text that is no expression", () => {
  it.each([
    "(".repeat(100_000),
    "!".repeat(100_000),
    "-".repeat(100_000),
    `1${" + 1".repeat(30_000)}`,
    `a${".b".repeat(50_000)}`,
    `a${"[0]".repeat(30_000)}`,
    "[".repeat(100_000),
    "a ? b : ".repeat(10_000),
    `${"optional.of(1)".concat(".optMap(x, x)".repeat(40))}`,
    "x".repeat(100_001),
    `'${"\\".repeat(50_000)}`,
  ])("is refused without a throw: %.12s…", (expression) => {
    expect(environment.compile(expression, { variables: new Map(), result: DYN }).ok).toBe(false);
  });

  it("that is long and flat is taken", () => {
    const chain = `true${" && true".repeat(10_000)}`;
    const compiled = environment.compile(chain, { variables: new Map(), result: DYN });
    expect(compiled.ok && compiled.program.evaluate(new Map())).toMatchObject({ value: true });
  });
});
