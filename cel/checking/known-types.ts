import { Uint } from "../values.ts";
import { BOOL, BYTES, type CelType, DOUBLE, DYN, INT, NULL, STRING, UINT } from "./type.ts";

/** Kubernetes declares some of its types as objects, of which then no field is found. */
export function isDeclaredAsObject(name: string): boolean {
  return /^kubernetes\.(Quantity|URL|Semver)$/.test(name);
}

/** The type of a literal. */
export function constantType(value: unknown): CelType {
  switch (typeof value) {
    case "boolean":
      return BOOL;
    case "bigint":
      return INT;
    case "number":
      return DOUBLE;
    case "string":
      return STRING;
    default:
      if (value === null) return NULL;
      if (value instanceof Uint) return UINT;
      return value instanceof Uint8Array ? BYTES : DYN;
  }
}
