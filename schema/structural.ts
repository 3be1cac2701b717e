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
  /** The types that the validator allows: `type`, or both of int-or-string's; none for any value. */
  readonly types: readonly SchemaType[];
  readonly nullable: boolean;
  readonly intOrString: boolean;
  readonly preserveUnknown: boolean;
  readonly embeddedResource: boolean;
  readonly properties: ReadonlyMap<string, Structural>;
  /**
   * What rules see of the properties: of a whole object (the root, or an embedded resource) also
   * `apiVersion`, `kind` and the names in `metadata`, and nothing else of that.
   */
  readonly visible: ReadonlyMap<string, VisibleField>;
  /** The schema of every value that no property names; `undefined` where such values are unknown. */
  readonly additional: Structural | undefined;
  /** Whether `additionalProperties: true` keeps such values, though nothing below an object of them. */
  readonly additionalAny: boolean;
  readonly items: Structural | undefined;
  /** `undefined` where there is none; never null. */
  readonly default: unknown;
  readonly listType: "atomic" | "set" | "map" | undefined;
  readonly listMapKeys: readonly string[];
  readonly bounds: Bounds;
  readonly junctors: Junctors | undefined;
  readonly rules: readonly Rule[];
  /** Whether this node or any below it has rules. */
  readonly hasRules: boolean;
  /** Whether this node or any below it has a list type other than atomic. */
  readonly hasUniqueItems: boolean;
  /** Whether this node or any below it is an embedded resource. */
  readonly hasEmbedded: boolean;
  /** Properties that have a default, so that the others need no look. */
  readonly defaulted: readonly (readonly [string, Structural])[];
}

/** A property as rules see it: the names by which they reach it, if they can, and its schema. */
export interface VisibleField {
  readonly name: string | undefined;
  readonly alias: string | undefined;
  readonly schema: Structural;
}

/** Schemas that a value must satisfy in combination; they validate and do nothing else. */
export interface Junctors {
  readonly allOf: readonly Structural[];
  readonly anyOf: readonly Structural[];
  /** Whether the branches of `anyOf` name a type and nothing else, as int-or-string's do. */
  readonly anyOfTypes: boolean;
  readonly oneOf: readonly Structural[];
  readonly not: Structural | undefined;
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
