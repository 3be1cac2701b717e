import type { KubeObject } from "../../kube/object.ts";
import { backoff } from "./backoff.ts";
import { unlessAborted } from "./cancellation.ts";
import type { KubernetesClient, Problem, ResourceKind, Selection, WatchEvent } from "./client.ts";
import type { Clock } from "./clock.ts";

/** What a reflector needs. */
export interface ReflectorOptions {
  readonly client: KubernetesClient;
  readonly kind: ResourceKind;
  readonly selection: Selection;
  readonly clock: Clock;
  readonly random: () => number;
  /** Under which text `indexed` finds an object. */
  readonly index: (object: KubeObject) => string;
  /** Hears of every real change, once; `after` is `undefined` where the object is gone. */
  readonly changed: (before: KubeObject | undefined, after: KubeObject | undefined) => void;
  /** Hears why a list or a watch failed; it is tried again. */
  readonly failed: (problem: Problem) => void;
}

/** A server that says nothing for so long, not even a bookmark, is taken as gone. */
const SILENCE_MILLISECONDS = 150_000;
/** The least time between two requests, whatever the server does. */
const PACE_MILLISECONDS = 1000;
const LONGEST_BACKOFF_MILLISECONDS = 60_000;
/** A watch that lasts as long, or tells a change, shows that failures are over. */
const STEADY_MILLISECONDS = 5000;

/**
 * Keeps copies of a selection of objects: a list, then a watch from where it ended, again from where
 * the last watch came to, and a list anew where the server has forgotten that. At most one request
 * is under way, and after failures they come ever more rarely.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #objects = new Map<string, KubeObject>();
  readonly #index = new Map<string, Map<string, KubeObject>>();
  readonly #synced = Promise.withResolvers<void>();
  #version: string | undefined;
  #hasTold = false;

  constructor(options: ReflectorOptions) {
    this.#options = options;
  }

  /** Resolves when the first list has been read. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  all(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }

  /** The objects that the index has under a text. */
  indexed(text: string): readonly KubeObject[] {
    return [...(this.#index.get(text)?.values() ?? [])];
  }

  /** Keeps the copies until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, failed } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      const began = clock.now();
      const isList = this.#version === undefined;
      this.#hasTold = false;
      const problem = isList ? await this.#list(signal) : await this.#watch(signal);
      if (signal.aborted) return;
      const isSteady = this.#hasTold || clock.now() - began >= STEADY_MILLISECONDS;
      if (isSteady && !isList) failures = 0;
      if (problem?.reason === "Gone") this.#version = undefined;
      if (problem !== undefined) failed(problem);
      if (problem === undefined && (isList || isSteady)) {
        await clock.after(Math.max(0, began + PACE_MILLISECONDS - clock.now()), signal);
      } else {
        // A server may also end watches as soon as they begin.
        failures += 1;
        await clock.after(backoff(failures, random, LONGEST_BACKOFF_MILLISECONDS), signal);
      }
    }
  }

  async #list(signal: AbortSignal): Promise<Problem | undefined> {
    const { client, kind, selection } = this.#options;
    const answer = await unlessAborted(client.list(kind, selection), signal);
    if (answer === undefined) return undefined;
    if (!answer.ok) return answer.problem;
    const { items, resourceVersion } = answer.value;
    const listed = new Set(items.map(keyOf));
    for (const [key, object] of [...this.#objects]) {
      if (!listed.has(key)) this.#replace(object, undefined);
    }
    for (const object of items) this.#replace(this.#objects.get(keyOf(object)), object);
    this.#version = resourceVersion;
    this.#synced.resolve();
    return undefined;
  }

  async #watch(signal: AbortSignal): Promise<Problem | undefined> {
    const { client, kind, selection, clock } = this.#options;
    const ended = new AbortController();
    const until = AbortSignal.any([signal, ended.signal]);
    let heard = clock.now();
    const silence = async () => {
      while (!until.aborted) {
        const left = heard + SILENCE_MILLISECONDS - clock.now();
        if (left <= 0) return SILENT;
        await clock.after(left, until);
      }
      return { ok: true, value: undefined } as const;
    };
    const resourceVersion = this.#version ?? "";
    const tell = (event: WatchEvent) => {
      heard = clock.now();
      if (!until.aborted) this.#take(event);
    };
    // A client that hangs in spite of the signal must not hold this up.
    const answer = await Promise.race([
      client.watch(kind, { ...selection, resourceVersion }, tell, until),
      silence(),
    ]);
    ended.abort();
    return answer.ok ? undefined : answer.problem;
  }

  #take(event: WatchEvent): void {
    if (event.type === "BOOKMARK") {
      this.#version = event.resourceVersion;
      return;
    }
    this.#hasTold = true;
    const { object, type } = event;
    const before = this.#objects.get(keyOf(object));
    this.#replace(before, type === "DELETED" ? undefined : object);
    this.#version = object.metadata?.resourceVersion as string;
  }

  #replace(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const same = before?.metadata?.resourceVersion === after?.metadata?.resourceVersion;
    if (before === after || (same && before !== undefined && after !== undefined)) return;
    const key = keyOf((after ?? before) as KubeObject);
    if (before !== undefined) this.#unindex(before, key);
    if (after === undefined) this.#objects.delete(key);
    else {
      this.#objects.set(key, after);
      const text = this.#options.index(after);
      const found = this.#index.get(text) ?? new Map<string, KubeObject>();
      this.#index.set(text, found.set(key, after));
    }
    this.#options.changed(before, after);
  }

  #unindex(object: KubeObject, key: string): void {
    const text = this.#options.index(object);
    const found = this.#index.get(text);
    found?.delete(key);
    if (found?.size === 0) this.#index.delete(text);
  }
}

const SILENT = {
  ok: false,
  problem: { reason: "Unavailable", message: "the watch fell silent" },
} as const;

const keyOf = ({ metadata }: KubeObject) => `${metadata?.namespace}/${metadata?.name}`;
