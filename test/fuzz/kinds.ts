import { decodeResponse } from "../../cli/client-codec.ts";
import type { Handler } from "../../functions/composition/composition.ts";
import { runFunction } from "../../functions/run.ts";
import { isRecord, listField } from "../../kube/object.ts";
import { gpus } from "../support/deployment.ts";
import { encodeRequest } from "../wire-messages.ts";
import { mutateJson } from "./mutations.ts";
import { createRandom, type Random } from "./random.ts";

type Fields = Record<string, unknown>;

/** What a campaign met, so that a campaign that exercises nothing can be told from a good one. */
export interface KindsTally {
  invalid: number;
  fatal: number;
  refused: number;
  accepted: number;
}

/** An object of one of the kinds that compose little or nothing, with what it reads and what it has. */
interface Scene {
  readonly composite: Fields;
  readonly required: Readonly<Record<string, readonly Fields[]>>;
  readonly observed: Readonly<Record<string, Fields>>;
  /** The keys of objects that an answer may let go: guards, once nobody is known to need them. */
  readonly guards: readonly string[];
}

const object = (kind: string, name: string, spec: unknown, more: Fields = {}): Fields => ({
  apiVersion: "modelplane.ai/v1alpha1",
  kind,
  metadata: { name, uid: "u" },
  spec,
  ...more,
});
const guard: Fields = {
  apiVersion: "protection.crossplane.io/v1beta1",
  kind: "ClusterUsage",
  metadata: { name: "guard" },
  spec: { of: {}, reason: "in use", replayDeletion: true },
};
const stack: Fields = {
  apiVersion: "infrastructure.modelplane.ai/v1alpha1",
  kind: "ServingStack",
  metadata: { name: "stack", namespace: "modelplane-system" },
  spec: { stack: "Standard" },
};
const gateway: Fields = {
  apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
  kind: "Object",
  metadata: { name: "gateway", namespace: "modelplane-system" },
  spec: { forProvider: { manifest: { kind: "Gateway" } } },
  status: {
    conditions: [{ type: "Synced", status: "True" }],
    atProvider: { manifest: { status: { addresses: [{ value: "203.0.113.7" }] } } },
  },
};
const device = { name: "gpu", ...gpus(8, 141) };
const h200 = object("InferenceClass", "h200", { costPerNodeHour: "98.32", devices: [device] });
const east = object(
  "InferenceCluster",
  "east",
  {
    cluster: { source: "Existing", existing: { secretRef: { name: "east-kubeconfig" } } },
    placement: { metadata: { labels: { region: "eu" } } },
    taints: [{ key: "drain", effect: "NoSchedule" }],
    nodePools: [{ name: "gpu", className: "h200", nodeCount: 2 }],
  },
  {
    status: {
      providerConfigRef: { name: "east-cluster-kubeconfig-1a2b3" },
      gateway: { address: "203.0.113.7" },
      cache: { storageClassName: "fast" },
      gpuPools: [{ name: "gpu", nodes: 2, devices: [device] }],
    },
  },
);

const SCENES: readonly Scene[] = [
  {
    composite: h200,
    required: { clusters: [east] },
    observed: { "usage-clusters": guard, stack },
    guards: ["usage-clusters"],
  },
  {
    composite: east,
    required: { replicas: [object("ModelReplica", "r", {})], "class-h200": [h200] },
    observed: { gateway, "usage-replicas": guard, stack },
    guards: ["usage-replicas"],
  },
  {
    composite: object("ModelEndpoint", "e", {
      origin: "https://api.provider.example:8443",
      api: { schema: "OpenAI", prefix: "/v1" },
      model: "m",
      credential: { apiKey: { secretRef: { name: "key" } } },
    }),
    required: {},
    observed: { stack },
    guards: [],
  },
  {
    composite: object("ModelCache", "c", {
      source: "HuggingFace",
      huggingFace: { repo: "example/chat-8b", sizeGiB: 40 },
      clusterSelector: { matchLabels: { region: "eu" } },
    }),
    required: { clusters: [east] },
    observed: { stack },
    guards: [],
  },
];

/**
 * Runs requests number `from` up to `to` of the campaign that `seed` names: a class, a cluster, an
 * endpoint or a cache, with its spec or status, what it reads or what it has damaged. Throws on a bug,
 * on two answers to one request, and on a composed object or a published pool lost.
 */
export function fuzzKinds(
  handlers: readonly Handler[],
  seed: number,
  from: number,
  to: number,
  progress: (run: number) => void,
): KindsTally {
  const tally: KindsTally = { invalid: 0, fatal: 0, refused: 0, accepted: 0 };
  for (let run = from; run < to; run++) {
    progress(run);
    const random = createRandom(seed, run);
    try {
      tally[check(handlers, damage(random, random.pick(SCENES)))] += 1;
    } catch (error) {
      throw new Error(`seed ${seed}, run ${run}: ${(error as Error).stack}`, { cause: error });
    }
  }
  return tally;
}

interface Case {
  readonly bytes: Buffer;
  /** Resource keys that the answer must have. */
  readonly kept: readonly string[];
  /** Whether the answer must publish the cluster's pool. */
  readonly pool: boolean;
}

function damage(random: Random, scene: Scene): Case {
  const { composite, required, observed, guards } = scene;
  const encode = (change: Partial<Scene>) =>
    encodeRequest({ composite, required, observed, ...change });
  const all = Object.keys(observed);
  const pool = composite === east;
  switch (random.below(4)) {
    case 0: {
      const damaged = { ...composite, spec: times(random, composite.spec) };
      const pools = listField(damaged, "spec", "nodePools");
      const same =
        JSON.stringify(pools) === JSON.stringify(listField(composite, "spec", "nodePools"));
      return { bytes: encode({ composite: damaged }), kept: all, pool: pool && same };
    }
    case 1: {
      const damaged = { ...composite, status: times(random, composite.status ?? {}) };
      return { bytes: encode({ composite: damaged }), kept: all, pool };
    }
    case 2: {
      // An object that is looked up may be gone, not known yet, or damaged.
      const changed = Object.entries(required).flatMap(([name, items]) => {
        const chosen = random.pick<readonly Fields[] | undefined>([
          undefined,
          [],
          items,
          items.map((item) => record(times(random, item))),
        ]);
        return chosen === undefined ? [] : [[name, chosen] as const];
      });
      const kept = all.filter((key) => !guards.includes(key));
      return { bytes: encode({ required: Object.fromEntries(changed) }), kept, pool };
    }
    default: {
      const key = random.pick(all);
      const damaged = { ...observed, [key]: record(times(random, observed[key])) };
      return {
        bytes: encode({ observed: damaged }),
        kept: all.filter((other) => other !== key),
        pool,
      };
    }
  }
}

const record = (value: unknown): Fields => (isRecord(value) ? value : {});

function times<T>(random: Random, value: T): T {
  let damaged = value;
  for (let count = 1 + random.below(3); count > 0; count--) damaged = mutateJson(random, damaged);
  return damaged;
}

function check(handlers: readonly Handler[], { bytes, kept, pool }: Case): keyof KindsTally {
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
  const said = () =>
    answer.conditions.map(({ type, reason, message }) => `${type}=${reason} ${message}`).join("\n");
  const lost = kept.filter((key) => !answer.desired.resources.has(key));
  if (lost.length > 0) throw new Error(`${lost.join()} lost: ${said()}`);
  if (pool && listField(answer.desired.status, "gpuPools").length !== 1) {
    throw new Error(`the pool is no longer published: ${said()}`);
  }
  return answer.conditions.some(({ reason }) => reason === "InvalidSpec") ? "refused" : "accepted";
}
