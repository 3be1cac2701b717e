import type { ModelCacheSpec } from "../../api/gen/modelcaches.ts";
import { MODEL_CACHE, type ModelCacheCondition } from "../../api/model-cache.ts";
import { findCondition } from "../../kube/conditions.ts";
import { isRecord, type KubeObject, stringField, stringsField } from "../../kube/object.ts";
import type { Checked, Definitions } from "../../schema/definitions.ts";
import { cacheClaimName } from "../builders/cache-claim.ts";
import type { Composition, CompositionRequest, Handler } from "../composition/composition.ts";
import { quoteFindings } from "../composition/findings.ts";
import { keptFromBefore } from "../composition/holding.ts";

const CLUSTERS = "clusters";

/**
 * Makes the handler of ModelCaches. Placement by cache works; putting the weights onto the clusters
 * does not yet, so a cache composes nothing, is never ready, and says what to do by hand.
 */
export function modelCacheHandler(definitions: Definitions): Handler {
  const definition = definitions.get(`${MODEL_CACHE.apiVersion}/${MODEL_CACHE.kind}`);
  if (definition === undefined) throw new Error("the ModelCache definition is not loaded");
  return {
    ...MODEL_CACHE,
    compose: (request) => compose(request, definition.check(request.composite)),
  };
}

function compose(request: CompositionRequest, checked: Checked): Composition {
  const { composite, observed, required } = request;
  const resources = keptFromBefore(observed, new Set());
  const labels = stringsField(composite, "spec", "clusterSelector", "matchLabels");
  const requirements = {
    [CLUSTERS]: {
      apiVersion: MODEL_CACHE.apiVersion,
      kind: "InferenceCluster",
      match: { labels },
    },
  };
  const found = required(CLUSTERS, {
    status: { providerConfigRef: { name: true }, cache: { storageClassName: true } },
  });
  if (found.state === "unresolved") {
    // What is not returned stays as it is, but for the status, which is written whole.
    const { conditions: _conditions, ...last } = isRecord(composite.status) ? composite.status : {};
    return { resources, requirements, conditions: [], results: [], status: last, ready: false };
  }
  const clusters = found.state === "present" ? found.value : [];
  const matched = clusters.filter(canStore).map(({ metadata }) => metadata?.name ?? "");
  const conditions = conditionsOf(composite, checked, clusters.length, matched);
  const invalid = conditions.find(({ reason }) => reason === "InvalidSpec");
  const known = findCondition(composite, "ArtifactReady")?.reason === "InvalidSpec";
  return {
    resources,
    requirements,
    conditions,
    results:
      invalid === undefined || known
        ? []
        : [{ severity: "Warning", reason: invalid.reason, message: invalid.message }],
    status:
      matched.length === 0
        ? {}
        : {
            summary: { ready: `0/${matched.length}` },
            clusters: matched.map((name) => ({ name, phase: "Pending" })),
          },
    ready: false,
  };
}

function conditionsOf(
  { metadata }: KubeObject,
  { object, findings }: Checked,
  selected: number,
  matched: readonly string[],
): readonly ModelCacheCondition[] {
  if (findings.length > 0) {
    const message = quoteFindings(findings);
    const invalid = { status: "False", reason: "InvalidSpec", message } as const;
    return [
      { type: "ClustersMatched", ...invalid },
      { type: "ArtifactReady", ...invalid },
    ];
  }
  const { huggingFace } = object.spec as ModelCacheSpec;
  const claim = cacheClaimName(metadata?.namespace ?? "", metadata?.name ?? "");
  const message = `sluice does not fetch weights yet: on each cluster, put ${huggingFace?.repo} into a ReadWriteMany PersistentVolumeClaim "${claim}" of the replicas' namespace`;
  return [
    matched.length > 0
      ? {
          type: "ClustersMatched",
          status: "True",
          reason: "Matched",
          message: `${matched.length} of ${selected} selected clusters have storage for caches`,
        }
      : {
          type: "ClustersMatched",
          status: "False",
          reason: selected === 0 ? "NoClusters" : "WaitingForClusters",
          message:
            selected === 0
              ? "No InferenceCluster matches spec.clusterSelector"
              : `None of ${selected} selected clusters has a provider config and status.cache.storageClassName yet; set spec.cluster.existing.cache.storageClassName of the InferenceCluster`,
        },
    { type: "ArtifactReady", status: "False", reason: "HydrationNotSupported", message },
  ];
}

/** A cluster can hold a cache when it can be reached and says where caches are stored. */
function canStore(cluster: KubeObject): boolean {
  const provider = stringField(cluster, "status", "providerConfigRef", "name") ?? "";
  const storage = stringField(cluster, "status", "cache", "storageClassName") ?? "";
  return provider !== "" && storage !== "";
}
