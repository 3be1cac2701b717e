import type { SimulatedModel } from "./catalog.ts";
import type { AskedQuestion } from "./decide-request.ts";

/**
 * What a model makes of a question: the probability of each option, in their order and together 1,
 * or `undefined` where it gives no answer at all, which a real model never does.
 */
export type Judge = (
  model: SimulatedModel,
  question: AskedQuestion,
  state: unknown,
) => readonly number[] | undefined;

/** A judge of logit 2 for the first option and −i/4 for every other one, whatever it is asked. */
export const firstOption: Judge = (_, { options }) => {
  const weights = options.map((_, index) => Math.exp(index === 0 ? 2 : -index / 4));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};
