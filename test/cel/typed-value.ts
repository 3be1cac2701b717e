import { formatAddress, formatNetwork } from "../../cel/libraries/networks.ts";
import { formatGeneral } from "../../cel/libraries/numbers.ts";
import { unixSeconds } from "../../cel/libraries/time.ts";
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
  UrlValue,
} from "../../cel/values.ts";
import { formatQuantity } from "../../kube/quantity.ts";
import { formatSemver } from "../../kube/semver.ts";

/** A CEL value as the recorded answers write it: plain JSON where its type shows, else under its type's name. */
export function typedValue(value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
      return { int: String(value) };
    case "number":
      return { double: formatGeneral(value) };
    case "string":
    case "boolean":
      return value;
    default:
      break;
  }
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(typedValue);
  if (value instanceof Map) {
    const key = (one: unknown) =>
      typeof one === "number" ? { uint: String(one) } : typedValue(one);
    const entries = [...value].map(([name, held]) => [key(name), typedValue(held)]);
    entries.sort((a, b) => (JSON.stringify(a[0]) < JSON.stringify(b[0]) ? -1 : 1));
    return { map: entries };
  }
  return typedInstance(value);
}

function typedInstance(value: unknown): unknown {
  if (value instanceof Uint) return { uint: String(value.value) };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("hex") };
  if (value instanceof Timestamp) {
    const seconds = unixSeconds(value);
    const nanos = String(value.nanos - seconds * 1_000_000_000n).padStart(9, "0");
    return { timestamp: `${seconds}.${nanos}` };
  }
  if (value instanceof Duration) return { duration: String(value.nanos) };
  if (value instanceof TypeValue) return { type: value.name };
  if (value instanceof Optional) {
    return value.value === undefined ? { none: true } : { optional: typedValue(value.value) };
  }
  if (value instanceof QuantityValue) return { quantity: formatQuantity(value.quantity) };
  if (value instanceof SemverValue) return { semver: formatSemver(value.version) };
  if (value instanceof IpValue) return { ip: formatAddress(value) };
  if (value instanceof CidrValue) return { cidr: formatNetwork(value) };
  if (value instanceof UrlValue) return { url: value.text };
  return { other: value instanceof FormatValue ? "cel.Format" : value?.constructor.name };
}
