import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import type { KubeObject } from "../../kube/object.ts";
import { isControlledBy } from "../builders/owned.ts";
import type { Answer, KubernetesClient, Problem, ResourceKind } from "../kubernetes/client.ts";
import type { Action } from "../rollout/decision.ts";
import { KINDS } from "./kinds.ts";

/** What became of an action. */
export type Acted =
  | { readonly state: "done" }
  /** What was seen is no longer so; the next pass sees more. */
  | { readonly state: "stale" }
  /** The API server will not do it until somebody changes something; `object` is `Kind name`. */
  | { readonly state: "refused"; readonly object: string; readonly message: string }
  | { readonly state: "failed"; readonly problem: Problem };

const DONE: Acted = { state: "done" };

/** Does one action; doing it twice is doing it once. `resourceVersion` is the DecisionModel's latest. */
export async function act(
  action: Action,
  model: DecisionModel,
  client: KubernetesClient,
  resourceVersion: string,
): Promise<Acted> {
  const namespace = model.metadata.namespace ?? "";
  switch (action.type) {
    case "Create":
      return create(action.object, model, client);
    case "Replace": {
      const { object } = action;
      return acted(await client.replace(kindOf(object), object), object);
    }
    case "Merge": {
      const { target, patch } = action;
      const answer = await client.merge(
        kindOf(target),
        namespace,
        target.name,
        onlyOf(patch, target.uid),
      );
      return acted(answer, target);
    }
    case "Delete": {
      const { target } = action;
      const deletion = { uid: target.uid };
      return acted(await client.delete(kindOf(target), namespace, target.name, deletion), target);
    }
    case "DeleteManifest":
      return deleteManifest(action.name, model, client);
    case "SetGate": {
      const { pod, condition } = action;
      const patch = onlyOf({ status: { conditions: [condition] } }, pod.uid);
      return acted(await client.strategicMergeStatus(KINDS.Pod, namespace, pod.name, patch), pod);
    }
    case "RemoveAnnotation": {
      const metadata = { annotations: { [action.annotation]: null }, resourceVersion };
      const name = model.metadata.name ?? "";
      return acted(await client.merge(KINDS.DecisionModel, namespace, name, { metadata }), model);
    }
  }
}

/** Makes an object; where one of its name is there, it must be one that this DecisionModel controls. */
async function create(
  object: KubeObject,
  model: DecisionModel,
  client: KubernetesClient,
): Promise<Acted> {
  const kind = kindOf(object);
  const answer = await client.create(kind, object);
  if (answer.ok || answer.problem.reason !== "AlreadyExists") return acted(answer, object);
  const { namespace = "", name = "" } = object.metadata ?? {};
  const there = await client.get(kind, namespace, name);
  if (!there.ok) return acted(there, object);
  if (isControlledBy(there.value, model)) return { state: "stale" };
  return {
    state: "refused",
    object: shown(object),
    message: "it belongs to somebody else: delete it, or give the DecisionModel another name",
  };
}

/** Manifests are not watched, so whether one is there and whose it is must be asked. */
async function deleteManifest(
  name: string,
  model: DecisionModel,
  client: KubernetesClient,
): Promise<Acted> {
  const namespace = model.metadata.namespace ?? "";
  const there = await client.get(KINDS.ConfigMap, namespace, name);
  if (!there.ok) return acted(there, { kind: "ConfigMap", name });
  if (!isControlledBy(there.value, model)) return DONE;
  const deletion = { uid: there.value.metadata?.uid ?? "" };
  return acted(await client.delete(KINDS.ConfigMap, namespace, name, deletion), there.value);
}

type Named = KubeObject | { readonly kind: string; readonly name: string };

function acted(answer: Answer<unknown>, object: Named): Acted {
  if (answer.ok) return DONE;
  const { problem } = answer;
  switch (problem.reason) {
    case "NotFound":
    case "Conflict":
    case "AlreadyExists":
      return { state: "stale" };
    case "Invalid":
    case "Forbidden":
      return { state: "refused", object: shown(object), message: problem.message };
    default:
      return { state: "failed", problem };
  }
}

function shown(object: Named): string {
  const name = "metadata" in object ? object.metadata?.name : object.name;
  return `${object.kind} ${name}`;
}

/** Makes a patch apply to just the object that was seen: another UID is a conflict. */
function onlyOf(patch: object, uid: string): object {
  const metadata = "metadata" in patch ? (patch.metadata as object) : {};
  return { ...patch, metadata: { ...metadata, uid } };
}

function kindOf({ kind }: { readonly kind: string }): ResourceKind {
  const known = (KINDS as Readonly<Record<string, ResourceKind>>)[kind];
  if (known === undefined) throw new Error(`nothing is known of kind ${kind}`);
  return known;
}
