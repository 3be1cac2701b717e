import type { Classified } from "./classification.ts";
import type { ScoredCase } from "./measurement.ts";

/** How the classes of one question were taken for each other. */
export interface Confusion {
  readonly question: string;
  /** All that were expected or answered, sorted; a label as it is, a boolean as `true` or `false`. */
  readonly classes: readonly string[];
  /**
   * A row for each expected class and a column for each answered one, and a last column for no
   * usable answer.
   */
  readonly counts: readonly (readonly number[])[];
}

/** The confusion matrices of all questions that have a class to hit, by question. */
export function confusions(scored: readonly ScoredCase[]): readonly Confusion[] {
  const outcomes = scored.flatMap((one) => one.outcomes);
  const byQuestion = Map.groupBy(outcomes, ({ question }) => question);
  return [...byQuestion.keys()].sort().flatMap((question) => {
    const pairs = (byQuestion.get(question) ?? []).flatMap(({ classified }) => classified ?? []);
    return pairs.length === 0 ? [] : [confusion(question, pairs)];
  });
}

function confusion(question: string, pairs: readonly Classified[]): Confusion {
  const names = new Set(
    pairs.flatMap(({ expected, predicted = expected }) => [expected, predicted]),
  );
  const classes = [...names].sort();
  const place = new Map(classes.map((name, index) => [name, index]));
  const none = classes.length;
  const counts = classes.map(() => Array<number>(none + 1).fill(0));
  for (const { expected, predicted } of pairs) {
    const row = counts[place.get(expected) ?? none];
    const column = predicted === undefined ? none : (place.get(predicted) ?? none);
    if (row !== undefined) row[column] = (row[column] ?? 0) + 1;
  }
  return { question, classes: classes.map((name) => String(JSON.parse(name))), counts };
}
