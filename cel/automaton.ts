// An instruction of a compiled expression, as re2js holds it; the contract test watches it.
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  /** Pairs of first and last code points. */
  readonly runes: ArrayLike<number>;
}

/** A compiled expression, as far as this file looks into it. */
export interface CompiledProgram {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

const [ALT, ALT_MATCH, CAPTURE, EMPTY] = [1, 2, 3, 4];
const [NOP, RUNE, RUNE1, ANY, ANY_NOT_NL] = [7, 8, 9, 10, 11];

// The assertion that a text begins here, alone.
const BEGIN_TEXT = 4;

// A few milliseconds of work, and a small part of the states that the engine would keep.
const MAX_STATES = 1000;
const MAX_VISITS = 1_000_000;

/**
 * Tells whether an expression is a small automaton: the engine then takes each character of any text
 * in one step, where it may otherwise follow every instruction at each character.
 */
export function isSmallAutomaton({ inst, start }: CompiledProgram): boolean {
  const alphabet = representatives(inst);
  const taking = alphabet.map((point) => inst.map((one) => takes(one, point)));
  const words = Math.ceil(inst.length / 32);
  const reached = new Map<number, readonly number[]>();
  const after = (from: number): readonly number[] => {
    const known = reached.get(from) ?? consumers(inst, from, false);
    reached.set(from, known);
    return known;
  };
  let visits = 0;
  const stateOf = (lists: readonly (readonly number[])[]): readonly [string, readonly number[]] => {
    const bits = new Uint32Array(words);
    const state: number[] = [];
    for (const list of lists) {
      visits += list.length + 1;
      for (const one of list) {
        const word = one >> 5;
        const bit = 1 << (one & 31);
        if (((bits[word] as number) & bit) !== 0) continue;
        bits[word] = (bits[word] as number) | bit;
        state.push(one);
      }
    }
    return [bits.join(), state];
  };
  const states = new Map([stateOf([consumers(inst, start, true)])]);
  for (const [, state] of states) {
    for (const takers of taking) {
      visits += state.length;
      if (visits > MAX_VISITS || states.size > MAX_STATES) return false;
      const outs = state.filter((at) => takers[at]).map((at) => (inst[at] as Instruction).out);
      // A match may begin at any character.
      const [key, next] = stateOf([after(start), ...outs.map(after)]);
      if (!states.has(key)) states.set(key, next);
    }
  }
  return true;
}

/** The instructions that take a character and can be reached without one, most assertions taken for granted. */
function consumers(
  inst: readonly Instruction[],
  from: number,
  atBegin: boolean,
): readonly number[] {
  const seen = new Set<number>();
  const found: number[] = [];
  const stack = [from];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const { op, out, arg } = inst[next] as Instruction;
    if (op === ALT || op === ALT_MATCH) stack.push(out, arg);
    else if (op === CAPTURE || op === NOP) stack.push(out);
    else if (op === EMPTY) {
      if (atBegin || arg !== BEGIN_TEXT) stack.push(out);
    } else if (op === RUNE || op === RUNE1 || op === ANY || op === ANY_NOT_NL) found.push(next);
  }
  return found;
}

/** One code point of each group that no instruction tells apart. */
function representatives(inst: readonly Instruction[]): readonly number[] {
  const bounds = new Set([0, 0x0a, 0x0b]);
  for (const { op, runes } of inst) {
    if (op !== RUNE && op !== RUNE1) continue;
    for (let at = 0; at < runes.length; at += 2) {
      bounds.add(runes[at] as number);
      bounds.add(((runes[at + 1] ?? runes[at]) as number) + 1);
      // Letters may stand for their other case.
      for (const one of [runes[at] as number, (runes[at + 1] ?? runes[at]) as number]) {
        bounds.add(one ^ 0x20).add((one ^ 0x20) + 1);
      }
    }
  }
  return [...bounds];
}

function takes({ op, runes }: Instruction, point: number): boolean {
  if (op === ANY) return true;
  if (op === ANY_NOT_NL) return point !== 0x0a;
  if (op !== RUNE && op !== RUNE1) return false;
  const folded = point ^ 0x20;
  for (let at = 0; at < runes.length; at += 2) {
    const [low, high] = [runes[at] as number, (runes[at + 1] ?? runes[at]) as number];
    if ((low <= point && point <= high) || (runes.length === 1 && low === folded)) return true;
  }
  return false;
}
