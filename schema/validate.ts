import { quote } from "../kube/quote.ts";
import { type FieldPath, fieldText } from "./field-path.ts";
import type { Finding, FindingType } from "./finding.ts";
import { matchesFormat } from "./formats.ts";
import { FloatLiteral, isJsonInteger, type JsonType, jsonType } from "./number.ts";
import { isAllowed, numberComplaints, type SchemaNumber } from "./scalars.ts";
import type { Bounds, Junctors, SchemaType, Structural } from "./structural.ts";
import { jsonText, valueText } from "./wording.ts";

/**
 * Judges an object by the types and bounds of a schema, with the words of the API server's own
 * validator (kube-openapi `validate`): the findings in the order of the object's fields.
 */
export function validate(object: unknown, schema: Structural): readonly Finding[] {
  const validation = new Validation(schema, []);
  validation.visit(object, schema);
  return validation.findings;
}

/**
 * One walk over a value. It counts what matches as the API server does, since that count decides
 * which branch of an anyOf or oneOf is reported.
 */
class Validation {
  readonly findings: Finding[] = [];
  matches = 0;
  readonly #root: Structural;
  readonly #path: (string | number)[];
  #told: Set<string> | undefined;

  constructor(root: Structural, path: FieldPath) {
    this.#root = root;
    this.#path = [...path];
  }

  visit(value: unknown, schema: Structural): void {
    const { bounds } = schema;
    if (value === null || value === undefined) {
      if (schema.types.length === 0 || schema.nullable) this.matches += 1;
      else this.#wrongType(schema.types.join(), "null");
      // No enum holds a null, even one that lists it.
      if (bounds.enum !== undefined) this.#notSupported(null, bounds.enum);
      return;
    }
    const type = jsonType(value);
    this.#checkType(value, type, schema);
    if (schema.junctors !== undefined) this.#checkJunctors(value, type, schema.junctors);
    this.matches += 4;
    switch (type) {
      case "string":
        this.matches += 1;
        this.#checkString(value as string, bounds);
        break;
      case "integer":
      case "number":
        this.matches += 2;
        this.#checkNumber(value as SchemaNumber, schema);
        break;
      case "array":
        this.matches += 2;
        this.#checkList(value as readonly unknown[], schema);
        break;
      case "object":
        this.matches += 1;
        this.#checkObject(value as Readonly<Record<string, unknown>>, schema);
        break;
      default:
    }
    if (bounds.enum !== undefined && !isAllowed(value, bounds.enum)) {
      this.#notSupported(value, bounds.enum);
    }
  }

  #checkType(value: unknown, type: JsonType, schema: Structural): void {
    const { types, bounds } = schema;
    const { format } = bounds;
    if (types.length === 0 && format === undefined) return;
    this.matches += 1;
    if (fitsType(value, type, types) || (format !== undefined && goFormat(type) === format)) {
      this.matches += 1;
    } else if (format !== undefined && type !== "string" && type !== "array") {
      this.#wrongType(format, goFormat(type));
    } else if (format !== undefined && !types.includes("integer") && !types.includes("number")) {
      // So a list passes for a string that has a format.
      this.matches += 1;
    } else this.#wrongType(types.join(), type);
  }

  #checkJunctors(value: unknown, type: JsonType, junctors: Junctors): void {
    const { allOf, anyOf, anyOfTypes, oneOf, not } = junctors;
    // Of mere types the one that fits is known without trying the others, which is the usual case.
    const fitting = anyOfTypes
      ? anyOf.find((branch) => fitsType(value, type, branch.types))
      : undefined;
    if (fitting !== undefined) this.#take(this.#branch(value, fitting));
    else if (anyOf.length > 0) {
      const { valid, best } = this.#tryBranches(value, anyOf, true);
      if (valid === 0) this.#junctorFailed("must validate at least one schema (anyOf)");
      this.#take(best);
    }
    if (oneOf.length > 0) {
      const { valid, best } = this.#tryBranches(value, oneOf, false);
      const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
      if (valid !== 1)
        this.#junctorFailed(`must validate one and only one schema (oneOf). ${found}`);
      if (valid < 2) this.#take(best);
    }
    let failed = 0;
    for (const branch of allOf) {
      const result = this.#branch(value, branch);
      if (result.findings.length > 0) failed += 1;
      this.#take(result);
    }
    if (failed > 0) {
      const none = failed === allOf.length ? ". None validated" : "";
      this.#junctorFailed(`must validate all the schemas (allOf)${none}`);
    }
    if (not !== undefined && this.#branch(value, not).findings.length === 0) {
      this.#junctorFailed("must not validate the schema (not)");
    }
  }

  /** How many branches hold, and the first that does or else the failed one that matches most. */
  #tryBranches(value: unknown, branches: readonly Structural[], untilValid: boolean) {
    let valid = 0;
    let best: Validation | undefined;
    for (const branch of branches) {
      const result = this.#branch(value, branch);
      if (result.findings.length === 0) {
        if (valid === 0) best = result;
        valid += 1;
        if (untilValid) break;
      } else if (valid === 0 && (best === undefined || result.matches > best.matches)) {
        best = result;
      }
    }
    return { valid, best };
  }

  #branch(value: unknown, schema: Structural): Validation {
    const validation = new Validation(this.#root, this.#path);
    validation.visit(value, schema);
    return validation;
  }

  #take(result: Validation | undefined): void {
    if (result === undefined) return;
    this.matches += result.matches;
    const judgedAt = this.#path.length;
    for (const finding of result.findings) this.#push({ ...finding, judgedAt });
  }

  #checkString(text: string, bounds: Bounds): void {
    const { maxLength, minLength, pattern, format } = bounds;
    // The code points are counted only where the UTF-16 length leaves a doubt.
    if (maxLength !== undefined && text.length > maxLength && codePoints(text) > maxLength) {
      const bytes = maxLength === 1 ? "byte" : "bytes";
      const message = `Too long: may not be more than ${maxLength} ${bytes}`;
      this.#report("FieldValueTooLong", message, text);
    } else if (minLength !== undefined && codePoints(text) < minLength) {
      this.#invalid(text, `should be at least ${minLength} chars long`);
    } else if (pattern !== undefined && !pattern.compiled.test(text)) {
      this.#invalid(text, `should match '${pattern.source}'`);
    }
    if (format === undefined) return;
    this.matches += 1;
    if (matchesFormat(format, text)) return;
    const detail = `${this.#name()} must be of type ${format}: ${quote(text)}`;
    this.#add("FieldValueTypeInvalid", quote(text), detail, text);
  }

  #checkNumber(value: SchemaNumber, { types, bounds }: Structural): void {
    const type = types.length === 1 ? types[0] : undefined;
    for (const complaint of numberComplaints(value, type, bounds)) {
      if (complaint.about === "bound") this.#invalid(complaint.value, complaint.detail);
      else if (complaint.about === "range") {
        this.#nameless(`${complaint.detail} in ${this.#text()}`);
      } else {
        const shown = valueText(complaint.factor);
        const detail = `factor MultipleOf declared for ${this.#text()} must be positive: ${shown}`;
        this.#add("FieldValueInvalid", shown, detail, complaint.factor);
      }
    }
  }

  #checkList(list: readonly unknown[], schema: Structural): void {
    const { items, bounds } = schema;
    if (items !== undefined) {
      for (let index = 0; index < list.length; index += 1) {
        this.#descend(index, list[index], items);
      }
    }
    if (bounds.minItems !== undefined && list.length < bounds.minItems) {
      this.#invalid(list.length, `should have at least ${bounds.minItems} items`);
    }
    if (bounds.maxItems !== undefined) this.#checkCount(list.length, bounds.maxItems);
  }

  #checkObject(object: Readonly<Record<string, unknown>>, schema: Structural): void {
    const { bounds, properties, additional } = schema;
    const keys = Object.keys(object);
    if (bounds.minProperties !== undefined && keys.length < bounds.minProperties) {
      this.#invalid(keys.length, `should have at least ${bounds.minProperties} properties`);
    }
    if (bounds.maxProperties !== undefined) this.#checkCount(keys.length, bounds.maxProperties);
    for (const key of keys) {
      const child = properties.get(key) ?? additional;
      if (child !== undefined) this.#descend(key, object[key], child);
    }
    for (const key of bounds.required) {
      if (Object.hasOwn(object, key)) continue;
      this.#path.push(key);
      this.#report("FieldValueRequired", "Required value", undefined);
      this.#path.pop();
    }
  }

  #descend(step: string | number, value: unknown, schema: Structural): void {
    this.#path.push(step);
    this.visit(value, schema);
    this.#path.pop();
  }

  #checkCount(count: number, limit: number): void {
    if (count <= limit) return;
    const detail = `must have at most ${limit} ${limit === 1 ? "item" : "items"}`;
    this.#add("FieldValueTooMany", String(count), detail, count);
  }

  #notSupported(value: unknown, allowed: readonly unknown[]): void {
    const choices = allowed.map((one) => quote(typeof one === "string" ? one : jsonText(one)));
    const detail = `supported values: ${choices.join(", ")}`;
    // A null is printed like a value that is left out.
    this.#add("FieldValueNotSupported", valueText(value), detail, value);
  }

  #wrongType(expected: string, found: string): void {
    const detail = `${this.#name()} must be of type ${expected}: ${quote(found)}`;
    this.#add("FieldValueTypeInvalid", quote(found), detail, found);
  }

  #junctorFailed(detail: string): void {
    this.#nameless(`${quote(this.#text())} ${detail}`);
  }

  /** Reports what the API server reports without a field; the path still leads to the value. */
  #nameless(detail: string): void {
    const message = `Invalid value: "": ${detail}`;
    this.#push({ type: "FieldValueInvalid", field: "<nil>", path: [...this.#path], message });
  }

  #invalid(value: unknown, detail: string): void {
    this.#add("FieldValueInvalid", valueText(value), `${this.#name()} ${detail}`, value);
  }

  /** The field's path as the validator's sentences begin with it; the root has no name. */
  #name(): string {
    return `${this.#text()} in body`;
  }

  /** The path as the validator writes it: one that no property of the root names begins with a dot. */
  #text(): string {
    const [first] = this.#path;
    if (first === undefined) return "";
    const text = fieldText(this.#path, "dotted", this.#root);
    return typeof first === "string" && !this.#root.properties.has(first) ? `.${text}` : text;
  }

  #add(type: FindingType, shown: string, detail: string, value?: unknown): void {
    const start = type === "FieldValueNotSupported" ? "Unsupported value" : "Invalid value";
    const words = type === "FieldValueTooMany" ? "Too many" : start;
    this.#report(type, `${words}: ${shown}: ${detail}`, value);
  }

  #report(type: FindingType, message: string, value: unknown): void {
    const path: FieldPath = [...this.#path];
    const finding = { type, field: fieldText(path, "dotted", this.#root), path, message };
    this.#push(value === undefined ? finding : { ...finding, value });
  }

  /** Keeps a finding once, however many schemas lead to it. */
  #push(finding: Finding): void {
    this.#told ??= new Set();
    const key = `${finding.field}\n${finding.message}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.findings.push(finding);
  }
}

function fitsType(value: unknown, type: JsonType, types: readonly SchemaType[]): boolean {
  if (types.includes(type as SchemaType)) return true;
  if (type === "integer") return types.includes("number");
  if (type !== "number" || !types.includes("integer")) return false;
  return isJsonInteger(Number(value instanceof FloatLiteral ? value.value : value));
}

function goFormat(type: JsonType): string {
  return type === "integer" ? "int64" : type === "number" ? "float64" : "";
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
