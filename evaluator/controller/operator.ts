import { LABELS } from "../../api/decision-model.ts";
import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import type { Instant } from "../../kube/instant.ts";
import { type KubeObject, listField, numberField, stringField } from "../../kube/object.ts";
import type { Clock } from "../engine/clock.ts";
import type { Engine } from "../engine/engine.ts";
import type { KubernetesClient, Problem } from "../kubernetes/client.ts";
import { type Worked, WorkQueue } from "../kubernetes/queue.ts";
import { Reflector } from "../kubernetes/reflector.ts";
import type { Run } from "../rollout/decision.ts";
import type { Settings } from "../rollout/settings.ts";
import { DatasetMemory } from "./dataset-memory.ts";
import { buildEvent } from "./events.ts";
import { KINDS, WATCHED, type WatchedKind } from "./kinds.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { perform } from "./perform.ts";
import { CATCH_UP_MILLISECONDS, type Models, type Reconciled, Reconciler } from "./reconcile.ts";
import { Runs } from "./runs.ts";

/** What an operator is made of. */
export interface OperatorOptions {
  readonly client: KubernetesClient;
  readonly engine: Engine;
  readonly settings: Settings;
  /** The namespaces to look after; all of them where this is empty. */
  readonly namespaces: readonly string[];
  /** How many DecisionModels are looked at at a time. */
  readonly workers: number;
  /** The host of models that are named without one. */
  readonly defaultHost: string;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Names this process in events. */
  readonly instance: string;
}

/**
 * Looks after DecisionModels: keeps copies of them and of their objects, has a pass made over each
 * when something changes or time has come, and tells people what came of it. It may be killed at any
 * moment; what it knows is in the API server.
 */
export class Operator {
  readonly #options: OperatorOptions;
  readonly #queue: WorkQueue;
  readonly #runs: Runs;
  readonly #reconciler: Reconciler;
  readonly #models: readonly Reflector[];
  readonly #objects: ReadonlyMap<WatchedKind, readonly Reflector[]>;
  readonly #datasets = new DatasetMemory();

  constructor(options: OperatorOptions) {
    this.#options = options;
    const { client, settings, clock, random, workers } = options;
    this.#queue = new WorkQueue({ workers, clock, random, work: (key) => this.#work(key) });
    this.#runs = new Runs({
      now: () => this.#now,
      perform: (key, run, signal) => this.#perform(key, run, signal),
      ended: (key) => this.#queue.add(key),
      broke: (key, error) =>
        options.log.error({ key, err: error as Error }, "work of a DecisionModel had a bug"),
    });
    this.#models = this.#reflect("DecisionModel", {}, (before, after) =>
      this.#modelChanged(before, after),
    );
    this.#objects = new Map(
      WATCHED.map((kind) => [
        kind,
        this.#reflect(kind, { labelSelector: LABELS.name }, (before, after) => {
          if (matters(before, after)) this.#queue.add(modelOf((after ?? before) as KubeObject));
        }),
      ]),
    );
    this.#reconciler = new Reconciler({
      client,
      settings,
      copies: this.#copies(),
      runs: this.#runs,
      now: () => this.#now,
      told: (before, after, notices) => {
        if (after !== undefined) options.metrics.told(before, after, notices, this.#now);
        const told = { now: this.#now, instance: options.instance };
        for (const notice of notices) void this.#record(buildEvent(before, notice, told));
      },
      gated: (reason) => options.metrics.gated(reason),
      decode: (key, bytes, maxCases) => this.#datasets.decode(key, bytes, maxCases),
      namespaces: options.namespaces,
    });
  }

  /** Resolves when every kind has been read once. */
  async synced(): Promise<void> {
    await Promise.all(this.#reflectors.map(({ synced }) => synced));
  }

  /** Looks after everything until the signal aborts; resolves when the passes under way have ended. */
  async run(signal: AbortSignal): Promise<void> {
    const reflecting = this.#reflectors.map((reflector) => reflector.run(signal));
    const aborted = new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    await Promise.race([this.synced(), aborted]);
    if (!signal.aborted) await this.#queue.run(signal);
    this.#runs.stop();
    await Promise.all(reflecting);
  }

  get #reflectors(): readonly Reflector[] {
    return [...this.#models, ...[...this.#objects.values()].flat()];
  }

  get #now(): Instant {
    return this.#options.clock.now() as Instant;
  }

  /** One reflector for each namespace, or one for all of them. */
  #reflect(
    kind: WatchedKind | "DecisionModel",
    selection: { readonly labelSelector?: string },
    changed: (before: KubeObject | undefined, after: KubeObject | undefined) => void,
  ): readonly Reflector[] {
    const { client, clock, random, namespaces, log } = this.#options;
    const scopes =
      namespaces.length === 0
        ? [selection]
        : namespaces.map((namespace) => ({ ...selection, namespace }));
    return scopes.map(
      (scope) =>
        new Reflector({
          client,
          kind: KINDS[kind],
          selection: scope,
          clock,
          random,
          index: modelOf,
          changed,
          failed: (problem) => log.warn({ kind, ...problem }, "watch failed"),
        }),
    );
  }

  #copies(): Models {
    const find = (key: string) => {
      const [namespace = "", name = ""] = key.split("/");
      for (const reflector of this.#models) {
        const found = reflector.get(namespace, name);
        if (found !== undefined) return found as DecisionModel;
      }
      return undefined;
    };
    return {
      model: find,
      models: () => this.#models.flatMap((reflector) => reflector.all()) as DecisionModel[],
      owned: (kind, namespace, model) =>
        (this.#objects.get(kind) ?? []).flatMap((one) => one.indexed(`${namespace}/${model}`)),
    };
  }

  #modelChanged(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const { metrics } = this.#options;
    const { namespace = "", name = "" } = (after ?? before)?.metadata ?? {};
    if (before === undefined && after !== undefined) metrics.found(after as DecisionModel);
    if (after === undefined) metrics.removed(namespace, name);
    this.#queue.add(`${namespace}/${name}`);
  }

  async #work(key: string): Promise<Worked> {
    const { clock, metrics, log } = this.#options;
    const began = clock.now();
    const passed = (result: Parameters<Metrics["passed"]>[0]) =>
      metrics.passed(result, (clock.now() - began) / 1000);
    let reconciled: Reconciled;
    try {
      reconciled = await this.#reconciler.reconcile(key);
    } catch (error) {
      // A bug with one DecisionModel must not stop the others.
      passed("bug");
      log.error({ key, err: error as Error }, "a pass ended with a bug");
      return { state: "failed" };
    }
    passed(reconciled.state);
    switch (reconciled.state) {
      case "done": {
        const { wakeAt } = reconciled;
        return wakeAt === undefined
          ? { state: "done" }
          : { state: "done", again: Math.max(0, wakeAt - clock.now()) };
      }
      case "behind":
        return { state: "done", again: CATCH_UP_MILLISECONDS };
      case "gone":
        this.#datasets.forget(key);
        return { state: "done" };
      case "failed":
        log.warn({ key, ...reconciled.problem }, "a pass failed and is tried again");
        return { state: "failed" };
    }
  }

  async #perform(key: string, run: Run, signal: AbortSignal) {
    const { engine, clock, defaultHost, metrics } = this.#options;
    const began = clock.now();
    const apiKey = this.#reconciler.apiKey(key);
    const result = await perform(run.work, { engine, clock, defaultHost, apiKey, signal });
    if (run.work.type === "Resolve") metrics.resolved((clock.now() - began) / 1000);
    return result;
  }

  /** Tells people; that they are not told must not keep a roll-out from going on. */
  async #record(event: KubeObject): Promise<void> {
    const answer = await this.#options.client.create(KINDS.Event, event);
    if (!answer.ok && answer.problem.reason !== "AlreadyExists")
      this.#notTold(event, answer.problem);
  }

  #notTold(event: KubeObject, problem: Problem): void {
    const { namespace, name } = event.metadata ?? {};
    const { reason } = event;
    this.#options.log.warn({ namespace, name, event: reason, ...problem }, "an event was not made");
  }
}

/** The key of the DecisionModel that an object is labelled with, or its own. */
function modelOf({ kind, metadata }: KubeObject): string {
  const name = kind === "DecisionModel" ? metadata?.name : metadata?.labels?.[LABELS.name];
  return `${metadata?.namespace}/${name}`;
}

/** Whether a change of an object can change what is to be done. */
function matters(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  if (after.kind === "ReplicaSet") return false;
  if (after.kind !== "Pod") return true;
  return podState(before) !== podState(after);
}

function podState({ metadata, status }: KubeObject): string {
  const condition = (type: string) => {
    const found = listField(status, "conditions").find((one) => stringField(one, "type") === type);
    return [stringField(found, "status"), stringField(found, "lastTransitionTime")];
  };
  return JSON.stringify([
    metadata?.deletionTimestamp,
    metadata?.labels,
    stringField(status, "phase"),
    stringField(status, "podIP"),
    condition("ContainersReady"),
    condition("Ready"),
    listField(status, "containerStatuses").map((one) => [
      numberField(one, "restartCount"),
      stringField(one, "state", "waiting", "reason"),
    ]),
  ]);
}
