import { enumerate } from "../../functions/composition/findings.ts";
import { areFree, releaseReasonText } from "../../functions/model-deployment/reasons.ts";
import type {
  ClusterExplanation,
  EngineExplanation,
  EngineProblem,
  Holder,
  MemberProblem,
  NearestDevice,
  PoolExplanation,
} from "../../functions/model-deployment/scheduling/explanation.ts";
import type { Charge } from "../../functions/model-deployment/scheduling/fleet.ts";
import { columns, type Style, styles, visible, wrap } from "../render/text.ts";
import type { ExplainedDeployment, Standing } from "./answer.ts";
import type { Move } from "./passes.ts";

/** How an explanation is printed. */
export interface TextOptions {
  readonly colour: boolean;
  /** The number of columns to fit into. */
  readonly width: number;
}

/** Clusters that are told together name this many; JSON names all. */
const MOST_NAMED = 4;
/** Holders of nodes that are named. */
const MOST_HOLDERS = 4;
const LONGEST_SELECTOR = 160;

/** Prints an explanation to be read: the line, clusters with pools and engines, replicas, what follows. */
export function renderExplanation(explained: ExplainedDeployment, options: TextOptions): string {
  const style = styles(options.colour);
  const { deployment, whatIf, desired, placed, line, assumed } = explained;
  const place = placed >= desired ? style.good : style.bad;
  const head = [
    `${style.strong(`ModelDeployment ${deployment.namespace}/${deployment.name}`)}: ${place(`${placed} of ${desired} replicas have a place`)}`,
    ...(whatIf.length === 0 ? [] : wrapped("What if: ", whatIf.join(", "), options)),
    ...wrapped("For one more: ", line, options),
    ...(assumed.length === 0
      ? []
      : wrapped("Taken as if ready, since they have no status: ", assumed.join(", "), options)),
  ];
  const blocks = [
    head,
    clusterLines(explained.clusters, style, options),
    replicaLines(explained.replicas, style, options),
    explained.overCommitted.map(
      ({ cluster, pool, nodes, charged }) =>
        `Pool ${pool} of ${cluster} is over-committed: ${charged} nodes are taken, and it has ${nodes}`,
    ),
    followLines(explained, style, options),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** Text behind a label, its further lines indented to it. */
function wrapped(label: string, text: string, { width }: TextOptions): readonly string[] {
  const indent = columns(label) > width / 2 ? 2 : columns(label);
  const lines = wrap(visible(text), Math.max(20, width - columns(label)));
  return lines.map((one, at) => `${at === 0 ? label : " ".repeat(indent)}${one}`);
}

/** Clusters about which the same is to be said are told together, in order of the first of them. */
function clusterLines(
  clusters: readonly ClusterExplanation[],
  style: Style,
  options: TextOptions,
): readonly string[] {
  const groups = new Map<
    string,
    { state: ClusterState; body: readonly string[]; names: string[] }
  >();
  for (const cluster of clusters) {
    const state = clusterState(cluster, style);
    const body =
      cluster.problem === undefined || cluster.problem.type === "NothingFits"
        ? cluster.pools.flatMap((pool, at) =>
            poolLines(pool, at === cluster.pools.length - 1, style, options),
          )
        : [];
    const key = JSON.stringify([state, body]);
    const group = groups.get(key) ?? { state, body, names: [] };
    group.names.push(visible(cluster.cluster));
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ state, body, names }) => {
    const told = names.length === 1 ? state.one : state.many;
    return [`${style.strong(enumerate(names, MOST_NAMED))}: ${told}`, ...body];
  });
}

/** What is said of one cluster, and of several together. */
interface ClusterState {
  readonly one: string;
  readonly many: string;
}

function clusterState({ problem }: ClusterExplanation, style: Style): ClusterState {
  const bad = (one: string, many = one) => ({ one: style.bad(one), many: style.bad(many) });
  switch (problem?.type) {
    case undefined: {
      const good = style.good("one more replica fits");
      return { one: good, many: good };
    }
    case "NotReady":
      return bad(problem.why === undefined ? "not ready" : visible(`not ready: ${problem.why}`));
    case "NoGateway":
      return bad("its gateway has no address", "their gateways have no address");
    case "NoPools":
      return bad("publishes no node pools", "publish no node pools");
    case "CacheNotStored":
      return bad("has no storage for the model cache", "have no storage for the model cache");
    case "Tainted": {
      const { key, value, effect } = problem.taint;
      const taint = visible(`${key}${value === "" ? "" : `=${value}`}:${effect}`);
      const which = `the taint ${taint}, which is not tolerated`;
      return bad(`has ${which}`, `have ${which}`);
    }
    case "NothingFits":
      return bad("nothing fits");
  }
}

function poolLines(
  { pool, nodes, free, costPerNodeHour, engines }: PoolExplanation,
  isLast: boolean,
  style: Style,
  options: TextOptions,
): readonly string[] {
  const indent = isLast ? "   " : "│  ";
  const price = costPerNodeHour === undefined ? "" : `, ${costPerNodeHour} a node hour`;
  return [
    `${isLast ? "└─ " : "├─ "}pool ${visible(pool)}: ${Math.max(0, free)} of ${count(nodes, "node")} free${price}`,
    ...engines.flatMap((engine, at) => {
      const last = at === engines.length - 1;
      return engineLines(engine, last, style, options).map((line) => `${indent}${line}`);
    }),
  ];
}

function engineLines(
  engine: EngineExplanation,
  isLast: boolean,
  style: Style,
  { width }: TextOptions,
): readonly string[] {
  const { problem } = engine;
  const label = `${isLast ? "└─ " : "├─ "}engine ${visible(engine.engine)}: `;
  if (problem === undefined) {
    return [`${label}${style.good("fits")}, ${count(engine.nodes, "node")}`];
  }
  const member = engine.members.find((one) => one.problem === problem)?.member;
  const whose = member === undefined || engine.members.length === 1 ? "" : `${member}: `;
  const lines = wrap(visible(`${whose}${engineProblem(problem)}`), width - columns(label) - 3);
  const indent = `${isLast ? "   " : "│  "}   `;
  return lines.map((line, at) => (at === 0 ? `${label}${line}` : `${indent}${line}`));
}

function engineProblem(problem: EngineProblem): string {
  if (problem.type !== "NodesShort") return memberProblem(problem);
  const { needed, free, holders } = problem;
  return `needs ${count(needed, "node")}, and ${areFree(free)}${heldBy(holders)}`;
}

function heldBy(holders: readonly Holder[]): string {
  if (holders.length === 0) return "";
  const shown = holders.map(({ holder, nodes }) => `${holder} (${nodes})`);
  return `; held by ${enumerate(shown, MOST_HOLDERS)}`;
}

function memberProblem(problem: MemberProblem): string {
  switch (problem.type) {
    case "NoDevice": {
      const { request, best } = problem;
      const none = `request "${request}": no device meets it`;
      return best === undefined
        ? `${none}, since the pool has none that has a driver and a DeviceClass`
        : `${none}; ${nearest(best)}`;
    }
    case "CountShort": {
      const { request, needed, have } = problem;
      return `request "${request}": needs ${count(needed, "device")} of a node, and ${have === 1 ? "1 is" : `${have} are`} left that ${have === 1 ? "meets" : "meet"} it`;
    }
    case "SyntheticOnly":
      return "its devices are synthetic, so there is nothing to claim";
    case "TooManyWays":
      return `there are too many ways to combine its devices; the search was ended after ${problem.steps} steps`;
  }
}

function nearest({ index, driver, has, selector, text, error }: NearestDevice): string {
  const short = text.length > LONGEST_SELECTOR ? `${text.slice(0, LONGEST_SELECTOR)}…` : text;
  const why = error === undefined ? "does not meet" : `can't be judged (${error}) by`;
  return `the nearest, devices[${index}] (${has === "" ? driver : `${driver}, ${has}`}), ${why} selector ${selector + 1}: ${short}`;
}

function replicaLines(
  replicas: readonly Standing[],
  style: Style,
  options: TextOptions,
): readonly string[] {
  if (replicas.length === 0) return [];
  const words: Readonly<Record<Standing["state"], string>> = {
    Stays: style.good("stays"),
    Frozen: style.pending("stays as it is"),
    Moving: style.pending("must move"),
    Held: style.bad("must move, but nothing else fits"),
    Leaving: style.pending("goes"),
    Deleting: style.pending("goes"),
  };
  const lines = replicas.flatMap((one) => {
    const state = one.serving ? "serving" : one.ready ? "ready" : "not ready";
    const where = `${one.replica} on ${one.cluster}${poolsText(one.nodes)}, ${state}`;
    const why = one.message === "" ? [] : wrapped("     ", one.message, options);
    return [`   ${visible(where)}: ${words[one.state]}`, ...why.map((line) => style.dim(line))];
  });
  return [style.strong("Replicas"), ...lines];
}

function poolsText(charges: readonly Charge[]): string {
  if (charges.length === 0) return "";
  return ` (${charges.map(({ pool, nodes }) => `${count(nodes, "node")} of ${pool}`).join(", ")})`;
}

function followLines(
  { moves, desired, end: { missing, held, settled } }: ExplainedDeployment,
  style: Style,
  options: TextOptions,
): readonly string[] {
  const number = String(moves.length).length;
  const lines = moves.flatMap((move, at) =>
    wrapped(`   ${String(at + 1).padStart(number)}. `, moveText(move), options),
  );
  const outcome = settled
    ? [
        `${desired - missing} of ${desired} replicas have a place`,
        ...(held === 0 ? [] : [`${held} of them where they can't stay`]),
      ].join(", ")
    : "Replicas were still moving after the last pass that was looked at";
  const fine = settled && missing === 0 && held === 0;
  return [
    style.strong("What follows, if every replica becomes ready and nobody else acts"),
    ...(lines.length === 0 ? ["   Nothing moves."] : lines),
    `   ${(fine ? style.good : style.bad)(`${lines.length === 0 ? "" : "Then "}${outcome}.`)}`,
  ];
}

function moveText(move: Move): string {
  switch (move.type) {
    case "Placed":
      return `${move.replica} is placed on ${move.cluster}${poolsText(move.charges)}`;
    case "Released":
      return `${move.replica} goes from ${move.cluster}: ${releaseReasonText(move.because)}`;
    case "Resized":
      return `${move.replica} on ${move.cluster} takes other nodes${poolsText(move.charges)}`;
  }
}

const count = (number: number, one: string) => `${number} ${one}${number === 1 ? "" : "s"}`;
