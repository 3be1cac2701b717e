import { DeviceSelectors } from "../../cel/device.ts";
import type { Compiled } from "../../cel/environment.ts";
import { compilationWeight } from "../../cel/pattern.ts";

/** A CEL selector of a spec. */
export interface PlacedSelector {
  /** Where its text stands in the object, such as `spec.engines[0].members[0]…cel`. */
  readonly path: string;
  readonly text: string;
}

/** A selector that does not compile. */
export interface SelectorProblem extends PlacedSelector {
  /** Why not, in the words of the API server where it refuses the selector too. */
  readonly message: string;
}

/**
 * What the selectors of one spec may weigh together. All of them count, known or not, since an
 * answer depends on the request alone; a spec of ours has far fewer and lighter ones.
 */
const MOST_WEIGHT = 20_000;

/** How much of a selector a message quotes, in characters. */
const MOST_QUOTED = 200;

/** Why selectors may not be compiled together, `undefined` where they may. */
export function selectorsTooHeavy(texts: readonly string[]): string | undefined {
  const weight = [...new Set(texts)].reduce((sum, text) => sum + compilationWeight(text), 0);
  if (weight <= MOST_WEIGHT) return undefined;
  return `take too long to compile together (${Math.ceil(weight)} of ${MOST_WEIGHT}): use fewer, or smaller repetitions in their patterns`;
}

/** Says that a selector does not compile: its path, its text and why. */
export function describeSelectorProblem({ path, text, message }: SelectorProblem): string {
  const quoted = text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text;
  return `${path}: ${JSON.stringify(quoted)} does not compile: ${message}`;
}

/**
 * Makes a compiler of device selectors that keeps something of each distinct one, since every
 * reconcile brings the same ones; of at most `most`, and what it keeps never changes an answer.
 */
export function createSelectorCompiler<Kept>(
  keep: (compiled: Compiled) => Kept,
  most: number,
): (text: string) => Kept {
  // Made when the first selector comes by: many replicas have none.
  let selectors: DeviceSelectors | undefined;
  const known = new Map<string, Kept>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as Kept;
    selectors ??= new DeviceSelectors();
    const kept = keep(selectors.compile(text));
    if (known.size >= most) known.clear();
    known.set(text, kept);
    return kept;
  };
}
