import { findYielding } from "./contention.ts";
import { Filling } from "./filling.ts";
import { wantedEngines } from "./fitting.ts";
import type { FleetReplica, Snapshot } from "./fleet.ts";
import { Ledger } from "./ledger.ts";
import type { Matcher } from "./matcher.ts";
import { moveReplicas } from "./moves.ts";
import { byIdentity } from "./order.ts";
import type { KeptReplica, PlacedReplica, ReleasedReplica, Schedule } from "./placement.ts";
import { retain } from "./retention.ts";
import { scaleDown } from "./scale-down.ts";

/**
 * Decides what becomes of a deployment's replicas in one pass: which stay, which go, and where new
 * ones are placed. Replicas that stand stay; then the missing ones are placed, then the replacement
 * of at most one that must move, which stays until that one is ready.
 */
export function scheduleReplicas(snapshot: Snapshot, matcher: Matcher): Schedule {
  const { demand } = snapshot;
  const clusters = new Map(snapshot.clusters.map((cluster) => [cluster.name, cluster]));
  const engines = wantedEngines(demand.engines, matcher);
  const own = snapshot.own.toSorted(byIdentity);
  const yielding = findYielding(snapshot.clusters, own, snapshot.others);
  const ledger = chargeAll(snapshot, yielding);

  const present = own.filter((replica) => !replica.deleting && !yielding.has(replica));
  const context = { demand, engines, clusters, ledger, matcher };
  const judged = present.map((replica) => retain(replica, context));
  const moving = judged.filter((one) => one.as === "moving");
  const stable = judged.filter((one) => one.as !== "moving");
  const staying = new Set(
    scaleDown(
      stable.map(({ replica }) => replica),
      demand.replicas,
      snapshot.clusters,
      demand.tolerations,
    ),
  );
  const standing = stable.filter(({ replica }) => staying.has(replica));

  const kept = [...standing, ...moving].map(({ replica }) => replica);
  const filling = new Filling(snapshot, engines, ledger, kept);
  const filled = fill(demand.replicas - kept.length, moving.length > 0, filling);
  const moves = moveReplicas(demand.replicas, standing, moving, filled, filling);

  const remaining: readonly KeptReplica[] = [...standing, ...moves.moving];
  const released: readonly ReleasedReplica[] = [
    ...own
      .filter((replica) => yielding.has(replica))
      .map((replica) => ({ replica, because: "Yielded" }) as const),
    ...stable
      .filter(({ replica }) => !staying.has(replica))
      .map(({ replica }) => ({ replica, because: "ScaledDown" }) as const),
    ...moves.released,
  ];
  return {
    kept: remaining.toSorted((left, right) => byIdentity(left.replica, right.replica)),
    released: released.toSorted((left, right) => byIdentity(left.replica, right.replica)),
    placed: filled.placed.toSorted(byIdentity),
    missing: Math.max(0, demand.replicas - remaining.length - filled.placed.length),
    overCommitted: ledger.overCommitted(),
    ledger,
  };
}

/** Charges every replica that exists, those that are being deleted too, but for own ones that yield. */
function chargeAll(
  { clusters, own, others }: Snapshot,
  yielding: ReadonlySet<FleetReplica>,
): Ledger {
  const ledger = new Ledger(clusters);
  for (const { cluster, charges } of others) ledger.charge(cluster, charges);
  for (const replica of own) {
    if (!yielding.has(replica)) ledger.charge(replica.cluster, replica.charges);
  }
  return ledger;
}

/** What was placed, and whether a replica was left for which there is no place. */
export interface Filled {
  readonly placed: readonly PlacedReplica[];
  readonly nothingFits: boolean;
}

/** Places what is missing, then one replacement if any is due and none is under way. */
function fill(missing: number, replace: boolean, filling: Filling): Filled {
  const placed: PlacedReplica[] = [];
  const wanted = missing < 0 ? 0 : missing + (replace ? 1 : 0);
  while (placed.length < wanted) {
    const next = filling.place();
    if (next === undefined) return { placed, nothingFits: true };
    placed.push(next);
  }
  return { placed, nothingFits: false };
}
