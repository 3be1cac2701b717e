import type { Simulation } from "../simulation/simulate.ts";
import type { FieldChange, ObjectChange } from "./changes.ts";
import { clusterNames, describe } from "./describe.ts";
import { columns, pad, shorten, styles, visible } from "./text.ts";

/** Fields that only follow from others, so that they say nothing new about an edit. */
const derived = /^metadata\.annotations\["modelplane\.ai\/manifest-hash"\]$|\.celQuery$/;

const marks = { created: "+", changed: "~", rolled: "!", deleted: "-", released: "-" } as const;
const looks = {
  created: "good",
  changed: "pending",
  rolled: "bad",
  deleted: "bad",
  released: "dim",
} as const;
const actions = {
  created: "created",
  changed: "changed",
  rolled: "changed, replaces its pods",
  deleted: "deleted",
  released: "released, stays on the cluster",
} as const;
const mostFields = 12;

/** Prints what an edit does, to be read in a terminal. */
export function renderChanges(
  list: readonly ObjectChange[],
  sides: readonly Simulation[],
  { colour, width }: { colour: boolean; width: number },
): string {
  if (list.length === 0) return "Nothing changes.\n";
  const style = styles(colour);
  const clusters = clusterNames(sides.flatMap(({ objects }) => objects));
  const names = list.map(({ object }) => named(describe(object, clusters)));
  const widest = Math.max(...names.map(columns));
  const lines: string[] = [];
  for (const [at, one] of list.entries()) {
    if (one.composite !== list[at - 1]?.composite) {
      lines.push(...(at === 0 ? [] : [""]), style.strong(visible(one.composite)));
    }
    const action = actions[one.action];
    const room = Math.min(widest, width - 4 - columns(action) - 2);
    const name = pad(shorten(names[at] ?? "", room), room);
    lines.push(`  ${marks[one.action]} ${name}  ${style[looks[one.action]](action)}`);
    const telling = one.fields.filter(({ path }) => !derived.test(path));
    const fields = telling.length === 0 ? one.fields : telling;
    for (const found of fields.slice(0, mostFields)) {
      lines.push(...fieldLines(found, width).map((text) => style.dim(text)));
    }
    const more = fields.length - mostFields;
    if (more > 0)
      lines.push(`      ${style.dim(`and ${more} more field${more === 1 ? "" : "s"}`)}`);
  }
  const count = (action: ObjectChange["action"]) =>
    list.filter((one) => one.action === action).length;
  const summary = (["created", "changed", "rolled", "deleted", "released"] as const)
    .filter((action) => action !== "released" || count(action) > 0)
    .map((action) => `${count(action)} ${action}`)
    .join(", ");
  return `${[...lines, "", `${summary} (rolled: its pods are replaced).`].join("\n")}\n`;
}

const named = ({ what, where }: { what: string; where: string }) =>
  where === "" ? what : `${what} on ${where}`;

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
