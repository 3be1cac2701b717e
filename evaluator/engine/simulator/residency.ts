import type { Clock } from "../clock.ts";
import type { SimulatedModel } from "./catalog.ts";

/** A model that is loaded. */
export interface Resident {
  readonly model: SimulatedModel;
  /** When it is unloaded, in milliseconds since 1970; Infinity for never. */
  expiresAt: number;
  /** Requests that use it now. */
  busy: number;
  /** Of two models the one that was used later has the greater number. */
  lastUse: number;
  /** Resolves when the forward pass that was asked for last has ended. */
  passes: Promise<void>;
}

/** How a process loads. */
export interface ResidencyOptions {
  readonly clock: Clock;
  /** Aborts when the process ends, and with it every load and pass. */
  readonly ended: AbortSignal;
  readonly mostLoaded: number;
}

const REAPER_TICK = 500;

/** The models that a process has loaded, by digest: names that share one share an entry. */
export class Residency {
  readonly #options: ResidencyOptions;
  readonly #residents = new Map<string, Resident>();
  readonly #loading = new Map<string, Promise<Resident>>();
  #uses = 0;
  #lastLoad: Promise<unknown> = Promise.resolve();

  constructor(options: ResidencyOptions) {
    this.#options = options;
  }

  /** What is loaded now. */
  list(): readonly Resident[] {
    const now = this.#options.clock.now();
    for (const [digest, { busy, expiresAt }] of this.#residents) {
      // The reaper looks every half second.
      if (busy === 0 && expiresAt + REAPER_TICK <= now) this.#residents.delete(digest);
    }
    return [...this.#residents.values()];
  }

  /** Loads a model unless it is loaded, one load after the other, and keeps it for a request until `release`. */
  async acquire(model: SimulatedModel): Promise<Resident> {
    this.list();
    const { digest } = model;
    const load = this.#loading.get(digest) ?? this.#residents.get(digest) ?? this.#queue(model);
    const resident = await load;
    resident.busy++;
    return resident;
  }

  /** Ends a request's use of a model, which stays for so many milliseconds from now. */
  release(resident: Resident, keepAlive: number): void {
    const now = this.#options.clock.now();
    resident.busy--;
    resident.lastUse = ++this.#uses;
    resident.expiresAt = now + keepAlive;
    if (keepAlive === 0) this.unload(resident.model.digest);
  }

  /** Takes a model off the list at once; requests that use it end as they would have. */
  unload(digest: string): void {
    this.#residents.delete(digest);
  }

  /** One forward pass of a model, after those that were asked for before it. */
  pass(resident: Resident, milliseconds: number): Promise<void> {
    const { clock, ended } = this.#options;
    resident.passes = resident.passes.then(() => clock.after(milliseconds, ended));
    return resident.passes;
  }

  #queue(model: SimulatedModel): Promise<Resident> {
    const load = this.#lastLoad.then(() => this.#load(model));
    this.#lastLoad = load;
    this.#loading.set(model.digest, load);
    return load;
  }

  async #load(model: SimulatedModel): Promise<Resident> {
    const { clock, ended, mostLoaded } = this.#options;
    if (this.#residents.size >= mostLoaded) this.#evict();
    await clock.after(model.loadMilliseconds, ended);
    const resident: Resident = {
      model,
      // Until the request that it was loaded for says otherwise.
      expiresAt: Number.POSITIVE_INFINITY,
      busy: 0,
      lastUse: ++this.#uses,
      passes: Promise.resolve(),
    };
    this.#loading.delete(model.digest);
    this.#residents.set(model.digest, resident);
    return resident;
  }

  /** Where all are busy none goes, and the next one is loaded all the same. */
  #evict(): void {
    const idle = [...this.#residents.values()].filter(({ busy }) => busy === 0);
    const [oldest] = idle.sort((a, b) => a.lastUse - b.lastUse);
    if (oldest !== undefined) this.unload(oldest.model.digest);
  }
}
