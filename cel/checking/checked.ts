import type { Expression } from "../syntax/expression.ts";
import type { CelType } from "./type.ts";

/**
 * An expression with the type of every node and the overloads that each call may run. Dotted
 * names that stand for one thing, a type or a namespaced function, are one identifier or call here.
 */
export interface Checked {
  readonly expression: Expression;
  /** By node id; what stays open is `dyn`. */
  readonly types: ReadonlyMap<number, CelType>;
  /** Overload ids by the node id of a call, in the order of declaration. */
  readonly overloads: ReadonlyMap<number, readonly string[]>;
}
