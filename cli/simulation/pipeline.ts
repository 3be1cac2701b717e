import type {
  CompositeCondition,
  FunctionResult,
} from "../../functions/composition/composition.ts";
import { jsonEqual } from "../../kube/canonical.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Cluster } from "./cluster.ts";
import { type Calls, type Desired, nothingDesired, type Step, type StepAnswer } from "./step.ts";

/** How often Crossplane calls a function again because it asks for other resources (xfn). */
const MOST_REQUIREMENT_ROUNDS = 5;

/** How a pipeline ended; with an `error` nothing that it desired is applied. */
export interface PipelineEnd {
  readonly desired: Desired;
  readonly conditions: readonly CompositeCondition[];
  /** Without the Fatal one, which is the error. */
  readonly results: readonly FunctionResult[];
  readonly error?: string;
}

/** Runs a Composition's steps one after the other, as Crossplane's function composer does. */
export function* runPipeline(
  steps: readonly Step[],
  composite: KubeObject,
  observed: ReadonlyMap<string, KubeObject>,
  cluster: Cluster,
): Calls<PipelineEnd> {
  let desired = nothingDesired;
  let context: StepAnswer["context"] = {};
  const conditions: CompositeCondition[] = [];
  const results: FunctionResult[] = [];
  for (const step of steps) {
    const answer = yield* runStep(step, composite, observed, desired, context, cluster);
    if (answer === undefined) {
      const error = `cannot run Composition pipeline step "${step.step}": requirements didn't stabilize after the maximum number of iterations (${MOST_REQUIREMENT_ROUNDS})`;
      return { desired, conditions, results, error };
    }
    ({ desired, context } = answer);
    conditions.push(...answer.conditions);
    for (const result of answer.results) {
      if (result.severity === "Fatal") {
        const error = `pipeline step "${step.step}" returned a fatal result: ${result.message}`;
        return { desired, conditions, results, error };
      }
      results.push(result);
    }
  }
  return { desired, conditions, results };
}

/** Calls one function until it asks for the same resources twice; `undefined` when it never does. */
function* runStep(
  step: Step,
  composite: KubeObject,
  observed: ReadonlyMap<string, KubeObject>,
  desired: Desired,
  context: StepAnswer["context"],
  cluster: Cluster,
): Calls<StepAnswer | undefined> {
  let required: ReadonlyMap<string, readonly KubeObject[]> = new Map();
  let requirements: StepAnswer["requirements"] = {};
  let carried = context;
  for (let round = 0; round <= MOST_REQUIREMENT_ROUNDS; round++) {
    const request = { step, composite, observed, desired, required, context: carried };
    const answer: StepAnswer = yield request;
    // After a Fatal result Crossplane looks nothing up any more.
    if (answer.results.some(({ severity }) => severity === "Fatal")) return answer;
    if (jsonEqual(answer.requirements, requirements)) return answer;
    requirements = answer.requirements;
    required = new Map(
      Object.entries(requirements).map(([name, selector]) => [name, cluster.select(selector)]),
    );
    carried = answer.context;
  }
  return undefined;
}
