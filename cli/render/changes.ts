import { jsonEqual } from "../../kube/canonical.ts";
import { field, isRecord, type KubeObject, listField } from "../../kube/object.ts";
import { objectId } from "../simulation/cluster.ts";
import { isProviderObject } from "../simulation/healthy.ts";
import type { Simulation } from "../simulation/simulate.ts";

/** One field that differs; `before` or `after` is undefined where it does not exist. */
export interface FieldChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What an edit does to one composed object. */
export interface ObjectChange {
  /** The composite that composes it: `Kind namespace/name`. */
  readonly composite: string;
  readonly key: string;
  /** `released`: its Object goes and the remote object stays. */
  readonly action: "created" | "changed" | "rolled" | "deleted" | "released";
  readonly object: KubeObject;
  readonly fields: readonly FieldChange[];
}

/** Where the pod template of each workload kind is; a change in it replaces pods. */
const podTemplates: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["spec", "template"],
  LeaderWorkerSet: ["spec", "leaderWorkerTemplate"],
  PodCliqueSet: ["spec", "template", "cliques"],
};

/**
 * Compares two simulations by composite and resource key; equal ones give nothing. Composites whose
 * ids are in `except` are left out of both: the API server refuses one side, so nothing comes of it.
 */
export function changes(
  before: Simulation,
  after: Simulation,
  except: ReadonlySet<string>,
): readonly ObjectChange[] {
  const old = composedObjects(before, except);
  const now = composedObjects(after, except);
  const ids = [...new Set([...old.keys(), ...now.keys()])].sort();
  return ids.flatMap((id) => change(old.get(id), now.get(id)));
}

interface Composed {
  readonly composite: string;
  readonly key: string;
  readonly object: KubeObject;
}

function composedObjects(
  simulation: Simulation,
  except: ReadonlySet<string>,
): ReadonlyMap<string, Composed> {
  const compared = simulation.composites.filter(
    ({ composite }) => !except.has(objectId(composite)),
  );
  return new Map(
    compared.flatMap(({ composite, applied }) =>
      applied.map(({ key, object }) => {
        const { namespace = "", name = "" } = composite.metadata ?? {};
        const title = `${composite.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
        return [`${objectId(composite)} ${key}`, { composite: title, key, object }] as const;
      }),
    ),
  );
}

function change(old: Composed | undefined, now: Composed | undefined): readonly ObjectChange[] {
  if (old === undefined) {
    return now === undefined ? [] : [{ ...now, action: "created", fields: [] }];
  }
  if (now === undefined) {
    return [{ ...old, action: outlives(old.object) ? "released" : "deleted", fields: [] }];
  }
  const action = editOf(old.object, now.object);
  if (action === "unchanged") return [];
  return [{ ...now, action, fields: fieldChanges(payload(old.object), payload(now.object), "") }];
}

/** Whether the remote object stays when its Object is deleted. */
function outlives(object: KubeObject): boolean {
  const policies = listField(object, "spec", "managementPolicies");
  return policies.length > 0 && !policies.includes("*") && !policies.includes("Delete");
}

/** Whether an edit changes what an object's owner sees of it, and whether it replaces its pods. */
export function editOf(before: KubeObject, after: KubeObject): "unchanged" | "changed" | "rolled" {
  const [a, b] = [payload(before), payload(after)];
  if (jsonEqual(a, b)) return "unchanged";
  const path = podTemplates[b.kind];
  const rolls = path !== undefined && !jsonEqual(field(a, ...path), field(b, ...path));
  return rolls ? "rolled" : "changed";
}

/** What of an object matters to its owner: a remote one's manifest, and the spec around it. */
function payload(object: KubeObject): KubeObject {
  const manifest = field(object, "spec", "forProvider", "manifest");
  if (!isProviderObject(object) || !isRecord(manifest)) {
    const { status, metadata, ...rest } = object;
    return { ...(rest as KubeObject), metadata: { labels: metadata?.labels ?? {} } };
  }
  const spec = isRecord(object.spec) ? object.spec : {};
  return { ...(manifest as KubeObject), provider: { ...spec, forProvider: undefined } };
}

/** Every leaf that differs; items of lists that have names are matched by them. */
function fieldChanges(before: unknown, after: unknown, path: string): readonly FieldChange[] {
  if (jsonEqual(before, after)) return [];
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => fieldChanges(own(before, key), own(after, key), below(path, key)));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const names = (list: readonly unknown[]) =>
      list.map((item, at) => (isRecord(item) && typeof item.name === "string" ? item.name : at));
    const [old, now] = [names(before), names(after)];
    return [...new Set([...old, ...now])].flatMap((name) =>
      fieldChanges(before[old.indexOf(name)], after[now.indexOf(name)], `${path}[${name}]`),
    );
  }
  return [{ path, before, after }];
}

function below(path: string, key: string): string {
  if (!/^[A-Za-z_]\w*$/.test(key)) return `${path}["${key}"]`;
  return path === "" ? key : `${path}.${key}`;
}

const own = (record: Readonly<Record<string, unknown>>, key: string) =>
  Object.hasOwn(record, key) ? record[key] : undefined;
