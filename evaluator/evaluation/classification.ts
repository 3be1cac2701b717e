import { add, divide, type Fraction, ratio, ZERO } from "./fraction.ts";

/** The class that one answer should have had, and the one that it had; `undefined` for no such answer. */
export interface Classified {
  readonly expected: string;
  readonly predicted: string | undefined;
}

/**
 * Macro-F1 of one question: the mean of F1 over all classes that were expected or predicted, where
 * "no answer" is a class of its own and an F1 without a hit is 0. 0 of an empty list.
 */
export function macroF1(pairs: readonly Classified[]): Fraction {
  const hits = new Map<string | undefined, number>();
  // How often a class was expected plus how often it was predicted.
  const mentions = new Map<string | undefined, number>();
  const count = (counts: Map<string | undefined, number>, label: string | undefined) =>
    counts.set(label, (counts.get(label) ?? 0) + 1);
  for (const { expected, predicted } of pairs) {
    count(mentions, expected);
    count(mentions, predicted);
    if (expected === predicted) count(hits, expected);
  }
  // Classes with as many mentions are summed first, so that few denominators meet.
  const hitsByMentions = new Map<number, number>();
  for (const [label, mentioned] of mentions) {
    const sum = hitsByMentions.get(mentioned) ?? 0;
    hitsByMentions.set(mentioned, sum + 2 * (hits.get(label) ?? 0));
  }
  const sum = [...hitsByMentions].reduce(
    (total, [mentioned, twiceHits]) => add(total, ratio(twiceHits, mentioned)),
    ZERO,
  );
  return divide(sum, mentions.size);
}
