import { decodeResponse } from "../../cli/client-codec.ts";
import type { Handler } from "../../functions/composition/composition.ts";
import { runFunction } from "../../functions/run.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";
import {
  deployment,
  engine,
  inferenceCluster,
  memoryAtLeast,
  pool,
} from "../support/deployment.ts";
import { DeploymentRun } from "../support/deployment-run.ts";
import { encodeRequest } from "../wire-messages.ts";
import { mutateJson } from "./mutations.ts";
import { createRandom, type Random } from "./random.ts";

type Fields = Record<string, unknown>;

/** What a campaign met, so that a campaign that exercises nothing can be told from a good one. */
export interface FleetTally {
  invalid: number;
  fatal: number;
  holding: number;
  placed: number;
}

/**
 * Runs requests number `from` up to `to` of the campaign that `seed` names: a deployment of three
 * replicas that serve, with its spec, its clusters, the fleet's replicas or its own damaged. Throws on
 * a bug, on two answers to one request, and on replicas lost: a scale-down may take any, a swap one.
 */
export function fuzzFleets(
  handlers: readonly Handler[],
  seed: number,
  from: number,
  to: number,
  progress: (run: number) => void,
): FleetTally {
  const standing = settled(handlers);
  const tally: FleetTally = { invalid: 0, fatal: 0, holding: 0, placed: 0 };
  for (let run = from; run < to; run++) {
    progress(run);
    const random = createRandom(seed, run);
    try {
      tally[check(handlers, damage(random, standing))] += 1;
    } catch (error) {
      throw new Error(`seed ${seed}, run ${run}: ${(error as Error).stack}`, { cause: error });
    }
  }
  return tally;
}

interface Standing {
  readonly composite: Fields;
  readonly observed: Readonly<Record<string, Fields>>;
  readonly clusters: readonly Fields[];
  readonly replicas: readonly Fields[];
}

/** A deployment whose replicas all serve, on a fleet with room for one more. */
function settled(handlers: readonly Handler[]): Standing {
  const handler = handlers.find(({ kind }) => kind === "ModelDeployment");
  if (handler === undefined) throw new Error("no handler of ModelDeployments");
  const clusters = ["a", "b"].map((name) => inferenceCluster(name, [pool("gpu", 2)]));
  const engines = [engine({}, [memoryAtLeast(80)])];
  const run = new DeploymentRun(handler, deployment({ replicas: 3 }, { engines }));
  run.settle({ clusters });
  const others: readonly KubeObject[] = [...run.objects.values()].filter(
    ({ kind }) => kind === "ModelReplica",
  );
  return {
    composite: run.composite,
    observed: Object.fromEntries(run.objects),
    clusters,
    replicas: others,
  };
}

interface Case {
  readonly bytes: Buffer;
  /** The least number of replicas that the answer must have. */
  readonly least: number;
}

function damage(random: Random, { composite, observed, clusters, replicas }: Standing): Case {
  const whole = { composite, observed, required: { clusters, "all-replicas": replicas } };
  const encode = (change: Fields) => encodeRequest({ ...whole, ...change } as typeof whole);
  switch (random.below(5)) {
    case 0: {
      const damaged = { ...composite, spec: times(random, composite.spec) };
      const wanted = isRecord(damaged.spec) ? damaged.spec.replicas : undefined;
      const desired = typeof wanted === "number" && wanted >= 0 && wanted < 3 ? wanted : 3;
      const valid = Number.isInteger(desired);
      return { bytes: encode({ composite: damaged }), least: valid ? Math.max(0, desired - 1) : 2 };
    }
    case 1: {
      const required = { clusters: damagedItem(random, clusters), "all-replicas": replicas };
      return { bytes: encode({ required }), least: 2 };
    }
    case 2: {
      const required = { clusters, "all-replicas": damagedItem(random, replicas) };
      return { bytes: encode({ required }), least: 2 };
    }
    case 3: {
      const required = random.pick<Fields>([{}, { clusters: [] }, { "all-replicas": replicas }]);
      return { bytes: encode({ required }), least: 3 };
    }
    default: {
      const keys = Object.keys(observed);
      const key = random.pick(keys);
      const damaged = { ...observed, [key]: record(times(random, observed[key])) };
      return { bytes: encode({ observed: damaged }), least: 1 };
    }
  }
}

function damagedItem(random: Random, items: readonly Fields[]): readonly Fields[] {
  const at = random.below(items.length);
  return items.map((item, index) => (index === at ? record(times(random, item)) : item));
}

const record = (value: unknown): Fields => (isRecord(value) ? value : {});

function times<T>(random: Random, value: T): T {
  let damaged = value;
  for (let count = 1 + random.below(3); count > 0; count--) damaged = mutateJson(random, damaged);
  return damaged;
}

function check(handlers: readonly Handler[], { bytes, least }: Case): keyof FleetTally {
  const outcome = runFunction(handlers, bytes, "fuzz");
  if ("invalid" in outcome) return "invalid";
  const { bug } = outcome.facts;
  if (bug !== undefined) throw bug instanceof Error ? bug : new Error(String(bug));
  const again = runFunction(handlers, bytes, "fuzz");
  if ("invalid" in again || !again.response.equals(outcome.response)) {
    throw new Error("the same request got two answers");
  }
  const answer = decodeResponse(outcome.response);
  if (answer.results.some(({ severity }) => severity === "Fatal")) return "fatal";
  const kept = [...answer.desired.resources.keys()].filter((key) => key.startsWith("replica-"));
  if (kept.length < least) {
    const reasons = answer.conditions.map(
      ({ type, reason, message }) => `${type}=${reason} ${message}`,
    );
    throw new Error(`only ${kept.join()} left of three, and not ${least}: ${reasons.join("\n")}`);
  }
  const holding = answer.conditions.some(
    ({ type, status }) => type === "Holding" && status === "True",
  );
  return holding ? "holding" : "placed";
}
