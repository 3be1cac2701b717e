import { readText } from "./literals.ts";
import type { Issue } from "./place.ts";

/** One token; `value` is the text of names, and the CEL value of literals. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
}

export type TokenKind =
  | ("name" | "escaped" | "int" | "uint" | "double" | "string" | "bytes")
  | ("keyword" | "punctuation" | "end");

/** The tokens of an expression, the end among them, or the first thing in it that is no token. */
export type Lexed =
  | { readonly ok: true; readonly tokens: readonly Token[] }
  | { readonly ok: false; readonly issue: Issue };

const SPACE = /(?:[\t \r\n\f]+|\/\/[^\n]*)*/y;
const NUMBER =
  /0x[0-9a-fA-F]+[uU]?|[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[uU]?/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const ESCAPED = /`[A-Za-z0-9_.\-/ ]+`/y;
const PREFIX = /(?:[bB][rR]?|[rR])?(?="|')/y;
const PUNCTUATION = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;
const KEYWORDS: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

/** Splits an expression into tokens. */
export function lex(source: string): Lexed {
  const tokens: Token[] = [];
  const at = (pattern: RegExp, start: number): string | undefined => {
    pattern.lastIndex = start;
    return pattern.exec(source)?.[0];
  };
  let start = 0;
  for (;;) {
    start += at(SPACE, start)?.length ?? 0;
    if (start >= source.length) break;
    const prefix = at(PREFIX, start);
    if (prefix !== undefined) {
      const read = readText(source, start, prefix.toLowerCase());
      if (!read.ok) return read;
      const kind = prefix.toLowerCase().includes("b") ? "bytes" : "string";
      const text = source.slice(start, read.end);
      tokens.push({ kind, text, value: read.value, start, end: read.end });
      start = read.end;
      continue;
    }
    const number = at(NUMBER, start);
    const name = at(NAME, start);
    const text = number ?? name ?? at(ESCAPED, start) ?? at(PUNCTUATION, start);
    if (text === undefined) {
      const character = String.fromCodePoint(source.codePointAt(start) ?? 0);
      const message = `Syntax error: token recognition error at: '${character}'`;
      return { ok: false, issue: { message, position: start } };
    }
    const end = start + text.length;
    if (number !== undefined)
      tokens.push({ kind: numberKind(text), text, value: text, start, end });
    else if (name !== undefined) {
      tokens.push({ kind: KEYWORDS.has(text) ? "keyword" : "name", text, value: text, start, end });
    } else if (text.startsWith("`")) {
      tokens.push({ kind: "escaped", text, value: text.slice(1, -1), start, end });
    } else tokens.push({ kind: "punctuation", text, value: text, start, end });
    start = end;
  }
  tokens.push({ kind: "end", text: "", value: "", start: source.length, end: source.length });
  return { ok: true, tokens };
}

function numberKind(text: string): TokenKind {
  if (/[uU]$/.test(text)) return "uint";
  return /^0x/.test(text) || !/[.eE]/.test(text) ? "int" : "double";
}
