import { replicaName } from "../../functions/builders/model-replica.ts";
import type {
  Charge,
  Demand,
  OwnReplica,
  Snapshot,
  StampedEngine,
} from "../../functions/model-deployment/scheduling/fleet.ts";
import type {
  EnginePlacement,
  KeptReplica,
  PlacedReplica,
  ReleasedReplica,
  Schedule,
} from "../../functions/model-deployment/scheduling/placement.ts";

/** One thing that happens to a replica, and in which pass, from 1. */
export type Move = {
  readonly pass: number;
  readonly replica: string;
  readonly cluster: string;
  readonly index: number;
} & (
  | { readonly type: "Placed"; readonly charges: readonly Charge[] }
  | { readonly type: "Released"; readonly because: ReleasedReplica["because"] }
  /** It takes other nodes where it stands. */
  | { readonly type: "Resized"; readonly charges: readonly Charge[] }
);

/** How a deployment goes on by itself. */
export interface Course {
  readonly moves: readonly Move[];
  /** The replicas that there are in the end. */
  readonly kept: readonly KeptReplica[];
  /** How many have no place in the end. */
  readonly missing: number;
  /** False when replicas were still moving after the last pass. */
  readonly settled: boolean;
}

/** A move takes three passes and a deployment has at most 100 replicas; a course beyond is no course. */
const MOST_PASSES = 500;

/**
 * Lets pass follow pass until nothing moves any more. What is placed is ready one pass later where its
 * cluster is Ready, what is released takes a pass to go, and no other deployment does anything.
 */
export function followPasses(
  first: Snapshot,
  deployment: { readonly namespace: string; readonly name: string },
  schedule: (snapshot: Snapshot) => Schedule,
): Course {
  const moves: Move[] = [];
  let own = first.own;
  let decided = schedule(first);
  for (let pass = 1; pass <= MOST_PASSES; pass++) {
    const now = passMoves(decided, pass, deployment);
    moves.push(...now.moves);
    const next = nextReplicas(own, decided, now.resized, first, deployment, pass);
    const isStill = next.length === own.length && next.every((one, at) => isSame(one, own[at]));
    if (isStill) return { moves, kept: decided.kept, missing: decided.missing, settled: true };
    own = next;
    decided = schedule({ ...first, own });
  }
  return { moves, kept: decided.kept, missing: decided.missing, settled: false };
}

type Resized = ReadonlyMap<OwnReplica, readonly Charge[]>;

function passMoves(
  { kept, placed, released, ledger }: Schedule,
  pass: number,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): { readonly moves: readonly Move[]; readonly resized: Resized } {
  const named = ({ cluster, index }: PlacedReplica) => ({
    pass,
    replica: replicaName({ namespace, deployment: name, cluster, index }),
    cluster,
    index,
  });
  const known = (replica: OwnReplica) => {
    const { cluster, index } = replica;
    return { pass, replica: replica.name, cluster, index };
  };
  const resized = new Map<OwnReplica, readonly Charge[]>();
  for (const one of kept) {
    if (one.as !== "retained" || isCharged(one.replica.charges, one.charges)) continue;
    const { replica, charges } = one;
    if (ledger.grow(replica.cluster, replica.charges, charges)) resized.set(replica, charges);
  }
  return {
    moves: [
      ...released.map(
        ({ replica, because }): Move => ({ ...known(replica), type: "Released", because }),
      ),
      ...placed.map((one): Move => ({ ...named(one), type: "Placed", charges: one.charges })),
      ...[...resized].map(
        ([replica, charges]): Move => ({ ...known(replica), type: "Resized", charges }),
      ),
    ],
    resized,
  };
}

/** The deployment's replicas as the next pass observes them. */
function nextReplicas(
  own: readonly OwnReplica[],
  { kept, placed, released }: Schedule,
  resized: Resized,
  { clusters, demand }: Snapshot,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  pass: number,
): readonly OwnReplica[] {
  const ready = new Set(clusters.flatMap((cluster) => (cluster.ready ? [cluster.name] : [])));
  const gone = new Set(released.map(({ replica }) => replica));
  const standing = new Map(kept.map((one) => [one.replica, one]));
  const next = own.flatMap((replica): readonly OwnReplica[] => {
    if (replica.deleting) return [];
    if (gone.has(replica)) return [{ ...replica, deleting: true, ready: false, serving: false }];
    const one = standing.get(replica);
    const works = ready.has(replica.cluster);
    const state = works ? { ready: true, serving: true, served: true } : {};
    const charges = resized.get(replica) ?? replica.charges;
    const engines = one?.as === "retained" ? stamp(one.engines, demand) : replica.engines;
    return [{ ...replica, ...state, charges, engines }];
  });
  const fresh = placed.map(
    ({ cluster, index, engines, charges }): OwnReplica => ({
      namespace,
      name: replicaName({ namespace, deployment: name, cluster, index }),
      deployment: name,
      cluster,
      index,
      charges,
      // After every real time, and later ones after earlier ones.
      created: `9999-${String(pass).padStart(4, "0")}`,
      served: false,
      deleting: false,
      engines: stamp(engines, demand),
      ready: false,
      serving: false,
    }),
  );
  return [...next, ...fresh];
}

function stamp(
  placement: readonly EnginePlacement[],
  { engines }: Demand,
): readonly StampedEngine[] {
  return placement.map(({ name, members }, e) => ({
    name,
    members: members.map(({ pool }, m) => ({ role: engines[e]?.members[m]?.role ?? "", pool })),
  }));
}

function isSame(left: OwnReplica, right: OwnReplica | undefined): boolean {
  return (
    right !== undefined &&
    left.name === right.name &&
    left.deleting === right.deleting &&
    left.ready === right.ready &&
    left.serving === right.serving &&
    left.served === right.served &&
    isCharged(left.charges, right.charges)
  );
}

/** Whether two lists charge the same nodes to the same pools. */
function isCharged(left: readonly Charge[], right: readonly Charge[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ pool, nodes }) =>
      right.some((other) => other.pool === pool && other.nodes === nodes),
    )
  );
}
