import type { Pattern } from "../cel/pattern.ts";
import type { Rule } from "../cel/rules.ts";
import type { RawSchema } from "./crossplane.ts";

/** The types that a structural schema knows; a schema without one takes any value. */
export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean";

/**
 * One node of a structural schema, ready to work with: patterns and rules are compiled, and
 * properties are held where no name can reach a prototype.
 */
export interface Structural {
  readonly type: SchemaType | undefined;
  readonly nullable: boolean;
  readonly intOrString: boolean;
  readonly preserveUnknown: boolean;
  readonly embeddedResource: boolean;
  readonly properties: ReadonlyMap<string, Structural>;
  /** The schema of every value that no property names; `undefined` where such values are unknown. */
  readonly additional: Structural | undefined;
  readonly items: Structural | undefined;
  /** `undefined` where there is none; never null. */
  readonly default: unknown;
  readonly listType: "atomic" | "set" | "map" | undefined;
  readonly listMapKeys: readonly string[];
  readonly bounds: Bounds;
  readonly rules: readonly Rule[];
  /** Whether this node or any below it has rules. */
  readonly hasRules: boolean;
  /** Whether this node or any below it has a list type other than atomic. */
  readonly hasUniqueItems: boolean;
  /** Properties that have a default, so that the others need no look. */
  readonly defaulted: readonly (readonly [string, Structural])[];
}

/** What a schema node demands of a value beyond its type. */
export interface Bounds {
  readonly required: readonly string[];
  readonly enum: readonly unknown[] | undefined;
  readonly format: string | undefined;
  readonly pattern: { readonly source: string; readonly compiled: Pattern } | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
}

/** What is wrong with a schema, and at which path of it. */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

export type { RawSchema };
