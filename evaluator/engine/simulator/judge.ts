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
