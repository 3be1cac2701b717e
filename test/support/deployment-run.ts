import { currentSpecHash } from "../../api/model-replica.ts";
import type { Composition, Handler } from "../../functions/composition/composition.ts";
import type { KubeObject } from "../../kube/object.ts";
import { observed, required } from "./deployment.ts";
import { written } from "./replica.ts";

/** What a deployment's handler may read beside it. */
export interface Fleet {
  readonly clusters: readonly KubeObject[];
  readonly others?: readonly KubeObject[];
  readonly caches?: readonly KubeObject[];
}

/**
 * One ModelDeployment over many passes: what a pass composes is observed by the next one, as with
 * Crossplane, and replicas become ready, fail or vanish only as the test says.
 */
export class DeploymentRun {
  composite: KubeObject;
  /** What exists, by resource key. */
  readonly objects = new Map<string, KubeObject>();
  readonly #handler: Handler;
  #clock = 0;

  constructor(handler: Handler, composite: KubeObject) {
    this.#handler = handler;
    this.composite = composite;
  }

  /** Composes once; a part of the fleet that is left out has not been looked up. */
  compose(fleet: Partial<Fleet>): Composition {
    const own = [...this.objects.values()].filter(({ kind }) => kind === "ModelReplica");
    return this.#handler.compose({
      composite: this.composite,
      observed: observed(Object.fromEntries(this.objects)),
      required: required({
        ...(fleet.clusters === undefined ? {} : { clusters: fleet.clusters }),
        ...(fleet.clusters === undefined && fleet.others === undefined
          ? {}
          : { "all-replicas": [...own, ...(fleet.others ?? [])] }),
        ...(fleet.caches === undefined ? {} : { cache: fleet.caches }),
      }),
      input: undefined,
    });
  }

  /** Composes once and lets Crossplane apply and delete what follows. */
  pass(fleet: Partial<Fleet>): Composition {
    const composition = this.compose(fleet);
    this.composite = written(this.composite, composition);
    const kept = new Set(composition.resources.map(({ key }) => key));
    for (const key of [...this.objects.keys()]) if (!kept.has(key)) this.objects.delete(key);
    for (const { key, object } of composition.resources) {
      const before = this.objects.get(key);
      const metadata = before?.metadata ?? {
        uid: `u-${key}`,
        creationTimestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, this.#clock++)).toISOString(),
      };
      this.objects.set(key, {
        ...object,
        metadata: { ...metadata, ...object.metadata, namespace: "ml-team" },
        ...(before?.status === undefined ? {} : { status: before.status }),
      });
    }
    return composition;
  }

  /** Passes, with every replica and endpoint ready after each, until nothing changes; at most `most` times. */
  settle(fleet: Fleet, most = 20): Composition {
    let last = "";
    for (let passes = 0; passes < most; passes++) {
      const composition = this.pass(fleet);
      this.serve();
      const state = JSON.stringify([...this.objects]);
      if (state === last) return composition;
      last = state;
    }
    throw new Error(`not settled after ${most} passes`);
  }

  /** Lets the replicas under these keys, or all, run their spec and serve, and endpoints be ready. */
  serve(...keys: readonly string[]): void {
    for (const [key, object] of this.objects) {
      if (keys.length > 0 && !keys.includes(key)) continue;
      this.objects.set(key, object.kind === "ModelReplica" ? serving(object) : ready(object));
    }
  }

  /** Lets a replica be not ready, as its last pod fails. */
  fail(key: string): void {
    const object = this.replica(key);
    this.objects.set(key, { ...object, status: replicaStatus(object, "False") });
  }

  replica(key: string): KubeObject {
    const object = this.objects.get(key);
    if (object === undefined) {
      throw new Error(`no "${key}" among ${[...this.objects.keys()].join(", ")}`);
    }
    return object;
  }

  /** The keys of all replicas. */
  replicas(): readonly string[] {
    return [...this.objects.keys()].filter((key) => key.startsWith("replica-")).sort();
  }

  /** The keys of all endpoints. */
  endpoints(): readonly string[] {
    return [...this.objects.keys()].filter((key) => key.startsWith("endpoint-")).sort();
  }

  /** Edits the deployment's spec. */
  edit(change: (spec: Record<string, unknown>) => Record<string, unknown>): void {
    const spec = change(structuredClone(this.composite.spec) as Record<string, unknown>);
    this.composite = { ...this.composite, spec };
  }
}

/** A replica that runs its spec and serves. */
export function serving(object: KubeObject): KubeObject {
  return { ...object, status: { ...replicaStatus(object, "True"), served: true } };
}

function replicaStatus(object: KubeObject, status: "True" | "False"): Record<string, unknown> {
  const reason = status === "True" ? "Serving" : "ModelStarting";
  return {
    observedSpecHash: currentSpecHash(object),
    conditions: ["ModelReady", "ModelServing", "Ready"].map((type) => ({ type, status, reason })),
  };
}

function ready(object: KubeObject): KubeObject {
  return {
    ...object,
    status: { conditions: [{ type: "Ready", status: "True", reason: "Available" }] },
  };
}
