import type {
  Cluster,
  Demand,
  OwnReplica,
  StampedEngine,
} from "../../functions/model-deployment/scheduling/fleet.ts";
import type {
  ReleasedReplica,
  Schedule,
} from "../../functions/model-deployment/scheduling/placement.ts";
import { createScheduler } from "../../functions/model-deployment/scheduling/schedule.ts";

/** How many passes a deletion takes. */
const DELETION = 2;

/** A deployment of a simulated fleet. */
export interface Actor {
  readonly name: string;
  demand: Demand;
  replicas: readonly OwnReplica[];
  /** How many passes ago the other deployments' replicas were read. */
  readonly staleness: number;
}

/** What happened in a pass. */
export interface Pass {
  readonly released: readonly ReleasedReplica[];
  readonly placed: number;
}

/**
 * A fleet of several deployments that schedule at the same time, pass after pass. A replica runs, and
 * serves from then on, once its nodes are free on a cluster that exists; one that runs keeps its
 * nodes until it is gone, two passes after it was let go.
 */
export class World {
  readonly actors: readonly Actor[];
  #clusters: readonly Cluster[];
  readonly #scheduler = createScheduler();
  readonly #history: (readonly OwnReplica[])[] = [];
  readonly #deleted = new Map<string, number>();
  #pass = 0;

  constructor(clusters: readonly Cluster[], actors: readonly Actor[]) {
    this.#clusters = clusters;
    this.actors = actors;
    this.#run();
  }

  get clusters(): readonly Cluster[] {
    return this.#clusters;
  }

  /** Changes the fleet; what ran on a cluster that is gone, or on lost nodes, stops. */
  replaceClusters(clusters: readonly Cluster[]): void {
    this.#clusters = clusters;
    this.#run();
  }

  /** Lets every deployment schedule once, all from what stood at the beginning of the pass. */
  step(): Pass {
    this.#pass++;
    this.#history.unshift(this.actors.flatMap(({ replicas }) => replicas));
    const schedules = this.actors.map((actor) => this.#schedule(actor));
    for (const [at, actor] of this.actors.entries()) this.#apply(actor, schedules[at] as Schedule);
    this.#run();
    return {
      released: schedules.flatMap(({ released }) => released),
      placed: schedules.reduce((sum, { placed }) => sum + placed.length, 0),
    };
  }

  /** The nodes of each pool that are taken beyond those that it has. */
  overCommitment(): number {
    return this.#pools().reduce((sum, { nodes, taken }) => sum + Math.max(0, taken - nodes), 0);
  }

  /** Whether a deletion is still going on. */
  isDeleting(): boolean {
    return this.#deleted.size > 0;
  }

  #schedule({ name, demand, replicas, staleness }: Actor): Schedule {
    const read = this.#history[Math.min(staleness, this.#history.length - 1)] ?? [];
    const others = read.filter(({ deployment }) => deployment !== name);
    const deployment = { namespace: "ml-team", name };
    const snapshot = { deployment, demand, clusters: this.#clusters, own: replicas, others };
    return this.#scheduler.schedule(snapshot);
  }

  #apply(actor: Actor, { kept, released, placed }: Schedule): void {
    const leaving = new Set(released.map(({ replica }) => replica));
    const known = new Set([...kept, ...released].map(({ replica }) => replica));
    const lost = actor.replicas.filter((one) => !known.has(one) && !one.deleting);
    if (lost.length > 0) throw new Error(`nothing was said about ${lost[0]?.name}`);
    const standing = actor.replicas.flatMap((replica): readonly OwnReplica[] => {
      if (leaving.has(replica)) {
        this.#deleted.set(replica.name, this.#pass + DELETION);
        return [{ ...replica, deleting: true }];
      }
      if ((this.#deleted.get(replica.name) ?? this.#pass + 1) > this.#pass) return [replica];
      this.#deleted.delete(replica.name);
      return [];
    });
    const fresh = placed.map(({ cluster, index, engines, charges }): OwnReplica => {
      const name = `${actor.name}-${cluster}-${index}`;
      const stamped = engines.map((engine, at): StampedEngine => {
        const roles = actor.demand.engines[at]?.members ?? [];
        const members = engine.members.map(({ pool }, m) => ({ role: roles[m]?.role ?? "", pool }));
        return { name: engine.name, members };
      });
      return {
        namespace: "ml-team",
        name,
        deployment: actor.name,
        cluster,
        index,
        charges,
        created: String(this.#pass).padStart(4, "0"),
        engines: stamped,
        served: false,
        deleting: false,
        ready: false,
        serving: false,
      };
    });
    actor.replicas = [...standing, ...fresh];
  }

  /** Starts what has room, in the order of creation; what runs already keeps its nodes. */
  #run(): void {
    const free = new Map(
      this.#clusters.flatMap(({ name, pools = [] }) =>
        pools.map((pool) => [`${name}/${pool.name}`, pool.nodes] as const),
      ),
    );
    const take = ({ cluster, charges }: OwnReplica): boolean => {
      const keys = charges.map(({ pool, nodes }) => [`${cluster}/${pool}`, nodes] as const);
      // A pool that was renamed still has its nodes, though nothing says how many.
      if (keys.some(([key, nodes]) => (free.get(key) ?? nodes) < nodes)) return false;
      for (const [key, nodes] of keys) free.set(key, (free.get(key) ?? 0) - nodes);
      return true;
    };
    const all = this.actors.flatMap(({ replicas }) => replicas);
    const names = new Set(this.#clusters.map(({ name }) => name));
    const running = new Set<OwnReplica>();
    for (const replica of all.filter(({ serving }) => serving)) {
      if (names.has(replica.cluster) && take(replica)) running.add(replica);
    }
    const waiting = all.filter((one) => !running.has(one) && !one.deleting);
    for (const replica of waiting.sort((a, b) =>
      a.created + a.name < b.created + b.name ? -1 : 1,
    )) {
      if (names.has(replica.cluster) && take(replica)) running.add(replica);
    }
    for (const actor of this.actors) {
      actor.replicas = actor.replicas.map((replica) => {
        const runs = running.has(replica);
        return { ...replica, ready: runs, serving: runs, served: replica.served || runs };
      });
    }
  }

  #pools(): readonly { readonly nodes: number; readonly taken: number }[] {
    const all = this.actors.flatMap(({ replicas }) => replicas);
    return this.#clusters.flatMap(({ name, pools = [] }) =>
      pools.map((pool) => {
        const charges = all.flatMap(({ cluster, charges }) => (cluster === name ? charges : []));
        const mine = charges.filter((charge) => charge.pool === pool.name);
        return { nodes: pool.nodes, taken: mine.reduce((sum, { nodes }) => sum + nodes, 0) };
      }),
    );
  }
}
