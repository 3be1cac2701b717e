import { Environment } from "@marcbachmann/cel-js";
import { describe, expect, it } from "vitest";
import { allNodes, isNode, type SyntaxNode } from "./syntax.ts";

// This room reaches into the CEL library's syntax tree, which its types don't promise. A new version
// of the library has to pass here before anything else is believed.
const environment = new Environment({ enableOptionalTypes: true }).registerVariable("x", "dyn");
const parse = (expression: string) => environment.parse(expression);
const tree = (expression: string) => parse(expression).ast as unknown as SyntaxNode;

describe("the CEL library's tree", () => {
  it("has nodes that can be told apart, with their place in the text", () => {
    const node = tree("  x.y == 'z'");
    expect(isNode(node)).toBe(true);
    expect([node.op, node.start, node.end]).toEqual(["==", 2, 12]);
  });

  it("is walked whole, what macros expand to included", () => {
    const ops = (expression: string) => allNodes(tree(expression)).map(({ op }) => op);
    expect(ops("x.all(a, a.matches('b'))")).toEqual(
      expect.arrayContaining(["rcall", "comprehension", "value", "id"]),
    );
    expect(ops("has(x.y)")).toEqual(expect.arrayContaining(["call", ".", "id"]));
    expect(ops("cel.bind(a, x, a == 1)")).toEqual(expect.arrayContaining(["rcall", "=="]));
    expect(ops("x.?y.orValue(1 + 2)")).toEqual(expect.arrayContaining([".?", "+", "value"]));
    expect(ops("{'a': [1]}")).toEqual(expect.arrayContaining(["map", "list", "value"]));
  });

  it("calls what a call is renamed to before it is checked", () => {
    const own = environment.clone();
    own.registerFunction("string._shout(): string", (text: string) => `${text}!`);
    const parsed = own.parse("x.matches('a')");
    const [name, ...rest] = (parsed.ast as unknown as SyntaxNode).args as [
      string,
      unknown,
      unknown[],
    ];
    expect(name).toBe("matches");
    (parsed.ast as unknown as SyntaxNode).args = ["_shout", rest[0], []];
    expect(parsed({ x: "a" })).toBe("a!");
  });

  it("evaluates through an own `evaluate` of a node", () => {
    const parsed = parse("x.all(a, a > 1)");
    let steps = 0;
    for (const node of allNodes(parsed.ast as unknown as SyntaxNode)) {
      const { meta } = node;
      node.evaluate = (evaluator, _node, context) => {
        steps += 1;
        const subject = meta.alternate ?? meta.macro ?? node;
        const evaluate = subject === node ? meta.evaluate : (subject as SyntaxNode).evaluate;
        return evaluate.call(subject, evaluator, subject, context);
      };
    }
    expect(parsed({ x: [2n, 3n] })).toBe(true);
    expect(steps).toBeGreaterThan(6);
  });

  it("keeps the overloads and argument types of a call after the check", () => {
    const parsed = parse("x.startsWith('a')");
    parsed.check();
    const node = parsed.ast as unknown as {
      candidates: Iterable<unknown>;
      argTypes: { name: string }[];
    };
    expect([...node.candidates].length).toBeGreaterThan(0);
    expect(node.argTypes.map(({ name }) => name)).toEqual(["string"]);
  });

  it("compares through a `handle` that the check sets", () => {
    const parsed = parse("x == 1");
    parsed.check();
    const node = parsed.ast as unknown as { handle: (...all: unknown[]) => unknown };
    const { handle } = node;
    node.handle = (left, right, ...rest) => [left, right, handle(left, right, ...rest)];
    expect(parsed({ x: 1n })).toEqual([1n, 1n, true]);
  });

  it("takes a Map for a map, whatever its keys", () => {
    const self = new Map<string, unknown>([
      ["constructor", "a"],
      ["size", 1n],
    ]);
    expect(parse("x.constructor == 'a' && x.size == 1 && size(x) == 2")({ x: self })).toBe(true);
  });
});
