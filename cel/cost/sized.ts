import type { CelType } from "../checking/type.ts";
import type { Expression } from "../syntax/expression.ts";
import type { Path } from "./path.ts";
import { type Range, UNKNOWN } from "./range.ts";

/** How large a value of a declared type can be, and what it holds; fields go by their names in CEL. */
export interface SizedType {
  /** Code points of a string (four times `maxLength`), items of a list, entries of a map; 0 for the rest. */
  readonly maxElements: bigint;
  readonly fields?: ReadonlyMap<string, SizedType>;
  /** What every field that is not named is, where a map's keys are written as fields. */
  readonly otherFields?: SizedType;
  /** On a root the variable that it sizes; without, whatever stands at the head of a path. */
  readonly variable?: string;
  readonly key?: SizedType;
  readonly element?: SizedType;
}

/** An operand as the cost of a call depends on it. */
export interface Operand {
  readonly expression: Expression | undefined;
  readonly type: CelType;
  readonly path: Path | undefined;
  /** What the expression itself tells about its size. */
  readonly size: Range | undefined;
}

/** What a call may cost, without its arguments, and how large its result may be. */
export interface CallCost {
  readonly cost: Range;
  readonly size?: Range | undefined;
}

/** The size that a schema bounds a path to, from the root on. */
export function declaredSize(root: SizedType, path: Path | undefined): Range | undefined {
  if (path === undefined) return undefined;
  if (root.variable !== undefined && root.variable !== path.step(0)) return undefined;
  let at: SizedType | undefined = root;
  for (let index = 1; index < path.length; index += 1) {
    at = stepInto(at, path.step(index));
    if (at === undefined) return undefined;
  }
  return { min: 0n, max: at.maxElements };
}

function stepInto(type: SizedType, step: string): SizedType | undefined {
  if (step === "@items" || step === "@values") return type.element;
  return step === "@keys" ? type.key : (type.fields?.get(step) ?? type.otherFields);
}

/** An operand's size: what its expression tells, else its schema, else unknown. */
export function sizeOf(operand: Operand, root: SizedType): Range {
  return operand.size ?? declaredSize(root, operand.path) ?? UNKNOWN;
}
