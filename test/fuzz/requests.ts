import { State } from "@crossplane-org/function-sdk-typescript";
import { decodeResponse } from "../../cli/client-codec.ts";
import type { Handler } from "../../functions/composition/composition.ts";
import { LARGEST_RESPONSE, runFunction } from "../../functions/run.ts";
import { isRecord } from "../../kube/object.ts";
import { replicaScenes, type Scene } from "../replica-scenes.ts";
import { encodeRequest, frame, type RequestParts, resource } from "../wire-messages.ts";
import { mutateBytes, mutateJson } from "./mutations.ts";
import { createRandom, type Random } from "./random.ts";

type Fields = Record<string, unknown>;

/** Examples that between them use every backend, router and option of a replica. */
const EXAMPLES = [
  "replica",
  "two-engines",
  "gang-leader-worker-set",
  "gang-grove",
  "prefill-decode-sidecar",
  "prefill-decode-picker",
  "model-cache-dynamo",
  "sixteen-gpus",
];

/** One damaged request and what must be true of the answer. */
interface Case {
  readonly bytes: Buffer;
  /** Whether the bytes themselves are damaged: part of them may then pass through as desired state. */
  readonly damagedBytes: boolean;
  /** Resource keys that the answer must hold on to while it composes nothing new. */
  readonly observed: readonly string[];
  /** Whether the cluster is missing, so that nothing may be let go whatever else is wrong. */
  readonly mustHold: boolean;
}

/** What a campaign met, so that a campaign that exercises nothing can be told from a good one. */
export interface Tally {
  invalid: number;
  fatal: number;
  holding: number;
  composed: number;
}

/**
 * Runs requests number `from` up to `to` of the campaign that `seed` names against the handlers,
 * and throws on the first answer that breaks a rule: an exception, a bug in a handler, an answer
 * that can't be decoded or delivered, or an observed resource lost while the function holds.
 */
export function fuzzRequests(
  handlers: readonly Handler[],
  seed: number,
  from: number,
  to: number,
  progress: (run: number) => void,
): Tally {
  const scenes = replicaScenes(handlers, EXAMPLES).map(prepare);
  const tally: Tally = { invalid: 0, fatal: 0, holding: 0, composed: 0 };
  for (let run = from; run < to; run++) {
    progress(run);
    const random = createRandom(seed, run);
    try {
      tally[check(handlers, damagedRequest(random, random.pick(scenes)), random)] += 1;
    } catch (error) {
      throw new Error(`seed ${seed}, run ${run}: ${(error as Error).stack}`, { cause: error });
    }
  }
  return tally;
}

/** A scene with the encodings that most runs share, since encoding all anew would take most of the time. */
interface Prepared {
  readonly scene: Scene;
  readonly whole: Buffer;
  /** The `resources` entries of the observed State. */
  readonly observed: Buffer;
}

function prepare(scene: Scene): Prepared {
  const { observed } = scene.parts;
  return { scene, whole: encodeRequest(scene.parts), observed: observedEntries(observed) };
}

function observedEntries(observed: Readonly<Record<string, Fields>>): Buffer {
  const resources = Object.entries(observed).map(([key, object]) => [key, resource(object)]);
  const state = { composite: undefined, resources: Object.fromEntries(resources) };
  return Buffer.from(State.encode(state).finish());
}

/** Encodes a request; of two States the last counts, so the one given is put after all else. */
function encode(parts: RequestParts & { composite: Fields }, observed: Buffer): Buffer {
  const { composite, ...rest } = parts;
  const state = State.encode({ composite: resource(composite), resources: {} }).finish();
  return Buffer.concat([encodeRequest({ ...rest, observed: {} }), frame(0x12, state, observed)]);
}

function damagedRequest(random: Random, { scene, whole, observed }: Prepared): Case {
  const { parts } = scene;
  const { composite } = parts;
  const keys = Object.keys(parts.observed);
  switch (random.below(4)) {
    case 0:
      return {
        bytes: mutateBytes(random, whole),
        damagedBytes: true,
        observed: [],
        mustHold: false,
      };
    case 1: {
      const damaged = observedEntries(damagedObserved(random, parts.observed));
      const bytes = encode({ composite, required: clusters(random, scene) }, damaged);
      return { bytes, damagedBytes: false, observed: [], mustHold: false };
    }
    case 2: {
      const [cluster] = objects(times(random, parts.required.cluster ?? []));
      const [step] = objects([times(random, input)]);
      const required = { cluster: cluster === undefined ? [] : [cluster] };
      const bytes = encode(
        { composite, required, ...(step !== undefined && random.once(2) && { input: step }) },
        observed,
      );
      return { bytes, damagedBytes: false, observed: keys, mustHold: cluster === undefined };
    }
    default: {
      const required = clusters(random, scene);
      const [damaged = {}] = objects([damagedComposite(random, composite)]);
      const bytes = encode({ composite: damaged, required }, observed);
      const mustHold = (required.cluster ?? []).length === 0;
      return { bytes, damagedBytes: false, observed: keys, mustHold };
    }
  }
}

const input = { apiVersion: "modelplane.ai/v1alpha1", kind: "Input", spec: { watch: true } };

/** The XR is what a user writes, so its spec is damaged more often than its envelope. */
function damagedComposite(random: Random, composite: Scene["parts"]["composite"]) {
  if (random.once(5)) return times(random, composite);
  return { ...composite, spec: times(random, composite.spec) };
}

function clusters(random: Random, { parts }: Scene): NonNullable<RequestParts["required"]> {
  const cluster = parts.required.cluster ?? [];
  return random.pick<NonNullable<RequestParts["required"]>>([{}, { cluster: [] }, { cluster }]);
}

/** A resource is a Struct on the wire, so what is not even an object can't be sent in its place. */
function objects(damaged: readonly unknown[]): readonly Fields[] {
  return damaged.map((value) => (isRecord(value) ? value : {}));
}

/** One observed object is damaged, gone, or under a key that is not its own. */
function damagedObserved(random: Random, observed: Readonly<Record<string, Fields>>) {
  const key = random.pick(Object.keys(observed));
  const { [key]: chosen = {}, ...others } = observed;
  if (random.once(6)) return others;
  const [damaged = {}] = objects([times(random, chosen)]);
  return { ...others, [random.once(6) ? `${key}-x` : key]: damaged };
}

function times<T>(random: Random, value: T): T {
  let damaged = value;
  for (let count = 1 + random.below(3); count > 0; count--) damaged = mutateJson(random, damaged);
  return damaged;
}

function check(handlers: readonly Handler[], damaged: Case, random: Random): keyof Tally {
  const outcome = runFunction(handlers, damaged.bytes, "fuzz");
  if ("invalid" in outcome) return "invalid";
  const { bug } = outcome.facts;
  if (bug !== undefined) throw bug instanceof Error ? bug : new Error(String(bug));
  if (outcome.response.length > LARGEST_RESPONSE) throw new Error("the response is too large");
  if (random.once(16)) {
    const again = runFunction(handlers, damaged.bytes, "fuzz");
    if ("invalid" in again || !again.response.equals(outcome.response)) {
      throw new Error("the same request got two answers");
    }
  }
  if (damaged.damagedBytes) return outcome.facts.severities.Fatal > 0 ? "fatal" : "composed";
  const answer = decodeResponse(outcome.response);
  if (answer.results.some(({ severity }) => severity === "Fatal")) return "fatal";
  const holding = answer.conditions.some(
    ({ type, status }) => type === "Holding" && status === "True",
  );
  if (!holding && !damaged.mustHold) return "composed";
  const { resources } = answer.desired;
  const lost = damaged.observed.filter((key) => !resources.has(key));
  if (lost.length > 0) {
    const reasons = answer.conditions.map(({ type, reason }) => `${type}=${reason}`).join();
    throw new Error(`lost ${lost.join()} (${reasons})`);
  }
  return "holding";
}
