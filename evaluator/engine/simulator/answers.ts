import type { AskedQuestion } from "./decide-request.ts";

/** An answer as the wire has it: four decimals, options in the order in which they were asked. */
export function writeAnswer(
  { type, options }: AskedQuestion,
  probabilities: readonly number[],
  layaExtras: boolean,
): Readonly<Record<string, unknown>> {
  const best = probabilities.indexOf(Math.max(...probabilities));
  const extras = layaExtras ? { laya: layaOf(type, probabilities) } : {};
  const confidence = round(confidenceOf(probabilities));
  switch (type) {
    case "choice":
      return {
        type,
        choice: options[best],
        confidence,
        probabilities: byKey(options, probabilities.map(round)),
        ...extras,
      };
    case "score": {
      const levels = options.map((_, level) => String(level));
      const score = probabilities.reduce((sum, share, level) => sum + share * level, 0);
      return {
        type,
        score: round(score),
        confidence,
        legend: byKey(levels, options),
        probabilities: byKey(levels, probabilities.map(round)),
        ...extras,
      };
    }
    case "noul":
      return { type, noul: round(probabilities[1] ?? 0), ...extras };
  }
}

/** How far the likeliest option is above chance: 0 where all are alike, 1 where it is sure. */
function confidenceOf(probabilities: readonly number[]): number {
  const count = probabilities.length;
  return Math.min(1, Math.max(0, (count * Math.max(...probabilities) - 1) / (count - 1)));
}

function layaOf(type: AskedQuestion["type"], probabilities: readonly number[]) {
  const entropy = probabilities.reduce(
    (sum, share) => (share > 0 ? sum - share * Math.log(share) : sum),
    0,
  );
  const confidence =
    type === "noul" ? Math.max(...probabilities) : 1 - entropy / Math.log(probabilities.length);
  return { confidence: round(confidence), act_probability: null };
}

function byKey<T>(keys: readonly string[], values: readonly T[]) {
  return Object.fromEntries(keys.map((key, index) => [key, values[index]]));
}

const round = (value: number) => Math.round(value * 10_000) / 10_000;
