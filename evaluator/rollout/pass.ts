import type { ConditionReasons, ConditionType, Phase } from "../../api/decision-model.ts";
import type {
  DecisionModel,
  DecisionModelSpec,
  DecisionModelStatus,
} from "../../api/gen/decisionmodels.ts";
import { after, formatInstant, type Instant } from "../../kube/instant.ts";
import type { Action, Decision, Notice, Run } from "./decision.ts";
import type { GatedPods } from "./gate.ts";
import type { Refusal } from "./refusal.ts";
import { LIMITS, type Settings } from "./settings.ts";
import type { World } from "./world.ts";

type Draft = { -readonly [Field in keyof DecisionModelStatus]: DecisionModelStatus[Field] };
type StatusCondition = NonNullable<DecisionModelStatus["conditions"]>[number];

/** A reason that a condition may have, and what to say. */
export interface Cause<Type extends ConditionType> {
  readonly reason: ConditionReasons[Type];
  readonly message: string;
}

/**
 * One pass over a DecisionModel in the making: what is known, and what has been decided so far. Its
 * life ends with the call of `advance` that began it.
 */
export class Pass {
  readonly model: DecisionModel;
  readonly world: World;
  readonly settings: Settings;
  readonly status: Draft;
  readonly #prepare: Action[] = [];
  readonly #traffic: Action[] = [];
  readonly #followUp: Action[] = [];
  readonly #notices: Notice[] = [];
  readonly #runs = new Map<string, Run>();
  #blocked: Cause<"Ready"> | undefined;
  #degraded: Cause<"Degraded"> | undefined;
  /** The pods of each revision that was looked at, by its hash. */
  readonly gated = new Map<string, GatedPods>();
  /** Why the spec means no revision, where it means none. */
  refusal: Refusal | undefined;
  #admits = false;
  #wakeAt: Instant | undefined;

  constructor(model: DecisionModel, world: World, settings: Settings) {
    this.model = model;
    this.world = world;
    this.settings = settings;
    this.status = { ...model.status };
  }

  get spec(): DecisionModelSpec {
    return this.model.spec;
  }

  get now(): Instant {
    return this.world.now;
  }

  /** The phase that the status has, or none before the first pass. */
  get phase(): Phase | undefined {
    return this.status.phase as Phase | undefined;
  }

  /** The moment of this pass as a status records it. */
  get stamp(): string {
    return formatInstant(this.now);
  }

  prepare(action: Action): void {
    if (this.#mayTry(action)) this.#prepare.push(action);
  }

  /** Keeps requests going to what serves: done before all else that follows. */
  direct(action: Action): void {
    if (this.#mayTry(action)) this.#traffic.push(action);
  }

  followUp(action: Action): void {
    if (this.#mayTry(action)) this.#followUp.push(action);
  }

  /** Says what the API server refused before, and whether it is to be tried again. */
  #mayTry(action: Action): boolean {
    const object = subjectOf(action);
    const refused = object === undefined ? undefined : this.world.refused.get(object);
    if (refused === undefined) return true;
    this.degrade("ResourceConflict", `${object}: ${refused.message}`);
    this.wakeAfter(LIMITS.resourceConflict);
    return refused.isDue;
  }

  /** Tells people, once the status has been written. */
  notice(type: Notice["type"], reason: string, message: string): void {
    this.#notices.push({ type, reason, message });
  }

  /** Wants background work to go on, or its result to be kept. */
  want(run: Run): void {
    this.#runs.set(run.id, run);
  }

  /** Looks again after so many milliseconds at the latest. */
  wakeAfter(milliseconds: number): void {
    this.wakeAt(after(this.now, milliseconds));
  }

  /** Looks again at that moment at the latest. */
  wakeAt(at: Instant): void {
    if (this.#wakeAt === undefined || at < this.#wakeAt) this.#wakeAt = at;
  }

  /** Says why the condition Ready has a reason of its own; the first to say so is heard. */
  block(reason: ConditionReasons["Ready"], message: string): void {
    this.#blocked ??= { reason, message };
  }

  get blocked(): Cause<"Ready"> | undefined {
    return this.#blocked;
  }

  /** Says what is wrong, whether or not it keeps anything from serving; the first to say so is heard. */
  degrade(reason: ConditionReasons["Degraded"], message: string): void {
    this.#degraded ??= { reason, message };
  }

  get degraded(): Cause<"Degraded"> | undefined {
    return this.#degraded;
  }

  /** Says that the status records a roll-out which begins now. */
  admit(): void {
    this.#admits = true;
  }

  /** Moves to a phase; its time changes only where the phase does. */
  enter(phase: Phase): void {
    if (this.status.phase === phase) return;
    this.status.phase = phase;
    this.status.phaseTransitionTime = this.stamp;
  }

  /** Sets a condition; its time changes only where its status does. */
  set<Type extends ConditionType>(
    type: Type,
    status: "True" | "False",
    reason: ConditionReasons[Type],
    message: string,
  ): void {
    const before = this.condition(type);
    const condition: StatusCondition = {
      type,
      status,
      reason,
      message: shortened(message),
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : this.stamp,
      observedGeneration: this.model.metadata.generation ?? 0,
    };
    const others = (this.status.conditions ?? []).filter((other) => other.type !== type);
    this.status.conditions = [...others, condition].sort((a, b) => (a.type < b.type ? -1 : 1));
  }

  drop(...types: readonly ConditionType[]): void {
    this.status.conditions = (this.status.conditions ?? []).filter(
      ({ type }) => !(types as readonly string[]).includes(type),
    );
  }

  condition(type: ConditionType): StatusCondition | undefined {
    return this.status.conditions?.find((condition) => condition.type === type);
  }

  decision(): Decision {
    return {
      prepare: this.#prepare,
      status: this.status,
      followUp: [...this.#traffic, ...this.#followUp],
      notices: this.#notices,
      runs: [...this.#runs.values()],
      admits: this.#admits,
      wakeAt: this.#wakeAt,
    };
  }
}

/** The object that an action writes, as refusals name it; nothing for those that can't be refused for good. */
function subjectOf(action: Action): string | undefined {
  switch (action.type) {
    case "Create":
    case "Replace":
      return `${action.object.kind} ${action.object.metadata?.name}`;
    case "Merge":
    case "Delete":
      return `${action.target.kind} ${action.target.name}`;
    default:
      return undefined;
  }
}

const MOST_MESSAGE = 2048;

/**
 * The API accepts 32 KiB; nobody reads so much, and messages may quote what users wrote. A character
 * that is cut in two would come back as another, and so be written in every pass.
 */
function shortened(message: string): string {
  const text = message.length > MOST_MESSAGE ? `${message.slice(0, MOST_MESSAGE - 1)}…` : message;
  return text.toWellFormed();
}
