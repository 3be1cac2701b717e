import { LABELS } from "../../api/decision-model.ts";
import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import type { Instant } from "../../kube/instant.ts";
import { isRecord, type KubeObject, listField } from "../../kube/object.ts";
import { isControlledBy } from "../builders/owned.ts";
import type { DecodedDataset } from "../evaluation/dataset.ts";
import { type SourcedDataset, sourceDataset } from "../evaluation/dataset-source.ts";
import { DEFAULT_MAX_CASES } from "../evaluation/identity.ts";
import type { Answer, KubernetesClient, ResourceKind } from "../kubernetes/client.ts";
import { evaluationPolicy, needsDataset } from "../rollout/policy.ts";
import type { RunState, World, WorldDataset } from "../rollout/world.ts";
import { readCredential } from "./credentials.ts";
import { KINDS, type WatchedKind } from "./kinds.ts";

/** Copies of objects that a watch keeps up to date. */
export interface Copies {
  /** The objects of a kind in a namespace that are labelled with the name of a DecisionModel. */
  owned(kind: WatchedKind, namespace: string, model: string): readonly KubeObject[];
}

/** What is seen of one DecisionModel's world, and the key of its servers, which no decision sees. */
export interface Observation {
  readonly world: World;
  readonly apiKey: string | undefined;
}

/** What else an observation is made of. */
export interface Known {
  readonly now: Instant;
  readonly runs: ReadonlyMap<string, RunState>;
  readonly refused: World["refused"];
  readonly admission: World["admission"];
  /** Decodes a dataset, or remembers that it has. */
  readonly decode: (bytes: Uint8Array, maxCases: number) => DecodedBytes;
}

/** A dataset's digest, and what decoding it gave. */
export interface DecodedBytes {
  readonly digest: string;
  readonly decoded: DecodedDataset;
}

/**
 * Sees what a pass must know. Objects that the DecisionModel controls come from copies; Secrets and
 * datasets, which are never copied, and a Service that is about to be moved, are read. A problem of
 * any read is a problem of the whole: nothing that could not be read counts as not there.
 */
export async function observe(
  model: DecisionModel,
  copies: Copies,
  client: KubernetesClient,
  { decode, ...known }: Known,
): Promise<Answer<Observation>> {
  const { namespace = "", name = "" } = model.metadata;
  const owned = (kind: WatchedKind) => copies.owned(kind, namespace, name);
  const controlled = (kind: WatchedKind) =>
    new Map(
      owned(kind)
        .filter((object) => isControlledBy(object, model))
        .map((object) => [object.metadata?.name ?? "", object]),
    );
  const read = async (kind: ResourceKind, of: string) =>
    absentAsNothing(await client.get(kind, namespace, of));
  const { auth, cache } = model.spec;
  const policy = evaluationPolicy(model.spec);
  const dataset = policy !== undefined && needsDataset(model) ? policy.dataset : undefined;
  const [key, token, data, service] = await Promise.all([
    secret(auth?.apiKeySecretRef),
    secret(cache?.downloadTokenSecretRef),
    dataset === undefined ? nothing : read(KINDS[dataset.kind], dataset.name),
    findService(),
  ]);
  for (const answer of [key, token, data, service]) if (!answer.ok) return answer;
  const valueIn = (answer: Answer<KubeObject | undefined>) =>
    answer.ok ? answer.value : undefined;
  const apiKey = readCredential(API_KEY, auth?.apiKeySecretRef, valueIn(key));
  const downloadToken = readCredential(TOKEN, cache?.downloadTokenSecretRef, valueIn(token));
  const world: World = {
    ...known,
    claims: controlled("PersistentVolumeClaim"),
    jobs: controlled("Job"),
    deployments: controlled("Deployment"),
    budgets: controlled("PodDisruptionBudget"),
    service: valueIn(service),
    pods: podsByOwner(owned("Pod"), owned("ReplicaSet")),
    apiKey: apiKey.credential,
    downloadToken: downloadToken.credential,
    dataset:
      dataset === undefined
        ? undefined
        : decodeSourced(sourceDataset(dataset, valueIn(data)), (bytes) =>
            decode(bytes, policy?.maxCases ?? DEFAULT_MAX_CASES),
          ),
  };
  return { ok: true, value: { world, apiKey: apiKey.value } };

  function secret(reference: { readonly name: string } | undefined) {
    return reference === undefined ? nothing : read(KINDS.Secret, reference.name);
  }

  /** While more than one revision is there, what it selects decides which of them goes. */
  function findService(): Promise<Answer<KubeObject | undefined>> {
    const copy = owned("Service").find((object) => object.metadata?.name === name);
    const { stableRevision, candidateRevision, previousRevision, failedRevision } =
      model.status ?? {};
    const others = candidateRevision ?? previousRevision ?? failedRevision;
    if (copy !== undefined && others === undefined) return found(copy);
    if (stableRevision === undefined && others === undefined) return nothing;
    return read(KINDS.Service, name);
  }
}

const API_KEY = {
  label: LABELS.apiKey,
  path: "spec.auth.apiKeySecretRef",
  invalid: "APIKeyInvalid",
} as const;
const TOKEN = {
  label: LABELS.downloadToken,
  path: "spec.cache.downloadTokenSecretRef",
  invalid: "DownloadTokenInvalid",
} as const;

const found = (value: KubeObject | undefined): Promise<Answer<KubeObject | undefined>> =>
  Promise.resolve({ ok: true, value });
const nothing = found(undefined);

function absentAsNothing(answer: Answer<KubeObject>): Answer<KubeObject | undefined> {
  if (answer.ok || answer.problem.reason !== "NotFound") return answer;
  return { ok: true, value: undefined };
}

function decodeSourced(
  sourced: SourcedDataset,
  decode: (bytes: Uint8Array) => DecodedBytes,
): WorldDataset {
  if (sourced.state === "held") return sourced;
  const { bytes, deprecatedLabel } = sourced;
  return { state: "found", deprecatedLabel, ...decode(bytes) };
}

/** The pods of each object that controls some, by its UID; those of a ReplicaSet by its own controller's. */
function podsByOwner(
  pods: readonly KubeObject[],
  replicaSets: readonly KubeObject[],
): ReadonlyMap<string, readonly KubeObject[]> {
  const controllers = new Map(
    replicaSets.map((set) => [set.metadata?.uid ?? "", controllerOf(set)]),
  );
  const found = new Map<string, KubeObject[]>();
  for (const pod of pods) {
    const direct = controllerOf(pod) ?? "";
    const owner = controllers.get(direct) ?? direct;
    found.set(owner, [...(found.get(owner) ?? []), pod]);
  }
  return found;
}

function controllerOf(object: KubeObject): string | undefined {
  const reference = listField(object, "metadata", "ownerReferences").find(
    (one) => isRecord(one) && one.controller === true,
  );
  return isRecord(reference) ? String(reference.uid) : undefined;
}
