import type { Place } from "../source.ts";
import type { Verdict } from "../verdict.ts";

/** One thing to say about an object, ready for any output. */
export interface Remark {
  readonly level: "error" | "warning";
  /** What kind of thing it is: the API server's cause type, `UnknownField` or `RefusedBySluice`. */
  readonly rule: string;
  readonly place: Place;
  readonly field: string;
  readonly message: string;
  readonly next?: string | undefined;
}

const RULES_NOT_CHECKED = /^Invalid value: null: some validation rules were not checked/;

/** Everything to say about an object, in the order of the file; the whole object's come last. */
export function remarks(verdict: Verdict, strict: boolean): readonly Remark[] {
  const all: Remark[] = [
    ...verdict.findings.map(
      ({ type, field, message, place, next }): Remark => ({
        level: "error",
        rule: type,
        place,
        field,
        message,
        next,
      }),
    ),
    ...verdict.unknown.map(({ field, nearest, place }): Remark => {
      const hint =
        nearest === undefined ? "it is dropped" : `did you mean ${JSON.stringify(nearest)}?`;
      const refused = strict ? "" : ", which kubectl refuses by default";
      const message = `unknown field ${JSON.stringify(field)}${refused}; ${hint}`;
      return { level: strict ? "error" : "warning", rule: "UnknownField", place, field, message };
    }),
    ...verdict.refusals.map(({ field, message, place, next }): Remark => {
      const told = `accepted by the API server, refused by sluice: ${field}: ${message}`;
      return { level: "warning", rule: "RefusedBySluice", place, field, message: told, next };
    }),
  ];
  const whole = ({ message }: Remark) => Number(isRulesNotChecked(message));
  return all.sort(
    (left, right) =>
      whole(left) - whole(right) ||
      left.place.line - right.place.line ||
      left.place.column - right.place.column,
  );
}

/** Whether a cause only says that others kept the CEL rules from being checked. */
export function isRulesNotChecked(message: string): boolean {
  return RULES_NOT_CHECKED.test(message);
}
