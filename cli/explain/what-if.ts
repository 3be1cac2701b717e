import { enumerate } from "../../functions/composition/findings.ts";
import type { Cluster, Snapshot } from "../../functions/model-deployment/scheduling/fleet.ts";

/** One change to try out, as `--what-if` names it. */
export type WhatIf =
  | { readonly type: "add-cluster"; readonly file: string }
  | { readonly type: "drain"; readonly cluster: string }
  | { readonly type: "replicas"; readonly replicas: number }
  | { readonly type: "copies"; readonly engine: string; readonly copies: number }
  | {
      readonly type: "price";
      readonly cluster: string;
      readonly pool: string;
      /** In ten-thousandths of the currency. */
      readonly costPerNodeHour: number;
    };

/** What each change looks like, for help and messages. */
export const WHAT_IF_FORMS = {
  "add-cluster": "add-cluster=FILE",
  drain: "drain=CLUSTER",
  replicas: "replicas=N",
  copies: "copies=ENGINE:N",
  price: "price=CLUSTER/POOL:0.00",
} as const;

/** What the ModelDeployment's definition allows. */
const MOST_REPLICAS = 100;
const MOST_COPIES = 64;

/** The taint of a cluster that is being drained. */
const DRAIN = { key: "sluice-what-if/drain", value: "", effect: "NoExecute" } as const;

/** Reads the value of a `--what-if`, or says what is wrong with it. */
export function parseWhatIf(text: string): WhatIf | string {
  const wrong = (why: string) => `--what-if "${text}": ${why}`;
  const at = text.indexOf("=");
  const name = at < 0 ? text : text.slice(0, at);
  const value = at < 0 ? "" : text.slice(at + 1);
  if (!Object.hasOwn(WHAT_IF_FORMS, name)) {
    return wrong(`is none of ${Object.values(WHAT_IF_FORMS).join(", ")}`);
  }
  const form = WHAT_IF_FORMS[name as WhatIf["type"]];
  if (value === "") return wrong(`write it as ${form}`);
  switch (name as WhatIf["type"]) {
    case "add-cluster":
      return { type: "add-cluster", file: value };
    case "drain":
      return { type: "drain", cluster: value };
    case "replicas": {
      const replicas = wholeNumber(value, 0, MOST_REPLICAS);
      return replicas === undefined
        ? wrong(`give whole replicas from 0 to ${MOST_REPLICAS}`)
        : { type: "replicas", replicas };
    }
    case "copies": {
      const [, engine = "", count = ""] = /^(.+):([^:]*)$/.exec(value) ?? [];
      const copies = wholeNumber(count, 1, MOST_COPIES);
      return copies === undefined
        ? wrong(`write it as ${form}, with whole copies from 1 to ${MOST_COPIES}`)
        : { type: "copies", engine, copies };
    }
    case "price": {
      const match = /^([^/]+)\/(.+):([0-9]{1,6})(?:\.([0-9]{1,4}))?$/.exec(value);
      if (match === null) return wrong(`write it as ${form}, with at most four decimals`);
      const [, cluster = "", pool = "", whole = "", fraction = ""] = match;
      const costPerNodeHour = Number(whole + fraction.padEnd(4, "0"));
      return { type: "price", cluster, pool, costPerNodeHour };
    }
  }
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const number = /^[0-9]{1,4}$/.test(text) ? Number(text) : -1;
  return number >= least && number <= most ? number : undefined;
}

/**
 * A snapshot after a change, or why there is nothing to change. A cluster is added before there is
 * a snapshot, since a deployment may not select it.
 */
export function applyWhatIf(snapshot: Snapshot, change: WhatIf): Snapshot | string {
  const { demand } = snapshot;
  switch (change.type) {
    case "add-cluster":
      return snapshot;
    case "drain":
      return withCluster(snapshot, change, (cluster) => ({
        ...cluster,
        taints: [...cluster.taints, DRAIN],
      }));
    case "replicas":
      return { ...snapshot, demand: { ...demand, replicas: change.replicas } };
    case "copies": {
      const engines = demand.engines.map((engine) =>
        engine.name === change.engine ? { ...engine, copies: change.copies } : engine,
      );
      if (demand.engines.some(({ name }) => name === change.engine)) {
        return { ...snapshot, demand: { ...demand, engines } };
      }
      const names = demand.engines.map(({ name }) => name);
      return `--what-if copies: the deployment has no engine "${change.engine}", only ${listed(names)}`;
    }
    case "price":
      return withCluster(snapshot, change, (cluster) => {
        const pools = cluster.pools?.map((pool) =>
          pool.name === change.pool ? { ...pool, costPerNodeHour: change.costPerNodeHour } : pool,
        );
        const names = (cluster.pools ?? []).map(({ name }) => name);
        return names.includes(change.pool)
          ? { ...cluster, pools }
          : `--what-if price: InferenceCluster "${cluster.name}" publishes no pool "${change.pool}", only ${listed(names)}`;
      });
  }
}

function withCluster(
  snapshot: Snapshot,
  change: Extract<WhatIf, { readonly cluster: string }>,
  edit: (cluster: Cluster) => Cluster | string,
): Snapshot | string {
  const found = snapshot.clusters.find(({ name }) => name === change.cluster);
  if (found === undefined) {
    const names = snapshot.clusters.map(({ name }) => name).sort();
    return `--what-if ${change.type}: there is no InferenceCluster "${change.cluster}" that the deployment selects, only ${listed(names)}`;
  }
  const edited = edit(found);
  if (typeof edited === "string") return edited;
  const clusters = snapshot.clusters.map((one) => (one === found ? edited : one));
  return { ...snapshot, clusters };
}

const MOST_LISTED = 10;

function listed(names: readonly string[]): string {
  if (names.length === 0) return "none";
  return enumerate(
    names.map((name) => `"${name}"`),
    MOST_LISTED,
  );
}
