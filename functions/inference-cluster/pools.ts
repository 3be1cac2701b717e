import type { GpuPool, NodePool } from "../../api/gen/inferenceclusters.ts";
import { INFERENCE_CLASS } from "../../api/inference-class.ts";
import { field, isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import type { Composition } from "../composition/composition.ts";
import { type RequiredResources, single } from "../composition/requirement.ts";

/** The pools to publish, and the classes that are not there. */
export interface ResolvedPools {
  readonly pools: readonly GpuPool[];
  /** The names of classes that were looked up and not found. */
  readonly missing: readonly string[];
  /** Whether some class has not been looked up yet. */
  readonly unresolved: boolean;
}

/** Names the requirement for a class. */
const requirementOf = (className: string) => `class-${className}`;

/** Asks for the class of every node pool. */
export function classRequirements(nodePools: readonly NodePool[]): Composition["requirements"] {
  return Object.fromEntries(
    nodePools.map(({ className }) => [
      requirementOf(className),
      { ...INFERENCE_CLASS, match: { name: className } },
    ]),
  );
}

/**
 * Resolves node pools to what their classes say of their nodes. A pool whose class is not there, or
 * not looked up yet, keeps what was published of it last, so that a class that disappears withdraws
 * nothing; its nodes follow the spec.
 */
export function resolvePools(
  composite: KubeObject,
  nodePools: readonly NodePool[],
  required: RequiredResources,
): ResolvedPools {
  const published = listField(composite, "status", "gpuPools");
  const missing = new Set<string>();
  let unresolved = false;
  const pools = nodePools.flatMap(({ name, className, nodeCount, maxNodeCount }): GpuPool[] => {
    const nodes = maxNodeCount ?? nodeCount;
    const found = single(required(requirementOf(className)));
    if (found.state === "present") return [{ name, nodes, ...nodeOf(found.value) }];
    if (found.state === "absent") missing.add(className);
    else unresolved = true;
    const last = published.find((pool) => stringField(pool, "name") === name);
    return isRecord(last) ? [{ ...(last as unknown as GpuPool), nodes }] : [];
  });
  return { pools, missing: [...missing].sort(), unresolved };
}

/** What a class says of one node. */
function nodeOf(inferenceClass: KubeObject): Pick<GpuPool, "costPerNodeHour" | "devices"> {
  const cost = stringField(inferenceClass, "spec", "costPerNodeHour");
  const devices = field(inferenceClass, "spec", "devices");
  return {
    ...(cost === undefined ? {} : { costPerNodeHour: cost }),
    devices: Array.isArray(devices) ? devices : [],
  };
}
