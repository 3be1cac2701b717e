import { youngestFirst } from "./contention.ts";
import type { Filling } from "./filling.ts";
import type { OwnReplica } from "./fleet.ts";
import { byIdentity } from "./order.ts";
import type { Filled } from "./pass.ts";
import type {
  FrozenReplica,
  MovingReplica,
  ReleasedReplica,
  RetainedReplica,
} from "./placement.ts";
import type { UnplacedReplica } from "./retention.ts";

/** How the moves of a pass go on. */
export interface Moves {
  readonly moving: readonly MovingReplica[];
  readonly released: readonly ReleasedReplica[];
}

/**
 * Decides which of the replicas that must move go now. The newest replicas beyond the desired number
 * are the replacements; for each that is ready one goes. Those that don't serve go first, then those
 * with the highest identity.
 *
 * Where nothing has a place for a replacement, replicas on a cluster that an operator drains go all
 * the same. Any other is held, but for one whose own place would do for its replacement: while all
 * else stands and is ready it makes room.
 */
export function moveReplicas(
  desired: number,
  standing: readonly (RetainedReplica | FrozenReplica)[],
  moving: readonly UnplacedReplica[],
  { placed, nothingFits }: Filled,
  filling: Filling,
): Moves {
  const order = moving.toSorted(
    ({ replica: left }, { replica: right }) =>
      Number(left.serving) - Number(right.serving) || byIdentity(right, left),
  );
  const surplus = standing.length + moving.length - desired;
  if (nothingFits) {
    const drained = order.filter(({ reason }) => reason.type === "Tainted");
    if (drained.length > 0) return split(order, drained, "Drained");
    const isWhole = surplus === 0 && placed.length === 0;
    const roomy = isWhole ? findRoomy(standing, order, filling) : undefined;
    return split(order, roomy === undefined ? [] : [roomy], "MadeRoom");
  }
  const replacements = standing
    .map(({ replica }) => replica)
    .sort(youngestFirst)
    .slice(0, Math.max(0, surplus));
  const ready = replacements.filter((replica) => replica.ready).length;
  const excess = Math.max(0, surplus - replacements.length);
  const underWay = Math.max(0, surplus + placed.length) - excess - ready;
  return {
    released: order.slice(0, excess + ready).map(({ replica }, at) => {
      return { replica, because: at < excess ? "ScaledDown" : "Moved" };
    }),
    moving: order.slice(excess + ready).map((one, at) => {
      return { ...one, progress: at < underWay ? "Replacing" : "Waiting" };
    }),
  };
}

/** The first replica whose own place, once it is gone, has room for its replacement. */
function findRoomy(
  standing: readonly { readonly replica: OwnReplica }[],
  order: readonly UnplacedReplica[],
  filling: Filling,
): UnplacedReplica | undefined {
  const kept = [...standing, ...order];
  return order.find((one) => {
    const areReady = kept.every((other) => other === one || other.replica.ready);
    return areReady && filling.wouldFit(one.replica.cluster, one.replica.charges);
  });
}

function split(
  order: readonly UnplacedReplica[],
  gone: readonly UnplacedReplica[],
  because: ReleasedReplica["because"],
): Moves {
  return {
    released: gone.map(({ replica }) => ({ replica, because })),
    moving: order
      .filter((one) => !gone.includes(one))
      .map((one) => ({ ...one, progress: "NothingFits" })),
  };
}
