import { MODEL_DEPLOYMENT } from "../../api/model-deployment.ts";
import { MODEL_REPLICA } from "../../api/model-replica.ts";
import { type KubeObject, stringField, stringsField } from "../../kube/object.ts";
import type { Composition, CompositionRequest } from "../composition/composition.ts";
import { type Resolution, single } from "../composition/requirement.ts";
import { CLUSTER_FIELDS, FLEET_REPLICA_FIELDS } from "./snapshot.ts";

const CLUSTERS = "clusters";
const REPLICAS = "all-replicas";
const CACHE = "cache";

/** Labels that an InferenceCluster must have. */
type Labels = Readonly<Record<string, string>>;

/** What a deployment reads beside itself. */
export interface Surroundings {
  /** The InferenceClusters that its own selector and its cache's match. */
  readonly clusters: Resolution<readonly KubeObject[]>;
  /** Every ModelReplica of the fleet, its own among them. */
  readonly replicas: Resolution<readonly KubeObject[]>;
  /** The ModelCache that it names, present with its name alone where it names none. */
  readonly cache: Resolution<KubeObject>;
  /** A label that the two selectors want with different values, so that no cluster can match both. */
  readonly contradiction: string | undefined;
  /** The labels that the selectors ask clusters for. */
  readonly labels: Labels;
  readonly requirements: Composition["requirements"];
}

/** Names the ModelCache of a deployment, whatever the rest of its spec is worth. */
export function cacheName(composite: KubeObject): string | undefined {
  const name = stringField(composite, "spec", "template", "spec", "modelCacheRef", "name");
  return name === "" ? undefined : name;
}

/**
 * Reads what Crossplane has looked up so far, and says what it must look up. The clusters are asked
 * for by the deployment's labels and, once the cache is known, by the cache's too; those of an answer
 * to an earlier, wider question are left out.
 */
export function readSurroundings({ composite, required }: CompositionRequest): Surroundings {
  const name = cacheName(composite);
  const cache: Resolution<KubeObject> =
    name === undefined
      ? { state: "present", value: { ...MODEL_DEPLOYMENT, kind: "ModelCache" } }
      : single(required(CACHE));
  const own = stringsField(composite, "spec", "template", "spec", "clusterSelector", "matchLabels");
  const cached =
    cache.state === "present"
      ? stringsField(cache.value, "spec", "clusterSelector", "matchLabels")
      : {};
  const contradiction = Object.keys(own)
    .sort()
    .find((key) => Object.hasOwn(cached, key) && cached[key] !== own[key]);
  const labels = contradiction === undefined ? { ...own, ...cached } : own;
  const clusters = required(CLUSTERS, CLUSTER_FIELDS);
  return {
    clusters: clusters.state === "present" ? matching(clusters.value, labels) : clusters,
    replicas: required(REPLICAS, FLEET_REPLICA_FIELDS),
    cache,
    contradiction,
    labels,
    requirements: requirements(composite, name, labels),
  };
}

function requirements(
  composite: KubeObject,
  cache: string | undefined,
  labels: Labels,
): Composition["requirements"] {
  const { apiVersion } = MODEL_DEPLOYMENT;
  const namespace = composite.metadata?.namespace ?? "";
  return {
    [CLUSTERS]: { apiVersion, kind: "InferenceCluster", match: { labels } },
    [REPLICAS]: { ...MODEL_REPLICA, match: { labels: {} } },
    ...(cache === undefined
      ? {}
      : { [CACHE]: { apiVersion, kind: "ModelCache", namespace, match: { name: cache } } }),
  };
}

function matching(
  clusters: readonly KubeObject[],
  labels: Labels,
): Resolution<readonly KubeObject[]> {
  const wanted = Object.entries(labels);
  const found = clusters.filter((cluster) =>
    wanted.every(([key, value]) => stringField(cluster, "metadata", "labels", key) === value),
  );
  return found.length === 0 ? { state: "absent" } : { state: "present", value: found };
}
