import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import { after, type Instant } from "../../kube/instant.ts";
import { mergePatch } from "../../kube/merge-patch.ts";
import type { Answer, KubernetesClient, ObjectList, Problem } from "../kubernetes/client.ts";
import { advance } from "../rollout/advance.ts";
import { claimantOf, mayStart } from "../rollout/budget.ts";
import type { Action, Decision, Notice } from "../rollout/decision.ts";
import { LIMITS, type Settings } from "../rollout/settings.ts";
import type { World } from "../rollout/world.ts";
import { act } from "./act.ts";
import { KINDS } from "./kinds.ts";
import { type Copies, type DecodedBytes, observe } from "./observe.ts";
import type { Runs } from "./runs.ts";

/** Copies of DecisionModels beside those of their objects; a key is `namespace/name`. */
export interface Models extends Copies {
  model(key: string): DecisionModel | undefined;
  models(): readonly DecisionModel[];
}

/** What a reconciler needs from its surroundings. */
export interface ReconcilerOptions {
  readonly client: KubernetesClient;
  readonly copies: Models;
  readonly runs: Runs;
  readonly settings: Settings;
  readonly now: () => Instant;
  /** Hears what became of each pass that changed the status or has something to tell. */
  readonly told: (
    before: DecisionModel,
    after: DecisionModel["status"],
    notices: readonly Notice[],
  ) => void;
  /** Hears of every gate of a pod that was set, by its reason. */
  readonly gated: (reason: string) => void;
  readonly decode: (key: string, bytes: Uint8Array, maxCases: number) => DecodedBytes;
  /** The namespaces that are looked after; all of them where this is empty. */
  readonly namespaces: readonly string[];
}

/** How a pass ended, and when the next one is due if nothing happens before. */
export type Reconciled =
  | { readonly state: "done"; readonly wakeAt: Instant | undefined }
  /** What was seen is already behind what is written. */
  | { readonly state: "behind" }
  | { readonly state: "gone" }
  | { readonly state: "failed"; readonly problem: Problem };

/** How long to wait for copies that are behind. */
export const CATCH_UP_MILLISECONDS = 1000;

/** Whom the last write of a key's status was based on, by version; `unknown` where it may have been lost. */
type Base = { readonly version: string } | "unknown";

/** A write that the API server refused, when, and by which generation of the DecisionModel. */
interface Refusal {
  readonly message: string;
  readonly at: Instant;
  readonly generation: number | undefined;
}

/** Takes DecisionModels through their roll-outs, one pass at a time for each key. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #refusals = new Map<string, ReadonlyMap<string, Refusal>>();
  readonly #apiKeys = new Map<string, string>();
  readonly #bases = new Map<string, Base>();
  readonly #reserved = new Set<string>();
  #admissions: Promise<unknown> = Promise.resolve();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** The key of a DecisionModel's servers as it was last read. */
  apiKey(key: string): string | undefined {
    return this.#apiKeys.get(key);
  }

  /** One pass: observe, decide, prepare, commit, follow up. */
  async reconcile(key: string): Promise<Reconciled> {
    const { client, copies, runs } = this.#options;
    const model = copies.model(key);
    if (model === undefined || model.metadata.deletionTimestamp !== undefined) {
      this.#forget(key);
      return { state: "gone" };
    }
    const current = await this.#isCurrent(key, model);
    if (current !== true) return current;
    const observed = await observe(model, copies, client, {
      now: this.#options.now(),
      runs: runs.of(key),
      refused: this.#refusedWrites(key, model),
      admission: this.#mayStart(model, copies.models()) ? "open" : "full",
      decode: (bytes, maxCases) => this.#options.decode(key, bytes, maxCases),
    });
    if (!observed.ok) return { state: "failed", problem: observed.problem };
    const { world, apiKey } = observed.value;
    if (apiKey === undefined) this.#apiKeys.delete(key);
    else this.#apiKeys.set(key, apiKey);
    const decision = await this.#decide(key, model, world);
    if ("problem" in decision) return { state: "failed", problem: decision.problem };
    try {
      return await this.#carryOut(key, model, decision);
    } finally {
      // What is recorded counts for itself, and what is not holds no place; only a lost answer may be either.
      if (this.#bases.get(key) !== "unknown") this.#reserved.delete(key);
    }
  }

  /** Decides, and has the budget confirm a roll-out that would begin by what is really recorded. */
  async #decide(
    key: string,
    model: DecisionModel,
    world: World,
  ): Promise<Decision | { readonly problem: Problem }> {
    const { settings } = this.#options;
    const decision = advance(model, world, settings);
    if (!decision.admits || settings.maxConcurrentRollouts === 0) return decision;
    const admitted = await this.#reserve(key, model);
    if (typeof admitted !== "boolean") return admitted;
    return admitted ? decision : advance(model, { ...world, admission: "full" }, settings);
  }

  async #carryOut(key: string, model: DecisionModel, decision: Decision): Promise<Reconciled> {
    const { runs, told } = this.#options;
    const version = model.metadata.resourceVersion as string;
    const prepared = await this.#actAll(model, decision.prepare, version);
    this.#remember(key, model, prepared.refused);
    if (prepared.problem !== undefined) return { state: "failed", problem: prepared.problem };
    const committed = await this.#commit(key, model, decision);
    if ("state" in committed) return committed;
    runs.want(key, decision.runs);
    if (committed.changed || decision.notices.length > 0) {
      told(model, decision.status, decision.notices);
    }
    const done = await this.#actAll(model, decision.followUp, committed.version);
    this.#remember(key, model, new Map([...prepared.refused, ...done.refused]));
    if (done.problem !== undefined) return { state: "failed", problem: done.problem };
    if (done.stale) return { state: "behind" };
    return { state: "done", wakeAt: decision.wakeAt };
  }

  /** Writes the status if it changed, of the version that was read alone. */
  async #commit(
    key: string,
    model: DecisionModel,
    decision: Decision,
  ): Promise<Reconciled | { readonly version: string; readonly changed: boolean }> {
    const version = model.metadata.resourceVersion as string;
    const status = mergePatch(
      (model.status ?? {}) as Readonly<Record<string, unknown>>,
      decision.status as Readonly<Record<string, unknown>>,
    );
    if (status === undefined) return { version, changed: false };
    const { namespace = "", name = "" } = model.metadata;
    const patch = { metadata: { resourceVersion: version }, status };
    const answer = await this.#options.client.mergeStatus(
      KINDS.DecisionModel,
      namespace,
      name,
      patch,
    );
    if (answer.ok) {
      this.#bases.set(key, { version });
      return { version: answer.value.metadata?.resourceVersion as string, changed: true };
    }
    const { problem } = answer;
    if (problem.reason === "Lost") {
      // Nobody knows whether it was written: the next pass asks first, and a reservation stands.
      this.#bases.set(key, "unknown");
      return { state: "failed", problem };
    }
    if (problem.reason === "Conflict" || problem.reason === "NotFound") return { state: "behind" };
    return { state: "failed", problem };
  }

  /**
   * Whether a copy shows what was last written. Copies come later than writes, and what follows from
   * an old status must not be done: it could send requests back to a revision that is given up.
   */
  async #isCurrent(key: string, model: DecisionModel): Promise<true | Reconciled> {
    const base = this.#bases.get(key);
    const version = model.metadata.resourceVersion as string;
    if (base !== undefined && base !== "unknown") {
      return base.version === version ? { state: "behind" } : true;
    }
    const { namespace = "", name = "" } = model.metadata;
    const answer = await this.#options.client.get(KINDS.DecisionModel, namespace, name);
    if (!answer.ok) {
      return answer.problem.reason === "NotFound"
        ? { state: "behind" }
        : { state: "failed", problem: answer.problem };
    }
    if (answer.value.metadata?.resourceVersion !== version) return { state: "behind" };
    this.#reserved.delete(key);
    this.#bases.set(key, { version: "" });
    return true;
  }

  /** Does actions in their order until one fails; a refused one ends those that build on each other. */
  async #actAll(
    model: DecisionModel,
    actions: readonly Action[],
    version: string,
  ): Promise<{
    readonly refused: ReadonlyMap<string, string>;
    readonly stale: boolean;
    readonly problem?: Problem;
  }> {
    const refused = new Map<string, string>();
    let stale = false;
    for (const action of actions) {
      const acted = await act(action, model, this.#options.client, version);
      if (acted.state === "stale") stale = true;
      if (acted.state === "done" && action.type === "SetGate") {
        this.#options.gated(action.condition.reason);
      }
      if (acted.state === "failed") return { refused, stale, problem: acted.problem };
      if (acted.state !== "refused") continue;
      refused.set(acted.object, acted.message);
      if (action.type === "Create") break;
    }
    return { refused, stale };
  }

  #refusedWrites(key: string, { metadata }: DecisionModel): World["refused"] {
    const now = this.#options.now();
    return new Map(
      [...(this.#refusals.get(key) ?? [])].map(([object, { message, at, generation }]) => {
        const isDue =
          generation !== metadata.generation || now >= after(at, LIMITS.resourceConflict);
        return [object, { message, isDue }];
      }),
    );
  }

  /** Keeps what was refused just now, and what was not to be tried again yet. */
  #remember(key: string, model: DecisionModel, refused: ReadonlyMap<string, string>): void {
    const { generation } = model.metadata;
    const before = this.#refusals.get(key);
    const waiting = [...this.#refusedWrites(key, model)].filter(([, { isDue }]) => !isDue);
    const kept = new Map<string, Refusal>();
    for (const [object] of waiting) kept.set(object, before?.get(object) as Refusal);
    const at = this.#options.now();
    for (const [object, message] of refused) kept.set(object, { message, at, generation });
    if (kept.size === 0) this.#refusals.delete(key);
    else this.#refusals.set(key, kept);
  }

  /** Whether the budget has room, by these DecisionModels and those that were let in just now. */
  #mayStart(model: DecisionModel, all: readonly DecisionModel[]): boolean {
    const { maxConcurrentRollouts } = this.#options.settings;
    if (maxConcurrentRollouts === 0) return true;
    const { namespace = "", name = "" } = model.metadata;
    // One that is being deleted rolls nothing out any more, however long that takes.
    const claimants = all.filter(isKept).map((one) => {
      const isOther = keyOf(one) !== keyOf(model);
      return claimantOf(one, isOther && this.#reserved.has(keyOf(one)));
    });
    return mayStart({ namespace, name }, claimants, maxConcurrentRollouts);
  }

  /** Lets a roll-out in by what is really recorded, one at a time: copies may be behind. */
  #reserve(key: string, model: DecisionModel): Promise<boolean | { readonly problem: Problem }> {
    const attempt = this.#admissions.then(async () => {
      const answers = await Promise.all(this.#lists());
      const models: DecisionModel[] = [];
      for (const answer of answers) {
        if (!answer.ok) return { problem: answer.problem };
        models.push(...(answer.value.items as readonly DecisionModel[]));
      }
      const admitted = this.#mayStart(model, models);
      if (admitted) this.#reserved.add(key);
      return admitted;
    });
    this.#admissions = attempt.catch(() => undefined);
    return attempt;
  }

  #lists(): readonly Promise<Answer<ObjectList>>[] {
    const { client, namespaces } = this.#options;
    if (namespaces.length === 0) return [client.list(KINDS.DecisionModel)];
    return namespaces.map((namespace) => client.list(KINDS.DecisionModel, { namespace }));
  }

  #forget(key: string): void {
    this.#options.runs.forget(key);
    this.#refusals.delete(key);
    this.#apiKeys.delete(key);
    this.#bases.delete(key);
    this.#reserved.delete(key);
  }
}

function isKept({ metadata }: DecisionModel): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** The key of a DecisionModel: `namespace/name`. */
export function keyOf({ metadata }: DecisionModel): string {
  return `${metadata.namespace}/${metadata.name}`;
}
