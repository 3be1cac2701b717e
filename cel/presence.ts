import { Optional } from "@marcbachmann/cel-js";
import { type Evaluator, isNode, type SyntaxNode, type TypeChecker } from "./syntax.ts";

/**
 * Gives every `has(e.f)` of a tree the standard's meaning for any `e`: the library's own `has` takes
 * a chain of plain names only, and refuses `has(device.attributes["a"].b)`.
 */
export function correctPresenceTests(nodes: readonly SyntaxNode[]): void {
  for (const node of nodes) {
    if (node.op !== "call" || (node.args as unknown[])[0] !== "has") continue;
    const [tested] = (node.args as [string, unknown[]])[1];
    if (isNode(tested)) node.setMeta("macro", presenceTest(node, tested));
  }
}

function presenceTest(call: SyntaxNode, tested: SyntaxNode) {
  const [operand, field] = tested.args as [SyntaxNode, string];
  return {
    tested,
    operand,
    async: false,
    typeCheck(checker: TypeChecker, _macro: unknown, context: unknown) {
      if (tested.op !== ".") {
        throw checker.createError(
          "invalid_macro_argument",
          "invalid argument to has() macro",
          call,
        );
      }
      // Checking the whole access refuses fields that a declared type does not have.
      checker.check(tested, context);
      return checker.getType("bool");
    },
    evaluate(evaluator: Evaluator, _macro: unknown, context: unknown): boolean {
      return isPresent(evaluator.run(operand, context), field);
    },
  };
}

function isPresent(owner: unknown, field: string): boolean {
  if (owner instanceof Map) return owner.has(field);
  if (owner instanceof Optional) return owner.hasValue() && isPresent(owner.value(), field);
  if (typeof owner === "object" && owner !== null && !Array.isArray(owner)) {
    return Object.hasOwn(owner, field);
  }
  throw new Error("no such overload");
}
