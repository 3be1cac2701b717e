import { enumerate, excerpt } from "../../composition/findings.ts";
import type { ClusterExplanation, EngineProblem, Explanation, Holder } from "./explanation.ts";
import { ascending } from "./order.ts";

/** How long the reasons of a line may be together, in characters; the rest are counted. */
const MOST_REASONS = 400;
/** How much of a selector's error is told, in characters. */
const MOST_ERROR = 100;
/** How many holders of nodes a reason names. */
const MOST_HOLDERS = 2;

/**
 * Sums an explanation up in one line, such as `0/5 clusters fit: 2 not ready, 2 no device that meets
 * gpu selector 1, 1 short of 3 nodes (held by ns/other)`: each cluster counts once, by what comes
 * closest to a fit there. Equal explanations give equal lines.
 */
export function explanationLine({ clusters }: Explanation): string {
  const reasons = new Map<string, Reason[]>();
  let fitting = 0;
  for (const cluster of clusters) {
    const reason = reasonOf(cluster);
    if (reason === undefined) fitting++;
    else reasons.set(reason.group, [...(reasons.get(reason.group) ?? []), reason]);
  }
  const groups = [...reasons.values()]
    .map((group) => ({ count: group.length, text: describe(group) }))
    .sort((left, right) => right.count - left.count || ascending(left.text, right.text));
  const shown: string[] = [];
  let length = 0;
  let counted = 0;
  for (const { count, text } of groups) {
    length += text.length;
    if (length > MOST_REASONS) break;
    shown.push(`${count} ${text}`);
    counted += count;
  }
  const rest = clusters.length - fitting - counted;
  if (rest > 0) shown.push(`${rest} for other reasons`);
  const head = `${fitting}/${clusters.length} clusters fit`;
  return shown.length === 0 ? head : `${head}: ${shown.join(", ")}`;
}

/** Why a cluster does not fit; what has the same group is told together. */
interface Reason {
  readonly group: string;
  readonly short?: { readonly nodes: number; readonly holders: readonly Holder[] };
}

function reasonOf({ problem, pools }: ClusterExplanation): Reason | undefined {
  switch (problem?.type) {
    case undefined:
      return undefined;
    case "NotReady":
      return { group: "not ready" };
    case "NoGateway":
      return { group: "without a gateway address" };
    case "NoPools":
      return { group: "without node pools" };
    case "CacheNotStored":
      return { group: "without storage for the model cache" };
    case "Tainted":
      return { group: `tainted ${problem.taint.key}:${problem.taint.effect}` };
    case "NothingFits":
      break;
  }
  const engines = pools[0]?.engines ?? [];
  for (const [at, { engine }] of engines.entries()) {
    const problems = pools.map((pool) => pool.engines[at]?.problem);
    if (problems.includes(undefined)) continue;
    const closest = problems.reduce((best, one) => (isCloser(one, best) ? one : best));
    if (closest === undefined) continue;
    return describeProblem(closest, engines.length > 1 ? ` for engine ${engine}` : "");
  }
  return { group: "without room for all engines at once" };
}

function describeProblem(problem: EngineProblem, where: string): Reason {
  switch (problem.type) {
    case "NodesShort": {
      const { needed, free, holders } = problem;
      return { group: `nodes${where}`, short: { nodes: needed - free, holders } };
    }
    case "CountShort": {
      const { request, needed, have } = problem;
      return { group: `with ${have} of ${needed} devices for ${request}${where}` };
    }
    case "TooManyWays":
      return {
        group: `with too many ways to combine devices${where} (gave up after ${problem.steps})`,
      };
    case "SyntheticOnly":
      return { group: `with synthetic devices only${where}` };
    case "NoDevice": {
      const { request, best } = problem;
      if (best === undefined) return { group: `without devices for ${request}${where}` };
      const selector = `${request} selector ${best.selector + 1}`;
      if (best.error === undefined) return { group: `no device that meets ${selector}${where}` };
      // A misspelt name is no shortage.
      const error = excerpt(best.error, MOST_ERROR);
      return { group: `where ${selector} fails on the nearest device (${error})${where}` };
    }
  }
}

/** Problems from the one that is closest to a fit to the one that is farthest. */
const DISTANCE = ["NodesShort", "CountShort", "TooManyWays", "SyntheticOnly", "NoDevice"] as const;

function isCloser(one: EngineProblem | undefined, other: EngineProblem | undefined): boolean {
  if (one === undefined || other === undefined) return other !== undefined;
  const distance = DISTANCE.indexOf(one.type) - DISTANCE.indexOf(other.type);
  return distance < 0 || (distance === 0 && gap(one) < gap(other));
}

/** How much is missing, among problems of one type. */
function gap(problem: EngineProblem): number {
  switch (problem.type) {
    case "NodesShort":
      return problem.needed - problem.free;
    case "CountShort":
      return problem.needed - problem.have;
    case "NoDevice":
      return -(problem.best?.selector ?? -1);
    case "TooManyWays":
    case "SyntheticOnly":
      return 0;
  }
}

function describe(group: readonly Reason[]): string {
  const shorts = group.flatMap(({ short }) => (short === undefined ? [] : [short]));
  const [first] = group;
  if (shorts.length === 0 || first === undefined) return first?.group ?? "";
  const missing = shorts.map(({ nodes }) => nodes);
  const least = Math.min(...missing);
  const most = Math.max(...missing);
  const range = least === most ? `${least}` : `${least} to ${most}`;
  const nodes = first.group.replace(/^nodes/, most === 1 ? "node" : "nodes");
  return `short of ${range} ${nodes}${describeHolders(shorts.flatMap(({ holders }) => holders))}`;
}

function describeHolders(holders: readonly Holder[]): string {
  const shares = new Map<string, number>();
  for (const { holder, nodes } of holders) shares.set(holder, (shares.get(holder) ?? 0) + nodes);
  const names = [...shares]
    .sort(([left, some], [right, more]) => more - some || ascending(left, right))
    .map(([name]) => name);
  if (names.length === 0) return "";
  return ` (held by ${enumerate(names, MOST_HOLDERS)})`;
}
