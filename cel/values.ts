import type { Quantity } from "../kube/quantity.ts";
import type { Semver } from "../kube/semver.ts";

// How CEL values are held: bool as boolean, int as bigint, double as number, string, bytes as
// Uint8Array, null, lists as arrays, maps and objects as Map (so that no key reaches a prototype),
// and one class here for each of the others. A uint key of a map is a number, since no double can be
// one.

/** A uint. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time: nanoseconds since 1970, and how far its clock is ahead of UTC, which only its text shows. */
export class Timestamp {
  readonly nanos: bigint;
  readonly offsetMinutes: number;

  constructor(nanos: bigint, offsetMinutes = 0) {
    this.nanos = nanos;
    this.offsetMinutes = offsetMinutes;
  }
}

/** A span of time in nanoseconds. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A type as a value, told apart by its name. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** An optional; undefined stands for none, as no CEL value is undefined. */
export class Optional {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** A quantity as a CEL value. */
export class QuantityValue {
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }
}

/** A semantic version as a CEL value. */
export class SemverValue {
  readonly version: Semver;

  constructor(version: Semver) {
    this.version = version;
  }
}

/** An IP address: its 32 or 128 bits. */
export class IpValue {
  readonly bits: bigint;
  readonly family: 4 | 6;

  constructor(bits: bigint, family: 4 | 6) {
    this.bits = bits;
    this.family = family;
  }
}

/** A network: an address, not necessarily masked, and the length of its prefix. */
export class CidrValue {
  readonly address: IpValue;
  readonly prefixLength: number;

  constructor(address: IpValue, prefixLength: number) {
    this.address = address;
    this.prefixLength = prefixLength;
  }
}

/** A URL's parts as Kubernetes' accessors give them. */
export class UrlValue {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly escapedPath: string;
  readonly query: string;

  constructor(parts: Pick<UrlValue, "text" | "scheme" | "host" | "escapedPath" | "query">) {
    this.text = parts.text;
    this.scheme = parts.scheme;
    this.host = parts.host;
    this.escapedPath = parts.escapedPath;
    this.query = parts.query;
  }
}

/** A named format, which validates strings. */
export class FormatValue {
  readonly name: string;
  /** What is wrong with a string, in the API server's words; empty when nothing is. */
  readonly problems: (text: string) => readonly string[];
  /** The length of pattern that the API server's cost model assumes. */
  readonly patternLength: number;

  constructor(name: string, patternLength: number, problems: FormatValue["problems"]) {
    this.name = name;
    this.patternLength = patternLength;
    this.problems = problems;
  }
}

/**
 * A value that CEL can't hold as its schema says, such as 8000.0 in an integer field: `has` sees it,
 * and every expression that reads it fails with these words.
 */
export class UnreadableValue {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** The name of a value's type, as `type()` tells them apart. */
export function typeNameOf(value: unknown): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
      break;
  }
  if (value === null) return "null_type";
  if (Array.isArray(value)) return "list";
  if (value instanceof Map) return "map";
  if (value instanceof Uint8Array) return "bytes";
  for (const [kind, name] of NAMES) if (value instanceof kind) return name;
  return "unknown";
}

// biome-ignore lint/suspicious/noExplicitAny: constructors of any signature.
const NAMES: readonly (readonly [abstract new (...args: any[]) => unknown, string])[] = [
  [Uint, "uint"],
  [Timestamp, "google.protobuf.Timestamp"],
  [Duration, "google.protobuf.Duration"],
  [TypeValue, "type"],
  [Optional, "optional_type"],
  [QuantityValue, "kubernetes.Quantity"],
  [SemverValue, "kubernetes.Semver"],
  [IpValue, "net.IP"],
  [CidrValue, "net.CIDR"],
  [UrlValue, "kubernetes.URL"],
  [FormatValue, "kubernetes.NamedFormat"],
];
