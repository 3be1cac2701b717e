import { findCondition } from "../../kube/conditions.ts";
import { isRecord, type KubeObject, listField } from "../../kube/object.ts";
import { objectId } from "../simulation/cluster.ts";
import type { Applied } from "../simulation/reconcile.ts";
import type { SimulatedComposite, Simulation } from "../simulation/simulate.ts";
import { editOf } from "./changes.ts";
import { clusterNames, describe } from "./describe.ts";
import { columns, pad, type Style, shorten, styles, visible, wrap } from "./text.ts";

/** How a tree is printed. */
export interface TreeOptions {
  readonly colour: boolean;
  /** The number of columns to fit into. */
  readonly width: number;
  /** Whether names are shortened to fit; not where a program reads the output. */
  readonly shortens: boolean;
}

interface Line {
  readonly mark: string;
  readonly what: string;
  readonly where: string;
  readonly state: string;
  readonly style: keyof Style;
  /** Why it is in this state; printed below it. */
  readonly why: string;
  readonly nested: SimulatedComposite | undefined;
}

/** Text beyond this is cut, in a tree; YAML and JSON have all of it. */
const mostLines = 12;

/** The kinds that are read first; others follow by name. */
const kindOrder = [
  "Namespace",
  "Deployment",
  "LeaderWorkerSet",
  "PodCliqueSet",
  "ResourceClaimTemplate",
  "HTTPRoute",
  "InferencePool",
];

const marks = { created: "+", changed: "~", rolled: "!", unchanged: " ", deleted: "-" } as const;

/** Conditions that the header already tells. */
const headline: ReadonlySet<string> = new Set(["Ready", "Synced", "Responsive"]);

/** What every line of one tree is printed with, looked up once. */
interface View {
  readonly style: Style;
  readonly shortens: boolean;
  readonly clusters: ReadonlyMap<string, string>;
  readonly stored: ReadonlyMap<string, KubeObject>;
  readonly composites: ReadonlyMap<string, SimulatedComposite>;
}

/** Prints a simulation to be read in a terminal: each composite with all that it composes. */
export function renderTree(simulation: Simulation, options: TreeOptions): string {
  const style = styles(options.colour);
  const view: View = {
    style,
    shortens: options.shortens,
    clusters: clusterNames(simulation.objects),
    stored: new Map(simulation.objects.map((object) => [objectId(object), object])),
    composites: new Map(simulation.composites.map((one) => [objectId(one.composite), one])),
  };
  const roots = simulation.composites.filter(({ composedAs }) => composedAs === undefined);
  const parts = roots.map((root) => composite(root, view, options.width));
  const unsettled = simulation.settled
    ? []
    : [style.bad("This did not settle: something changes at every reconcile.")];
  const marked = parts.flat().some((line) => /^[│ ]*[├└]─ [-+~!] /.test(line));
  const legend = marked
    ? [style.dim("+ new   ~ changed   ! changed, replaces its pods   - deleted")]
    : [];
  const blocks = [...parts.map((lines) => lines.join("\n")), ...unsettled, ...legend];
  return `${blocks.join("\n\n")}\n`;
}

function composite(one: SimulatedComposite, view: View, width: number): readonly string[] {
  const { style, shortens } = view;
  const lines = [...header(one, style, width)];
  const children = rows(one, view);
  const widths = columnWidths(children, shortens ? width : Number.POSITIVE_INFINITY);
  children.forEach((child, at) => {
    const last = at === children.length - 1;
    lines.push(row(child, last ? "└─ " : "├─ ", widths, style));
    const indent = last ? "   " : "│  ";
    const inside = width - columns(indent) - 4;
    lines.push(...wrap(child.why, inside).map((text) => `${indent}    ${style.dim(text)}`));
    if (child.nested !== undefined) {
      const below = composite(child.nested, view, width - 3);
      lines.push(...below.map((text) => `${indent}${text}`));
    }
  });
  return lines;
}

function header(one: SimulatedComposite, style: Style, width: number): readonly string[] {
  const { composite: object, results } = one;
  const ready = findCondition(object, "Ready");
  const synced = findCondition(object, "Synced");
  const isReady = ready?.status === "True";
  const state = isReady ? style.good("ready") : style.pending("not ready");
  const failed = synced?.status === "False" ? style.bad(", not synced") : "";
  const lines = [`${style.strong(title(object))}: ${state}${failed}`];
  const told = [
    ...(synced?.status === "False" ? [{ type: "Synced", ...synced }] : []),
    ...listField(object, "status", "conditions").flatMap((condition) => {
      const type = isRecord(condition) ? condition.type : undefined;
      if (typeof type !== "string" || headline.has(type)) return [];
      const found = findCondition(object, type);
      return found === undefined ? [] : [{ type, ...found }];
    }),
  ];
  const widest = Math.max(0, ...told.map(({ type }) => columns(type)));
  for (const [at, { type, status, reason, message }] of told.entries()) {
    // What blocks one stage often blocks the next ones too.
    const news = message === told[at - 1]?.message ? "" : message;
    const text = news === "" ? `${status} ${reason}` : `${status} ${reason}: ${news}`;
    lines.push(...hanging(`${pad(type, widest)}  `, visible(text), width));
  }
  for (const { severity, message } of results) {
    // What a condition says needs no second telling.
    if (told.some((condition) => condition.message.includes(message))) continue;
    const label = severity === "Normal" ? "event" : severity.toLowerCase();
    lines.push(...hanging(`${label}: `, visible(message), width));
  }
  return lines;
}

/**
 * Text behind a label, its further lines indented to the text, all behind the tree's bar. Long text
 * is cut: YAML and JSON have all of it.
 */
function hanging(label: string, text: string, width: number): readonly string[] {
  const all = wrap(text, width - columns(label) - 3);
  const lines = all.slice(0, mostLines);
  if (all.length > mostLines) lines.push(`${lines.pop()}…`);
  return lines.map((line, at) => `│ ${at === 0 ? label : " ".repeat(columns(label))}${line}`);
}

function title(object: KubeObject): string {
  const { namespace, name = "" } = object.metadata ?? {};
  return visible(`${object.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`);
}

function rows(one: SimulatedComposite, { clusters, stored, composites }: View): readonly Line[] {
  const composed = one.applied.map((applied): Line => {
    const nested = composites.get(objectId(applied.object));
    const bad = applied.findings.length > 0;
    const known = stored.get(objectId(applied.object))?.status !== undefined;
    const pending = applied.before === undefined && !known ? "not applied yet" : "not ready";
    return {
      ...describe(applied.object, clusters),
      mark: marks[
        applied.before === undefined ? "created" : editOf(applied.before, applied.object)
      ],
      state: bad ? "refused" : applied.ready ? "ready" : pending,
      style: bad ? "bad" : applied.ready ? "good" : "pending",
      why: visible(why(applied, stored.get(objectId(applied.object)))),
      nested,
    };
  });
  const deleted = one.deleted.map(
    ({ object }): Line => ({
      ...describe(object, clusters),
      mark: marks.deleted,
      state: "deleted",
      style: "bad",
      why: "",
      nested: undefined,
    }),
  );
  const lines = [...composed, ...deleted].sort((a, b) => rank(a) - rank(b));
  // Where everything is new or nothing changes, the marks would say nothing.
  const alike = new Set(lines.map(({ mark }) => mark)).size < 2 && lines[0]?.mark !== marks.deleted;
  return lines.map((line) => (alike ? { ...line, mark: "" } : line));
}

function rank({ what }: Line): number {
  const at = kindOrder.indexOf(what.split(" ")[0] ?? "");
  return at < 0 ? kindOrder.length : at;
}

/** Why a composed resource is not ready, from what is known of it. */
function why({ ready, findings }: Applied, stored: KubeObject | undefined): string {
  if (findings.length > 0) {
    return findings.map(({ field: at, message }) => `${at}: ${message}`).join("; ");
  }
  if (ready) return "";
  for (const type of ["Synced", "Ready"]) {
    const condition = findCondition(stored, type);
    if (condition === undefined || condition.status === "True") continue;
    const { reason, message } = condition;
    return [`${type} is ${condition.status}`, reason, message]
      .filter((part) => part !== "")
      .join(": ");
  }
  return "";
}

interface Widths {
  readonly what: number;
  readonly where: number;
  readonly mark: number;
}

function columnWidths(lines: readonly Line[], width: number): Widths {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(columns));
  const mark = widest(lines.map((line) => line.mark)) === 0 ? 0 : 2;
  const where = Math.min(
    width === Number.POSITIVE_INFINITY ? width : 24,
    widest(lines.map((line) => line.where)),
  );
  const state = widest(lines.map((line) => line.state));
  const room = width - 3 - mark - 2 - where - 2 - state;
  return {
    mark,
    where,
    what: Math.max(20, Math.min(room, widest(lines.map((line) => line.what)))),
  };
}

function row(line: Line, branch: string, widths: Widths, style: Style): string {
  const mark = widths.mark === 0 ? "" : pad(line.mark, widths.mark);
  const what = pad(shorten(line.what, widths.what), widths.what);
  const where = pad(shorten(line.where, widths.where), widths.where);
  const middle = widths.where === 0 ? "" : `  ${style.dim(where)}`;
  return `${branch}${mark}${what}${middle}  ${style[line.style](line.state)}`.trimEnd();
}
