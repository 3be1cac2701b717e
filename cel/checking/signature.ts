import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  optionalOf,
  STRING,
  TIMESTAMP,
  UINT,
} from "./type.ts";

/** What a signature says: `string->find(string): string` is a method, `size(list<A>): int` a function. */
export interface Signature {
  readonly name: string;
  /** Whether it is called on its first parameter. */
  readonly method: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
}

const SIMPLE: ReadonlyMap<string, CelType> = new Map([
  ["dyn", DYN],
  ["null", NULL],
  ["bool", BOOL],
  ["int", INT],
  ["uint", UINT],
  ["double", DOUBLE],
  ["string", STRING],
  ["bytes", BYTES],
  ["timestamp", TIMESTAMP],
  ["duration", DURATION],
  ["Quantity", opaque("kubernetes.Quantity")],
  ["Semver", opaque("kubernetes.Semver")],
  ["URL", opaque("kubernetes.URL")],
  ["Format", opaque("kubernetes.NamedFormat")],
  ["IP", opaque("net.IP")],
  ["CIDR", opaque("net.CIDR")],
]);

/** Reads a signature of one of our tables; one that can't be read is a bug. */
export function readSignature(text: string): Signature {
  const match = /^(?:(.+)->)?([^(]+)\((.*)\): (.+)$/.exec(text);
  if (match === null) throw new Error(`no signature: ${text}`);
  const [, receiver, name, list, result] = match as unknown as [
    string,
    string | undefined,
    string,
    string,
    string,
  ];
  const parameters = [...(receiver === undefined ? [] : [receiver]), ...split(list)];
  return {
    name,
    method: receiver !== undefined,
    parameters: parameters.map(readType),
    result: readType(result),
  };
}

/** Reads a type as signatures write it: `map<string, list<A>>`; one capital letter is a parameter. */
function readType(text: string): CelType {
  const simple = SIMPLE.get(text);
  if (simple !== undefined) return simple;
  if (/^[A-Z]$/.test(text)) return { kind: "parameter", name: text };
  const [, outer, inner = ""] = /^([a-z]+)<(.+)>$/.exec(text) ?? [];
  const [first = DYN, second = DYN] = split(inner).map(readType);
  switch (outer) {
    case "list":
      return listOf(first);
    case "map":
      return mapOf(first, second);
    case "optional":
      return optionalOf(first);
    case "type":
      return { kind: "type", of: first };
    default:
      throw new Error(`no type: ${text}`);
  }
}

/** Splits at the commas that stand in no angle brackets. */
function split(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const [index, character] of [...list].entries()) {
    if (character === "<") depth += 1;
    else if (character === ">") depth -= 1;
    else if (character === "," && depth === 0) {
      parts.push(list.slice(start, index).trim());
      start = index + 1;
    }
  }
  const last = list.slice(start).trim();
  return last === "" ? parts : [...parts, last];
}
