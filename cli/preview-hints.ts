import { enumerate } from "../functions/composition/findings.ts";
import type { ResourceSelector } from "../functions/composition/requirement.ts";
import type { KubeObject } from "../kube/object.ts";
import { isBareCluster } from "./explain/derived-status.ts";
import { FLEET_KINDS, isKind } from "./explain/fleet-input.ts";
import type { World } from "./simulation/simulate.ts";

/** A file of ours that shows an object of a kind. */
const EXAMPLES: Readonly<Record<string, string>> = {
  InferenceCluster: "examples/quickstart/required.yaml",
  InferenceClass: "examples/inference-cluster/required.yaml",
  ModelCache: "examples/deployment-cache/required.yaml",
};
/** Most clusters that a hint names. */
const MOST_NAMED = 6;

/** Says how to give what a function asked for in vain; nothing where it may well not exist. */
export function missingHint(
  { kind, namespace, match }: ResourceSelector,
  objects: readonly KubeObject[],
): string | undefined {
  if ("name" in match) {
    const where = namespace === undefined || namespace === "" ? "" : ` in namespace "${namespace}"`;
    return `hint: the input has no ${kind} "${match.name}"${where}; ${howToGive(kind)}`;
  }
  // A fleet has clusters, whereas it may well have no replicas yet.
  if (kind !== FLEET_KINDS.cluster.kind) return undefined;
  const found = clusterLabels(objects);
  if (found === undefined) return `hint: the input has no ${kind}; ${howToGive(kind)}`;
  const wanted = labelText(match.labels);
  return `hint: the input has no ${kind} with the labels ${wanted}; it has ${found}`;
}

function howToGive(kind: string): string {
  const example = EXAMPLES[kind];
  const shown = example === undefined ? "" : ` (${example} shows one)`;
  return `put it into a required.yaml beside the XR, or pass --cluster-state FILE${shown}`;
}

/** Names the InferenceClusters among objects, each with its labels; `undefined` where there is none. */
export function clusterLabels(objects: readonly KubeObject[]): string | undefined {
  const clusters = objects.filter((object) => isKind(object, FLEET_KINDS.cluster));
  if (clusters.length === 0) return undefined;
  const named = clusters.map(({ metadata }) => {
    return `${metadata?.name ?? ""} (${labelText(metadata?.labels ?? {})})`;
  });
  return enumerate(named, MOST_NAMED);
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.keys(labels).sort();
  return pairs.length === 0 ? "no labels" : pairs.map((key) => `${key}=${labels[key]}`).join(",");
}

/** Says that clusters without a status take no replicas here, though they do in an explanation. */
export function bareClusterHint({ composites, others }: World): string | undefined {
  const bare = others.filter(isBareCluster);
  if (bare.length === 0 || !composites.some((one) => isKind(one, FLEET_KINDS.deployment))) {
    return undefined;
  }
  const names = bare.map(({ metadata }) => metadata?.name ?? "").sort();
  const they =
    names.length === 1
      ? `InferenceCluster ${names[0]} has no status, so it counts`
      : `InferenceClusters ${names.join(", ")} have no status, so they count`;
  return `hint: ${they} as not ready. Put such clusters into the XRs' file, with their InferenceClasses in required.yaml, and preview with --assume ready; \`sluice explain\` takes them as if they were ready`;
}
