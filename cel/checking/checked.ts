import type { Expression } from "../syntax/expression.ts";
import type { CelType } from "./type.ts";

/** An expression with the type of every node and the overloads that each call may run. */
export interface Checked {
  readonly expression: Expression;
  /** By node id; what stays open is `dyn`. */
  readonly types: ReadonlyMap<number, CelType>;
  /** Overload ids by the node id of a call, in the order of declaration. */
  readonly overloads: ReadonlyMap<number, readonly string[]>;
  /** What the checker resolved a dotted path or an identifier to, by node id: a variable's or a type's name. */
  readonly names: ReadonlyMap<number, string>;
}
