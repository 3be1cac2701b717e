import { jsonEqual } from "../../kube/canonical.ts";
import { field, isRecord, type KubeObject } from "../../kube/object.ts";
import { objectId } from "../simulation/cluster.ts";
import { isProviderObject } from "../simulation/healthy.ts";
import type { Simulation } from "../simulation/simulate.ts";
import { columns, pad, shorten, styles, visible } from "./text.ts";
import { clusterNames, describe } from "./tree.ts";

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
  readonly action: "created" | "changed" | "rolled" | "deleted";
  readonly object: KubeObject;
  readonly fields: readonly FieldChange[];
}

/** Where the pod template of each workload kind is; a change in it replaces pods. */
const podTemplates: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["spec", "template"],
  LeaderWorkerSet: ["spec", "leaderWorkerTemplate"],
  PodCliqueSet: ["spec", "template", "cliques"],
};

/** Compares two simulations by composite and resource key; equal ones give nothing. */
export function changes(before: Simulation, after: Simulation): readonly ObjectChange[] {
  const old = composedObjects(before);
  const now = composedObjects(after);
  const ids = [...new Set([...old.keys(), ...now.keys()])].sort();
  return ids.flatMap((id) => change(old.get(id), now.get(id)));
}

interface Composed {
  readonly composite: string;
  readonly key: string;
  readonly object: KubeObject;
}

function composedObjects(simulation: Simulation): ReadonlyMap<string, Composed> {
  return new Map(
    simulation.composites.flatMap(({ composite, applied }) =>
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
  if (now === undefined) return [{ ...old, action: "deleted", fields: [] }];
  const [a, b] = [payload(old.object), payload(now.object)];
  if (jsonEqual(a, b)) return [];
  const path = podTemplates[b.kind];
  const rolls = path !== undefined && !jsonEqual(field(a, ...path), field(b, ...path));
  return [{ ...now, action: rolls ? "rolled" : "changed", fields: fieldChanges(a, b, "") }];
}

/** What of an object matters to its owner: a remote one's manifest, and the spec around it. */
function payload(object: KubeObject): KubeObject {
  const manifest = field(object, "spec", "forProvider", "manifest");
  if (!isProviderObject(object) || !isRecord(manifest)) {
    const { status, ...rest } = object;
    return rest as KubeObject;
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

/** Fields that only follow from others, so that they say nothing new about an edit. */
const derived = /^metadata\.annotations\["modelplane\.ai\/manifest-hash"\]$|\.celQuery$/;

const own = (record: Readonly<Record<string, unknown>>, key: string) =>
  Object.hasOwn(record, key) ? record[key] : undefined;

const marks = { created: "+", changed: "~", rolled: "!", deleted: "-" } as const;
const looks = { created: "good", changed: "pending", rolled: "bad", deleted: "bad" } as const;
const mostFields = 12;

/** Prints what an edit does, to be read in a terminal. */
export function renderChanges(
  list: readonly ObjectChange[],
  after: Simulation,
  { colour, width }: { colour: boolean; width: number },
): string {
  if (list.length === 0) return "Nothing changes.\n";
  const style = styles(colour);
  const clusters = clusterNames(after.objects);
  const lines: string[] = [];
  for (const [at, one] of list.entries()) {
    if (one.composite !== list[at - 1]?.composite) {
      lines.push(...(at === 0 ? [] : [""]), style.strong(visible(one.composite)));
    }
    const { what, where } = describe(one.object, clusters);
    const name = where === "" ? what : `${what} on ${where}`;
    const action = one.action === "rolled" ? "changed, replaces its pods" : one.action;
    const room = width - 4 - action.length - 2;
    lines.push(
      `  ${marks[one.action]} ${pad(shorten(name, room), Math.min(room, 48))}  ${style[looks[one.action]](action)}`,
    );
    const telling = one.fields.filter(({ path }) => !derived.test(path));
    const fields = telling.length === 0 ? one.fields : telling;
    for (const found of fields.slice(0, mostFields)) {
      lines.push(...fieldLines(found, width).map((text) => style.dim(text)));
    }
    const more = fields.length - mostFields;
    if (more > 0) lines.push(`      ${style.dim(`and ${more} more fields`)}`);
  }
  const count = (action: ObjectChange["action"]) =>
    list.filter((one) => one.action === action).length;
  const summary = (["created", "changed", "rolled", "deleted"] as const)
    .map((action) => `${count(action)} ${action}`)
    .join(", ");
  return `${[...lines, "", `${summary} (rolled: its pods are replaced).`].join("\n")}\n`;
}

/** A changed field on one line where it fits, else its path and both values below each other. */
function fieldLines({ path, before, after }: FieldChange, width: number): readonly string[] {
  const [old, now] = [before, after].map((value) =>
    visible(value === undefined ? "nothing" : JSON.stringify(value)),
  ) as [string, string];
  const line = `      ${visible(path)}: ${old} -> ${now}`;
  if (columns(line) <= width) return [line];
  const short = (text: string) => shorten(text, width - 12);
  return [`      ${short(visible(path))}:`, `          ${short(old)}`, `       -> ${short(now)}`];
}
