import { type FieldPath, fieldText } from "./field-path.ts";
import type { Finding, FindingType } from "./finding.ts";
import { matchesFormat } from "./formats.ts";
import { FloatLiteral, isWholeFloat, type JsonType, jsonType } from "./number.ts";
import type { Bounds, Structural } from "./structural.ts";
import { floatText, jsonText, numberText, quote, valueText } from "./wording.ts";

/**
 * Judges an object by the types and bounds of a schema, with the words of the API server's own
 * validator (kube-openapi `validate`): the findings in the order of the object's fields.
 */
export function validate(object: unknown, schema: Structural): readonly Finding[] {
  const validation = new Validation(schema);
  validation.visit(object, schema);
  return validation.findings;
}

class Validation {
  readonly findings: Finding[] = [];
  readonly #root: Structural;
  readonly #path: (string | number)[] = [];

  constructor(root: Structural) {
    this.#root = root;
  }

  visit(value: unknown, schema: Structural): void {
    const type = jsonType(value);
    if (type === "null") {
      if (!schema.nullable && schema.type !== undefined) this.#wrongType(typeName(schema), "null");
      if (schema.bounds.enum !== undefined) this.#checkEnum(value, schema.bounds.enum);
      return;
    }
    this.#checkType(value, type, schema);
    const { bounds } = schema;
    if (bounds.enum !== undefined) this.#checkEnum(value, bounds.enum);
    switch (type) {
      case "string":
        this.#checkString(value as string, bounds);
        break;
      case "integer":
      case "number":
        this.#checkNumber(value as number | bigint | FloatLiteral, schema);
        break;
      case "array":
        this.#checkList(value as readonly unknown[], schema);
        break;
      case "object":
        this.#checkObject(value as Readonly<Record<string, unknown>>, schema);
        break;
      default:
    }
  }

  #checkType(value: unknown, type: JsonType, schema: Structural): void {
    if (schema.intOrString) {
      if (type === "string" || type === "integer" || isWholeFloat(value)) return;
      this.#wrongType("integer,string", type);
      // The alternatives that Kubernetes writes for such a field are checked as well, integer first.
      this.#wrongType("integer", type);
      this.#pathless(`${quote(this.#text())} must validate at least one schema (anyOf)`);
      return;
    }
    if (schema.type === undefined || type === schema.type) return;
    if (schema.type === "number" && type === "integer") return;
    if (schema.type === "integer" && type === "number" && isWholeFloat(value)) return;
    const { format } = schema.bounds;
    if (format !== undefined && type !== "string" && type !== "array") {
      this.#wrongType(format, goFormat(type));
    } else if (format === undefined || schema.type === "integer" || schema.type === "number") {
      this.#wrongType(schema.type, type);
    }
  }

  #checkEnum(value: unknown, allowed: readonly unknown[]): void {
    const plain = value instanceof FloatLiteral ? value.value : value;
    if (allowed.some((one) => one === plain || jsonText(one) === jsonText(plain))) return;
    const choices = allowed.map((one) => quote(typeof one === "string" ? one : jsonText(one)));
    const detail = `supported values: ${choices.join(", ")}`;
    this.#add("FieldValueNotSupported", valueText(value), detail, value);
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
    if (format !== undefined && !matchesFormat(format, text)) {
      const detail = `${this.#name()} must be of type ${format}: ${quote(text)}`;
      this.#add("FieldValueTypeInvalid", quote(text), detail, text);
    }
  }

  #checkNumber(value: number | bigint | FloatLiteral, schema: Structural): void {
    const number = value instanceof FloatLiteral ? value.value : value;
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } =
      schema.bounds;
    if ((schema.type === "integer" || schema.intOrString) && !fitsInteger(number, format)) {
      const width = format === undefined ? "(default format)" : `with format ${format}`;
      this.#pathless(`Checked value must be of type integer ${width} in ${this.#text()}`);
    }
    // A bound is printed in the kind of the value that it is held against.
    const bound = jsonType(value) === "integer" ? numberText : floatText;
    if (multipleOf !== undefined && !isMultiple(number, multipleOf)) {
      this.#invalid(value, `should be a multiple of ${bound(multipleOf)}`);
    }
    if (maximum !== undefined && (exclusiveMaximum ? number >= maximum : number > maximum)) {
      const than = exclusiveMaximum ? "less than" : "less than or equal to";
      this.#invalid(value, `should be ${than} ${bound(maximum)}`);
    }
    if (minimum !== undefined && (exclusiveMinimum ? number <= minimum : number < minimum)) {
      const than = exclusiveMinimum ? "greater than" : "greater than or equal to";
      this.#invalid(value, `should be ${than} ${bound(minimum)}`);
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

  #wrongType(expected: string, found: string): void {
    const detail = `${this.#name()} must be of type ${expected}: ${quote(found)}`;
    this.#add("FieldValueTypeInvalid", quote(found), detail, found);
  }

  /** Reports what the API server reports without a field; the path still leads to the value. */
  #pathless(detail: string): void {
    const message = `Invalid value: "": ${detail}`;
    this.findings.push({
      type: "FieldValueInvalid",
      field: "<nil>",
      path: [...this.#path],
      message,
    });
  }

  #invalid(value: unknown, detail: string): void {
    this.#add("FieldValueInvalid", valueText(value), `${this.#name()} ${detail}`, value);
  }

  /** The field's path as the validator's sentences begin with it; the root has no name. */
  #name(): string {
    return `${this.#path.length === 0 ? "" : this.#text()} in body`;
  }

  #text(): string {
    return fieldText(this.#path, "dotted", this.#root);
  }

  #add(type: FindingType, shown: string, detail: string, value?: unknown): void {
    const start = type === "FieldValueNotSupported" ? "Unsupported value" : "Invalid value";
    const words = type === "FieldValueTooMany" ? "Too many" : start;
    this.#report(type, `${words}: ${shown}: ${detail}`, value);
  }

  #report(type: FindingType, message: string, value: unknown): void {
    const path: FieldPath = [...this.#path];
    const finding = { type, field: this.#text(), path, message };
    this.findings.push(value === undefined ? finding : { ...finding, value });
  }
}

function typeName(schema: Structural): string {
  return schema.intOrString ? "integer,string" : (schema.type ?? "");
}

function goFormat(type: JsonType): string {
  return type === "integer" ? "int64" : type === "number" ? "double" : "";
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function fitsInteger(number: number | bigint, format: string | undefined): boolean {
  if (typeof number === "number" && !Number.isInteger(number)) return false;
  const bits = format === "int32" ? 31 : 63;
  return number >= -(2 ** bits) && number < 2 ** bits;
}

function isMultiple(number: number | bigint, factor: number): boolean {
  if (typeof number === "bigint" && Number.isInteger(factor)) return number % BigInt(factor) === 0n;
  return Number.isInteger(Number(number) / factor);
}
