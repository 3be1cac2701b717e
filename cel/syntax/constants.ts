import { Uint } from "../values.ts";
import type { Token } from "./lexer.ts";

/** The value of a literal, or what is wrong with it. */
export type Literal = { readonly value: unknown } | { readonly problem: string };

/** Reads a token as a literal, behind a minus sign if `negative`; undefined when it is none. */
export function readLiteral(token: Token, negative: boolean): Literal | undefined {
  const { kind, text, value } = token;
  switch (kind) {
    case "int": {
      const int = negative ? -BigInt(text) : BigInt(text);
      return BigInt.asIntN(64, int) === int ? { value: int } : { problem: "invalid int literal" };
    }
    case "uint": {
      const uint = BigInt(text.slice(0, -1));
      const fits = BigInt.asUintN(64, uint) === uint;
      return fits ? { value: new Uint(uint) } : { problem: "invalid uint literal" };
    }
    case "double": {
      const double = negative ? -Number(text) : Number(text);
      return Number.isFinite(double) ? { value: double } : { problem: "invalid double literal" };
    }
    case "string":
    case "bytes":
      return { value };
    case "keyword":
      if (text === "in") return undefined;
      return { value: text === "null" ? null : text === "true" };
    default:
      return undefined;
  }
}
