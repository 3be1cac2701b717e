import type {
  Composition,
  CompositionRequest,
  Handler,
} from "../functions/composition/composition.ts";
import { mergeOver } from "../functions/wire/status.ts";
import type { KubeObject } from "../kube/object.ts";
import type { Calls, StepAnswer, StepRequest } from "./simulation/step.ts";

/** Answers a call of a function, in this process or over the network. */
export type Answerer = (request: StepRequest) => StepAnswer | Promise<StepAnswer>;

/** Runs a simulation to its end with somebody who answers its calls. */
export async function drive<T>(calls: Calls<T>, answer: Answerer): Promise<T> {
  let next = calls.next();
  while (!next.done) next = calls.next(await answer(next.value));
  return next.value;
}

/** The name of our function in the tree and, after its registry path, as a package's dependency. */
export function isOurFunction(name: string): boolean {
  return name === "function-sluice" || name.endsWith("-function-sluice");
}

/** The step leaves everything as the steps before it had it. */
export function passThrough({ desired, context }: StepRequest): StepAnswer {
  return { desired, context, requirements: {}, conditions: [], results: [] };
}

/**
 * Answers with the handler of the composite's kind, as the function server does. A handler that
 * throws has a bug: its exception passes through.
 */
export function answerInProcess(handlers: readonly Handler[]): Answerer {
  return (request) => {
    const { apiVersion, kind } = request.composite;
    const handler = handlers.find((one) => one.apiVersion === apiVersion && one.kind === kind);
    if (handler !== undefined)
      return answerOf(request, handler.compose(compositionRequest(request)));
    const served = handlers.map((one) => `${one.kind}.${one.apiVersion}`).sort();
    const message = `sluice does not compose ${kind} of ${apiVersion}; it composes ${served.join(", ")}`;
    return { ...passThrough(request), results: [{ severity: "Fatal", message }] };
  };
}

function compositionRequest(request: StepRequest): CompositionRequest {
  const { composite, observed, required, step } = request;
  return {
    composite,
    observed: { keys: [...observed.keys()].sort(), get: (key) => observed.get(key) },
    required: (name) => resolution(required.get(name)),
    input: step.input,
  };
}

/** As the codec has it: never asked for, looked up without a find, or found. */
function resolution(found: readonly KubeObject[] | undefined) {
  if (found === undefined) return { state: "unresolved" } as const;
  if (found.length === 0) return { state: "absent" } as const;
  return { state: "present", value: found } as const;
}

/** Lays a composition over what earlier steps want, as the response's encoder does. */
function answerOf(request: StepRequest, composition: Composition): StepAnswer {
  const { desired, context } = request;
  const own = composition.resources.map(
    ({ key, object, ready }) => [key, { object, ready }] as const,
  );
  return {
    desired: {
      status: mergeOver(desired.status, composition.status),
      ready: composition.ready ?? desired.ready,
      resources: new Map([...desired.resources, ...own]),
    },
    requirements: composition.requirements,
    conditions: composition.conditions,
    results: composition.results,
    context,
  };
}
