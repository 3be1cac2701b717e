import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { declareFunctions } from "../cel/checking/functions.ts";
import { formatType } from "../cel/checking/type.ts";
import { Meter } from "../cel/evaluating/meter.ts";
import { kubernetesFunctions } from "../cel/libraries/kubernetes.ts";
import { PatternCache } from "../cel/pattern.ts";
import type { Expression } from "../cel/syntax/expression.ts";
import { kubernetesMacros } from "../cel/syntax/macros.ts";
import { NodeFactory } from "../cel/syntax/nodes.ts";

// Every overload and macro that k8s.io/apiserver v0.37.2 declares for stored expressions at compatibility
// version 1.36, without those of its authorizer, which rules and selectors are not given.
const recorded = JSON.parse(
  readFileSync(new URL("cel/functions.json", import.meta.url), "utf8"),
) as { readonly functions: readonly string[]; readonly macros: readonly string[] };

// Older names of `@in` and `@not_strictly_false`, which no expression can write.
const UNWRITABLE = /^(_in_|in|__not_strictly_false__) /;

describe("the functions of Kubernetes", () => {
  it("are ours, each overload with its types", () => {
    const overloads = kubernetesFunctions(new PatternCache(), new Meter(1, 1));
    const functions = declareFunctions(overloads);
    const ours = [...functions.values()].flat().map(({ name, id, method, parameters, result }) => {
      const style = method ? "member" : "global";
      const types = parameters.map(formatType).join(", ");
      return `${name} ${id} ${style} (${types}) ${formatType(result)}`;
    });
    const theirs = recorded.functions.filter((one) => !UNWRITABLE.test(one));
    // A field is selected by the checker and the evaluator alone.
    const selected = "_?._ select_optional_field global (dyn, string) optional_type(V)";
    expect([...ours, selected].sort()).toEqual([...theirs].sort());
  });

  it("and its macros, by name and number of arguments", () => {
    const macros = kubernetesMacros({ bind: false });
    const nodes = new NodeFactory();
    const names = ["x", "y"].map((name) => nodes.identifier(0, name));
    const rest = Array.from({ length: 4 }, () => nodes.constant(0, true));
    const isMacro = (name: string, count: number, receiver: boolean) => {
      const select: Expression = nodes.select(0, names[0] as Expression, "f");
      const args = name === "has" ? [select, ...rest] : [...names, ...rest];
      const target = receiver ? nodes.list(0, []) : undefined;
      return macros.expand(nodes, 0, name, target, args.slice(0, count)) !== undefined;
    };
    const candidates = new Set([...recorded.macros.map((one) => one.split(":")[0] ?? ""), "bind"]);
    const ours = [...candidates].flatMap((name) =>
      [1, 2, 3, 4].flatMap((count) =>
        [true, false].flatMap((receiver) =>
          isMacro(name, count, receiver) ? [`${name}:${count}:${receiver}`] : [],
        ),
      ),
    );
    expect(ours.sort()).toEqual([...recorded.macros].sort());
  });
});
