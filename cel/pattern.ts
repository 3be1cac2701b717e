import { RE2JS } from "re2js";
import { type CompiledProgram, isSmallAutomaton } from "./automaton.ts";

/** A compiled RE2 expression: it takes time linear in the text, whatever the text. */
export interface Pattern {
  /** How many instructions it has. */
  readonly size: number;
  /** How many steps a character of a text may take at worst when it is only tested. */
  readonly stepsPerUnit: number;
  /**
   * Changes whenever a test took more than a step for each character; undefined where that can't be
   * told.
   */
  progress(): number | undefined;
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
// Some 20 ms of compilation.
const MAX_PATTERN_WEIGHT = 4000;
const STEPS_PER_WEIGHT = 400;
// The classes of Unicode take many ranges each.
const CLASS_WEIGHT = 25;

/** The engine's automaton, as far as it was needed yet; the contract test watches it. */
interface Engine {
  readonly prog: CompiledProgram;
  readonly lazyDFA?: { readonly failed: boolean; readonly stateCount: number } | null;
}

function isSmall(compiled: RE2JS): boolean {
  const { prog } = compiled.re2() as unknown as Engine;
  return isSmallAutomaton(prog);
}

/** A pattern of one character takes as long to compile as so many instructions of a long one. */
const LEAST_WEIGHT = 20;
/** What the patterns of one expression may weigh together: some 30 ms of compilation. */
const MAX_WEIGHT_TOGETHER = 6000;

/** Whether patterns are too large together to be compiled for one expression. */
export function areTooLarge(sources: Iterable<string>): boolean {
  let weight = 0;
  for (const source of new Set(sources)) {
    weight += LEAST_WEIGHT + Math.min(patternWeight(source), MAX_PATTERN_WEIGHT);
    if (weight > MAX_WEIGHT_TOGETHER) return true;
  }
  return false;
}

/**
 * What compiling an expression may take, in instructions of some 5 µs: its text, and what counted
 * repetitions in it would grow to if they stood in patterns.
 */
export function compilationWeight(expression: string): number {
  const { length } = expression;
  return length / 10 + Math.max(0, patternWeight(expression) - length);
}

/** The steps that compiling a pattern may take. */
export function compilationSteps(source: string): number {
  return Math.min(patternWeight(source), MAX_PATTERN_WEIGHT) * STEPS_PER_WEIGHT;
}

/** How large a pattern grows when its counted repetitions are written out, roughly. */
function patternWeight(source: string): number {
  const groups: { total: number; last: number }[] = [{ total: 0, last: 0 }];
  const token =
    /\\[pP](?:\{[^}]*\}|.)|\\.|\[\^?\]?(?:\\.|\[:[^\]]*:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[\s\S]/gu;
  for (const [text, low, high] of source.matchAll(token)) {
    const group = groups.at(-1) as { total: number; last: number };
    if (low !== undefined) {
      const times = Math.max(1, Number(low), Number(high ?? 0));
      group.total += group.last * (times - 1);
      group.last *= times;
    } else if (text === "(") groups.push({ total: 0, last: 0 });
    else if (text === ")" && groups.length > 1) {
      const { total } = groups.pop() as { total: number };
      const outer = groups.at(-1) as { total: number; last: number };
      outer.last = total + 1;
      outer.total += outer.last;
    } else if (!/^[*+?|^$]$/.test(text)) {
      group.last = /\\[pP]/.test(text) ? CLASS_WEIGHT : 1;
      group.total += group.last;
    }
  }
  return groups.reduce((sum, { total }) => sum + total, 0);
}

/** Compiles RE2 expressions and keeps the latest ones; user-written patterns never meet a stock RegExp. */
export class PatternCache {
  readonly #capacity: number;
  readonly #compiled = new Map<string, CompiledPattern>();

  constructor(capacity = 256) {
    this.#capacity = capacity;
  }

  /** Whether a pattern was compiled lately. */
  has(source: string): boolean {
    return this.#compiled.has(source);
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
  const weight = patternWeight(source);
  if (weight > MAX_PATTERN_WEIGHT) {
    return { ok: false, error: "the pattern is too large to be compiled here" };
  }
  try {
    const compiled = RE2JS.compile(source);
    return {
      ok: true,
      pattern: {
        size: compiled.programSize(),
        stepsPerUnit: isSmall(compiled) ? 1 : 1 + compiled.programSize(),
        progress: () => {
          const { lazyDFA } = compiled.re2() as unknown as Engine;
          return lazyDFA == null || lazyDFA.failed ? undefined : lazyDFA.stateCount;
        },
        test: (text) => compiled.test(text),
        findAll: (text, limit = Number.POSITIVE_INFINITY) => {
          const found: string[] = [];
          const matcher = compiled.matcher(text);
          let end = -1;
          while (found.length < limit && matcher.find()) {
            const occurrence = matcher.group() ?? "";
            // As in Go, an empty occurrence right behind another is none.
            if (occurrence !== "" || matcher.start() !== end) found.push(occurrence);
            end = matcher.end();
          }
          return found;
        },
      },
    };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}
