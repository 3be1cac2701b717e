import { RE2JS } from "re2js";

/** A compiled RE2 expression: it takes time linear in the text, whatever the text. */
export interface Pattern {
  /** How many instructions a step over one character may cost. */
  readonly size: number;
  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean;
  /** All occurrences, from left to right, at most `limit` of them. */
  findAll(text: string, limit?: number): readonly string[];
}

/** A pattern, or why RE2 refuses it. */
export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly error: string };

const MAX_PATTERN_LENGTH = 4096;

/** Compiles RE2 expressions and keeps the latest ones; user-written patterns never meet a stock RegExp. */
export class PatternCache {
  readonly #capacity: number;
  readonly #compiled = new Map<string, CompiledPattern>();

  constructor(capacity = 256) {
    this.#capacity = capacity;
  }

  /** Compiles a pattern, or finds it among the latest ones; a refusal is remembered too. */
  compile(source: string): CompiledPattern {
    let found = this.#compiled.get(source);
    if (found === undefined) {
      found = compile(source);
      if (this.#compiled.size >= this.#capacity) {
        const [oldest] = this.#compiled.keys();
        if (oldest !== undefined) this.#compiled.delete(oldest);
      }
      this.#compiled.set(source, found);
    }
    return found;
  }
}

function compile(source: string): CompiledPattern {
  if (source.length > MAX_PATTERN_LENGTH) {
    return { ok: false, error: `the pattern is longer than ${MAX_PATTERN_LENGTH} characters` };
  }
  try {
    const compiled = RE2JS.compile(source);
    return {
      ok: true,
      pattern: {
        size: compiled.programSize(),
        test: (text) => compiled.test(text),
        findAll: (text, limit = Number.POSITIVE_INFINITY) => {
          const found: string[] = [];
          const matcher = compiled.matcher(text);
          while (found.length < limit && matcher.find()) found.push(matcher.group() ?? "");
          return found;
        },
      },
    };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}
