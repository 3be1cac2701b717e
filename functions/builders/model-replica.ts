import type { Engine, Member, ModelReplicaSpec } from "../../api/gen/modelreplicas.ts";
import { LABEL } from "../../api/labels.ts";
import { MODEL_REPLICA } from "../../api/model-replica.ts";
import { canonicalJson, sha256Hex } from "../../kube/canonical.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";

/** The most of a deployment's name that its replicas' names keep: a dash and the hash follow. */
const NAME_KEPT = 57;
/** The variable by which engines know the name that requests call their model by. */
const SERVED_MODEL_NAME = "MODELPLANE_SERVED_MODEL_NAME";

/** Where a replica stands: no two of one deployment have the same. */
export interface ReplicaIdentity {
  readonly namespace: string;
  readonly deployment: string;
  readonly cluster: string;
  readonly index: number;
}

/** What varies between the replicas of deployments. */
export interface ModelReplicaParameters {
  readonly identity: ReplicaIdentity;
  /** Labels of the deployment's template, then of the cluster; the managed ones win over both. */
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: ModelReplicaSpec;
  /** The value of the template-hash label, left out where it is not known. */
  readonly templateHash: string | undefined;
}

/** Builds a replica; Crossplane puts it into its deployment's namespace. */
export function buildModelReplica(parameters: ModelReplicaParameters): KubeObject {
  const { identity, labels, spec, templateHash } = parameters;
  return {
    ...MODEL_REPLICA,
    metadata: {
      name: replicaName(identity),
      labels: {
        ...labels,
        ...identityLabels(identity),
        ...(templateHash === undefined ? {} : { [LABEL.templateHash]: templateHash }),
      },
    },
    spec,
  };
}

/** The labels by which a replica's deployment, cluster and index are known; its endpoint has them too. */
export function identityLabels(identity: ReplicaIdentity): Readonly<Record<string, string>> {
  return {
    [LABEL.deployment]: identity.deployment,
    [LABEL.cluster]: identity.cluster,
    [LABEL.replicaIndex]: String(identity.index),
  };
}

/** Names a replica, and its endpoint: the deployment's name, then 5 digits of a hash over its identity. */
export function replicaName({ deployment, cluster, index }: ReplicaIdentity): string {
  const readable = deployment.slice(0, NAME_KEPT).replace(/-+$/, "");
  return `${readable}-${sha256Hex([deployment, cluster, index].join("-"), 5)}`;
}

/**
 * Hashes a replica's spec to 10 digits without what depends on its place, its cluster and pools, so
 * that replicas which differ only in those have the same. Equal objects of the API server hash alike.
 */
export function templateHash(spec: unknown): string {
  if (!isRecord(spec)) return sha256Hex("", 10);
  const { clusterName: _cluster, crossplane: _machinery, engines, ...rest } = spec;
  const placeless = (Array.isArray(engines) ? engines : []).map((engine) => ({
    ...engine,
    members: (Array.isArray(engine?.members) ? engine.members : []).map((member: unknown) => {
      const { nodePoolName: _pool, ...kept } = isRecord(member) ? member : {};
      return kept;
    }),
  }));
  return sha256Hex(canonicalJson({ ...rest, engines: placeless }), 10);
}

/** Tells every container of an engine the name that requests call the model by, before anything else. */
export function withServedModelName(engine: Engine, model: string): Engine {
  const first = { name: SERVED_MODEL_NAME, value: model };
  const told = (member: Member): Member => {
    const { template } = member;
    if (template.spec === undefined) return member;
    const containers = template.spec.containers.map((container) => ({
      ...container,
      env: [first, ...(container.env ?? []).filter(({ name }) => name !== SERVED_MODEL_NAME)],
    }));
    return { ...member, template: { ...template, spec: { ...template.spec, containers } } };
  };
  return { ...engine, members: engine.members.map(told) };
}
