import { type Instant, parseInstant } from "../../kube/instant.ts";
import { isRecord, type KubeObject, stringField } from "../../kube/object.ts";
import type { Definitions } from "../../schema/definitions.ts";
import { createMetrics } from "../controller/metrics.ts";
import { Operator } from "../controller/operator.ts";
import { DEFAULT_SETTINGS, type Settings } from "../rollout/settings.ts";
import type { Change } from "./api-store.ts";
import { type ApiRequest, type Fate, MemoryClient } from "./memory-client.ts";
import { Steps } from "./steps.ts";
import type { Timeline } from "./timeline.ts";
import type { TraceEntry } from "./trace.ts";
import { SimulatedWorld } from "./world.ts";

/** What befalls the operator once, at one of its writes. */
export interface Interruption {
  /** Which write, from 1. */
  readonly write: number;
  /**
   * `kill-after`: the process ends once the write is sent. `lose-write` and `lose-answer`: it lives
   * on and hears that nobody knows whether it was done.
   */
  readonly how: "kill-after" | "lose-write" | "lose-answer";
}

/** How a timeline is played. */
export interface PlayOptions {
  readonly definitions: Definitions;
  readonly interruption?: Interruption;
  /** How many milliseconds changes take to reach watches, and whether they come twice. */
  readonly delay?: (change: Change) => number;
  readonly repeats?: (change: Change) => boolean;
  /** Hears of everything as it happens. */
  readonly told?: (entry: TraceEntry) => void;
  /** Hears of every change of an object. */
  readonly changed?: (change: Change) => void;
  /** Hears of every request of the operator. */
  readonly requested?: (request: ApiRequest) => void;
  /** Hears of everything that the operator logs. */
  readonly logged?: (facts: object, message: string) => void;
}

/** What came of a timeline. */
export interface Played {
  readonly world: SimulatedWorld;
  readonly start: Instant;
  /** What was not as the timeline says, or broke a rule that always holds. */
  readonly problems: readonly string[];
  /** How many writes the operator made. */
  readonly writes: number;
  /** Each revision that became stable, in order: `name hash`. */
  readonly promotions: readonly string[];
}

/** A new process takes over so much later than another has died. */
const TAKE_OVER_MILLISECONDS = 17_000;
const START = parseInstant("2026-01-05T09:00:00Z") as Instant;

/** Plays a timeline with a real operator in a simulated world. */
export async function play(timeline: Timeline, options: PlayOptions): Promise<Played> {
  const { definitions, told } = options;
  const world = new SimulatedWorld({ definitions, models: timeline.models, start: START, told });
  if (options.changed !== undefined) world.store.observe(options.changed);
  const watched = watchRules(world);
  const processes = new OperatorProcesses(world, timeline, options);
  const steps = new Steps(world, processes);
  const problems = await steps.all(timeline);
  await processes.stop();
  return {
    world,
    start: START,
    problems: [...problems, ...watched.problems, ...processes.bugs],
    writes: processes.writes,
    promotions: watched.promotions,
  };
}

/** The operator's process, and those that take its place. */
export class OperatorProcesses {
  readonly #world: SimulatedWorld;
  readonly #settings: Settings;
  readonly #options: PlayOptions;
  #current: { readonly end: AbortController; readonly life: Life } | undefined;
  #running: Promise<void> = Promise.resolve();
  #count = 0;
  #isWanted = false;
  /** What none of them should ever log. */
  readonly bugs = new Set<string>();
  /** How many writes all of them have made. */
  writes = 0;

  constructor(world: SimulatedWorld, timeline: Timeline, options: PlayOptions) {
    this.#world = world;
    this.#options = options;
    this.#settings = { ...DEFAULT_SETTINGS, ...timeline.settings };
  }

  start(): void {
    this.#isWanted = true;
    const { store, clock, engine } = this.#world;
    const { delay, repeats, logged = () => undefined } = this.#options;
    const life: Life = { dead: false };
    const end = new AbortController();
    const client = new MemoryClient({
      store,
      clock,
      meet: (request) => this.#meet(request, life),
      ...(delay === undefined ? {} : { delay }),
      ...(repeats === undefined ? {} : { repeats }),
    });
    this.#count += 1;
    const operator = new Operator({
      client,
      engine,
      settings: this.#settings,
      namespaces: [],
      workers: 4,
      defaultHost: "ollaya.dev",
      clock,
      random: () => 0.5,
      metrics: createMetrics(),
      log: {
        info: logged,
        warn: logged,
        error: (facts, message) => {
          const { err } = facts as { readonly err?: Error };
          this.bugs.add(`${message}: ${err?.message}`);
          logged(facts, message);
        },
      },
      instance: `evaluator-${this.#count}`,
    });
    this.#current = { end, life };
    this.#running = operator.run(end.signal);
  }

  /** Ends the process in order; none takes over. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    if (this.#current === undefined) return;
    this.#current.end.abort();
    this.#current = undefined;
    await this.#running;
  }

  /** Ends the process at once; another one takes over. */
  kill(): void {
    const current = this.#current;
    if (current === undefined) return;
    current.life.dead = true;
    current.end.abort();
    this.#current = undefined;
    this.#world.tell("operator", "killed");
    this.#world.clock.call(TAKE_OVER_MILLISECONDS, () => {
      if (!this.#isWanted || this.#current !== undefined) return;
      this.#world.tell("operator", "another one takes over");
      this.start();
    });
  }

  #meet(request: ApiRequest, life: Life): Fate | undefined {
    if (life.dead) return { type: "hang", done: false };
    this.#options.requested?.(request);
    const { verb, kind } = request;
    const isWrite = verb !== "get" && verb !== "list" && verb !== "watch";
    if (!isWrite || kind === "Event") return undefined;
    this.writes += 1;
    const { interruption } = this.#options;
    if (interruption?.write !== this.writes) return undefined;
    switch (interruption.how) {
      case "kill-after":
        this.kill();
        return { type: "hang", done: true };
      case "lose-write": {
        const message = "the connection was lost before an answer came";
        return { type: "refuse", problem: { reason: "Lost", message } };
      }
      case "lose-answer":
        return { type: "lose-answer" };
    }
  }
}

interface Life {
  dead: boolean;
}

/** Watches what must hold at every moment, whoever is killed. */
function watchRules(world: SimulatedWorld): {
  readonly problems: string[];
  readonly promotions: string[];
} {
  const problems: string[] = [];
  const promotions: string[] = [];
  const stable = new Map<string, string | undefined>();
  world.store.observe(({ object, before, type }) => {
    const key = `${object.metadata?.namespace}/${object.metadata?.name}`;
    if (object.kind === "DecisionModel") {
      const now = type === "DELETED" ? undefined : stableOf(object);
      if (now !== undefined && now !== stable.get(key)) promotions.push(`${key} ${now}`);
      stable.set(key, now);
    }
    if (object.kind !== "Service" || type === "DELETED" || !isOurs(object)) return;
    const selects = selected(object);
    if (before !== undefined && selected(before) === selects) return;
    if (selects === stable.get(key) || world.isMine) return;
    problems.push(`Service ${key} selects ${selects} while ${stable.get(key)} is stable`);
  });
  return { problems, promotions };
}

function stableOf({ status }: KubeObject): string | undefined {
  return isRecord(status) ? stringField(status, "stableRevision", "hash") : undefined;
}

function isOurs({ metadata }: KubeObject): boolean {
  return metadata?.labels?.["decisionmodel.io/name"] !== undefined;
}

function selected(service: KubeObject): string | undefined {
  return stringField(service.spec, "selector", "decisionmodel.io/revision");
}
