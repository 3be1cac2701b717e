/** The API server's cause types (`metav1.CauseType`) that validation can produce. */
export type FindingType =
  | "FieldValueInvalid"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueNotSupported"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "FieldValueForbidden"
  | "InternalError";

/** One reason why an object is refused, worded and placed as the API server does. */
export interface Finding {
  readonly type: FindingType;
  /** The field path as the API server prints it: `spec.engines[0].members`, or `<nil>`. */
  readonly field: string;
  /** The same path as keys and indexes, to find the line in a file. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The value seen, where the API server prints one. */
  readonly value?: unknown;
  /**
   * How many steps of the path lead to the value whose allOf, anyOf, oneOf or not found this, where
   * one did.
   */
  readonly judgedAt?: number;
  /** What to do about it, where whoever found it knows more than the message says. */
  readonly next?: string;
}
