import { CelFailure } from "./overload.ts";

/** One clause of a format string: `%.2f` of the argument at an index. */
export interface FormatClause {
  readonly verb: string;
  readonly precision: number | undefined;
  readonly index: number;
}

/**
 * Reads a format string and gives it with each clause replaced. Fails in the words of the API server's
 * library where the text is no format string, or has more clauses than there are arguments.
 */
export function replaceClauses(
  text: string,
  count: number,
  replace: (clause: FormatClause) => string,
): string {
  const clause = /%(?:(%)|(\.[0-9]*)?([\s\S]?))/gu;
  let index = 0;
  return text.replace(clause, (_whole, percent, dot: string | undefined, verb: string) => {
    if (percent !== undefined) return "%";
    if (index >= count) throw new CelFailure(`index ${index} out of range`);
    if (dot === undefined && verb === "") throw new CelFailure("unexpected end of string");
    const precision = dot === undefined ? undefined : readPrecision(dot, verb);
    if (!"sdfebxXo".includes(verb)) {
      throw unreadable(`unrecognized formatting clause "${verb}"`);
    }
    const replaced = replace({ verb, precision, index });
    index += 1;
    return replaced;
  });
}

function unreadable(why: string): CelFailure {
  return new CelFailure(`could not parse formatting clause: ${why}`);
}

function readPrecision(dot: string, verb: string): number {
  const parsing = "error while parsing precision";
  if (verb === "") throw unreadable(`${parsing}: could not find end of precision specifier`);
  const digits = dot.slice(1);
  if (digits === "" || BigInt(digits) > 2n ** 63n - 1n) {
    throw unreadable(`${parsing}: error while converting precision to integer`);
  }
  return Number(digits);
}

/** What a verb takes, as cel-go says it when a type is none of these. */
// biome-ignore format: a table
export const VERB_TYPES: ReadonlyMap<string, { readonly types: readonly string[]; readonly words: string }> = new Map([
  ["s", { types: ["list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null"], words: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps" }],
  ["d", { types: ["int", "uint"],                    words: "decimal clause can only be used on integers" }],
  ["f", { types: ["double", "string"],               words: "fixed-point clause can only be used on doubles" }],
  ["e", { types: ["double", "string"],               words: "scientific clause can only be used on doubles" }],
  ["b", { types: ["int", "uint", "bool"],            words: "only integers and bools can be formatted as binary" }],
  ["x", { types: ["int", "uint", "string", "bytes"], words: "only integers, byte buffers, and strings can be formatted as hex" }],
  ["X", { types: ["int", "uint", "string", "bytes"], words: "only integers, byte buffers, and strings can be formatted as hex" }],
  ["o", { types: ["int", "uint"],                    words: "octal clause can only be used on integers" }],
]);

/** The library's words for an argument that a verb does not take. */
export function wrongType(verb: string, type: string): string {
  return `error during formatting: ${VERB_TYPES.get(verb)?.words}, was given ${type}`;
}
