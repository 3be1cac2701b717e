import type { KubeObject } from "../../kube/object.ts";
import { field } from "../../kube/object.ts";

/** What a Composition may set for its step, or what is wrong with it. */
export type ReplicaInput =
  | {
      readonly ok: true;
      /** Whether the provider should watch workloads and the route, where it has that feature. */
      readonly watch: boolean;
    }
  | { readonly ok: false; readonly message: string };

/** Reads the step's input: `kind: Input` with an optional `spec.watch`. */
export function readInput(input: KubeObject | undefined): ReplicaInput {
  if (input === undefined) return { ok: true, watch: false };
  if (input.kind !== "Input") {
    return wrong(`kind is ${JSON.stringify(input.kind)}: use "Input", or leave the input out`);
  }
  const watch = field(input, "spec", "watch") ?? false;
  if (typeof watch !== "boolean") {
    return wrong(`spec.watch is ${JSON.stringify(watch)}: use true or false`);
  }
  return { ok: true, watch };
}

function wrong(why: string): ReplicaInput {
  return { ok: false, message: `The input of the Composition's step can't be used: ${why}` };
}
