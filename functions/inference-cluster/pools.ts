import type { InferenceClassSpec } from "../../api/gen/inferenceclasses.ts";
import type { GpuPool, NodePool } from "../../api/gen/inferenceclusters.ts";
import { INFERENCE_CLASS } from "../../api/inference-class.ts";
import { isDnsSubdomain } from "../../kube/names.ts";
import { isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import type { Definition } from "../../schema/definitions.ts";
import type { Composition } from "../composition/composition.ts";
import { quoteFindings } from "../composition/findings.ts";
import { type RequiredResources, single } from "../composition/requirement.ts";

/** The pools to publish, and the classes that can't be read. */
export interface ResolvedPools {
  readonly pools: readonly GpuPool[];
  /** The names of classes that were looked up and not found. */
  readonly missing: readonly string[];
  /** What is wrong with those that are there and are refused, by name and field. */
  readonly invalid: readonly string[];
  /** Whether some class has not been looked up yet. */
  readonly unresolved: boolean;
}

/** Names the requirement for a class. */
const requirementOf = (className: string) => `class-${className}`;

/**
 * Asks for the class of every node pool. A text that can name no object is not asked for: Crossplane
 * could not even look it up, and would fail the whole reconcile.
 */
export function classRequirements(nodePools: readonly NodePool[]): Composition["requirements"] {
  const names = nodePools.map(({ className }) => className).filter(isDnsSubdomain);
  return Object.fromEntries(
    names.map((className) => [
      requirementOf(className),
      { ...INFERENCE_CLASS, match: { name: className } },
    ]),
  );
}

/**
 * Resolves node pools to what their classes say of their nodes. A pool whose class is not there, not
 * looked up yet or refused keeps what was published of it last, so that such a class withdraws
 * nothing; its nodes follow the spec. Where nothing is on record, as after a restore from a backup
 * without status, a part of the pools would tell that the others are gone: none are published then.
 */
export function resolvePools(
  composite: KubeObject,
  nodePools: readonly NodePool[],
  required: RequiredResources,
  classes: Definition,
): ResolvedPools {
  const published = listField(composite, "status", "gpuPools");
  const missing = new Set<string>();
  const invalid = new Map<string, string>();
  let unresolved = false;
  const pools = nodePools.flatMap(({ name, className, nodeCount, maxNodeCount }): GpuPool[] => {
    const nodes = maxNodeCount ?? nodeCount;
    const found = single(required(requirementOf(className)));
    if (found.state === "present") {
      const { object, findings } = classes.check(found.value);
      if (findings.length === 0) return [{ name, nodes, ...nodeOf(object) }];
      invalid.set(className, `InferenceClass "${className}": ${quoteFindings(findings)}`);
    } else if (found.state === "absent" || !isDnsSubdomain(className)) missing.add(className);
    else unresolved = true;
    const last = published.find((pool) => stringField(pool, "name") === name);
    return isRecord(last) ? [{ ...(last as unknown as GpuPool), nodes }] : [];
  });
  const partial = published.length === 0 && pools.length < nodePools.length;
  return {
    pools: partial ? [] : pools,
    missing: [...missing].sort(),
    invalid: [...invalid.keys()].sort().map((className) => invalid.get(className) ?? ""),
    unresolved,
  };
}

/** What a valid class says of one node. */
function nodeOf({ spec }: KubeObject): Pick<GpuPool, "costPerNodeHour" | "devices"> {
  const { costPerNodeHour, devices } = spec as InferenceClassSpec;
  return { ...(costPerNodeHour === undefined ? {} : { costPerNodeHour }), devices };
}
