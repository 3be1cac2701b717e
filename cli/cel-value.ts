import { formatAddress, formatNetwork } from "../cel/libraries/networks.ts";
import { formatDuration, formatTimestamp } from "../cel/libraries/time.ts";
import {
  CidrValue,
  Duration,
  FormatValue,
  IpValue,
  Optional,
  QuantityValue,
  SemverValue,
  Timestamp,
  TypeValue,
  Uint,
  UnreadableValue,
  UrlValue,
} from "../cel/values.ts";
import { formatQuantity } from "../kube/quantity.ts";
import { formatSemver } from "../kube/semver.ts";

/** A CEL value as JSON: integers exact, bytes in base64, what JSON has no type for as its text. */
export function celJson(value: unknown): string {
  switch (typeof value) {
    case "bigint":
      return String(value);
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      // JSON has neither infinities nor a way to tell 1.0 from 1.
      if (!Number.isFinite(value)) return JSON.stringify(String(value));
      return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value);
    default:
      break;
  }
  if (value === null) return "null";
  if (Array.isArray(value)) return `[${value.map(celJson).join(",")}]`;
  if (value instanceof Map) {
    const entries = [...value].map(([key, held]): [string, string] => [String(key), celJson(held)]);
    entries.sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${entries.map(([key, held]) => `${JSON.stringify(key)}:${held}`).join(",")}}`;
  }
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Optional) return value.value === undefined ? "null" : celJson(value.value);
  return JSON.stringify(opaqueText(value));
}

function opaqueText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue || value instanceof FormatValue) return value.name;
  if (value instanceof QuantityValue) return formatQuantity(value.quantity);
  if (value instanceof SemverValue) return formatSemver(value.version);
  if (value instanceof IpValue) return formatAddress(value);
  if (value instanceof CidrValue) return formatNetwork(value);
  if (value instanceof UrlValue) return value.text;
  if (value instanceof UnreadableValue) return `(${value.why})`;
  return "(a value that no schema describes)";
}
