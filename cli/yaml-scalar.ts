import { FloatLiteral } from "../schema/number.ts";

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ..."y Y yes Yes YES true True TRUE on On ON".split(" ").map((word) => [word, true] as const),
  ..."n N no No NO false False FALSE off Off OFF".split(" ").map((word) => [word, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
]);

const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const MAX_UINT = 2n ** 64n;

/**
 * The value of a plain YAML scalar as Kubernetes' parser reads it, which is YAML 1.1's: `yes` is
 * true and `017` is 15. Whole numbers stay exact; one that is written as a float stays a float.
 */
export function plainScalar(source: string): unknown {
  const word = WORDS.get(source);
  if (word !== undefined) return word;
  // Words were looked up, and no number starts otherwise: text is the usual case.
  if (!/^[-+.0-9]/.test(source)) return source;
  const digits = source.startsWith(".") ? source : source.replaceAll("_", "");
  return integer(digits) ?? float(digits) ?? source;
}

function integer(text: string): number | bigint | undefined {
  const match = INTEGER.exec(text);
  if (match === null) return undefined;
  const [, sign, hex, binary, octal, decimal = "0"] = match;
  const magnitude = hex
    ? BigInt(`0x${hex}`)
    : binary
      ? BigInt(`0b${binary}`)
      : octal
        ? BigInt(`0o${octal}`)
        : BigInt(decimal);
  const value = sign === "-" ? -magnitude : magnitude;
  if (value >= MAX_UINT || value < -(2n ** 63n)) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function float(text: string): number | FloatLiteral | undefined {
  if (!FLOAT.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  return Number.isInteger(value) ? new FloatLiteral(value) : value;
}
