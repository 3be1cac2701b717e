import type { ModelName } from "../../../api/model-name.ts";
import type { Clock } from "../clock.ts";
import type { Engine } from "../engine.ts";
import { createOllaya } from "../ollaya.ts";
import { catalog, DEFAULT_HOST, makeModel, NONDESCRIPT, type SimulatedModel } from "./catalog.ts";
import { Faults } from "./faults.ts";
import { inProcess } from "./in-process-http.ts";
import { firstOption, type Judge } from "./judge.ts";
import { showReference } from "./model-reference.ts";
import { SimulatedServer } from "./server.ts";
import { DEFAULT_SETTINGS } from "./state.ts";

/** A pod with an engine in it. */
export interface SimulatedPod {
  /** Which process it is: with another id the address has another one, with nothing loaded. */
  readonly id: string;
  /** What its store holds, by its name and the digest of its manifest. */
  readonly model: string;
  readonly digest: string;
  /** As `/api/ps` calls it: `cpu`, `cuda:0`. */
  readonly device: string;
  /** The key that requests must carry, where it has one. */
  readonly apiKey: string | undefined;
  /** How many milliseconds a model stays loaded after a request; an engine's own default where left out. */
  readonly keepAlive?: number;
}

/** What a simulated engine is made of. */
export interface SimulatedEngineOptions {
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** What a tag means now; `undefined` where the registry has no such tag. */
  readonly registry: (name: ModelName) => SimulatedModel | undefined;
  /** What runs at an address (no brackets, no port); `undefined` where nothing listens. */
  readonly podAt: (address: string) => SimulatedPod | undefined;
  /** How long a model takes and what it can, by name and digest; the catalog's of that name where it gives none. */
  readonly modelOf?: (name: string, digest: string) => SimulatedModel | undefined;
  /** What models answer; the first option by default. */
  readonly judge?: Judge;
}

/**
 * Ollaya without sockets: the client that talks to real servers, its requests answered by simulated
 * ones in this process, one for each pod that `podAt` knows, made on first use, and by a registry.
 * Loads and decisions take their time by the clock that is given, and no timer is left behind.
 */
export interface SimulatedEngine extends Engine {
  /** Ends the process at an address: requests under way break off, nothing is loaded any more. */
  restart(address: string): void;
  /** The faults of the server at an address; they outlive its restarts. */
  faultsAt(address: string): Faults;
  /** The faults of the registries, whose paths begin with `/v2/`. */
  readonly registryFaults: Faults;
}

/** Makes an engine of simulated servers; see `SimulatedEngine`. */
export function createSimulatedEngine(options: SimulatedEngineOptions): SimulatedEngine {
  const { clock, random } = options;
  const registryFaults = new Faults();
  const pods = new Pods(options);
  const serverHttp = inProcess(clock, ({ hostname }) => pods.at(hostname.replace(/^\[|\]$/g, "")));
  const registryHttp = inProcess(clock, ({ host }) => {
    return new SimulatedServer({ ...settingsOf(options), registryHost: host }, registryFaults);
  });
  const registry = `https://${DEFAULT_HOST}`;
  return {
    ...createOllaya({ registry, serverHttp, registryHttp, clock, random }),
    restart: (address) => pods.at(address)?.restart(),
    faultsAt: (address) => pods.faultsAt(address),
    registryFaults,
  };
}

/** The servers at the addresses of pods, each made when it is first asked for. */
class Pods {
  readonly #options: SimulatedEngineOptions;
  readonly #servers = new Map<string, { readonly id: string; readonly server: SimulatedServer }>();
  readonly #faults = new Map<string, Faults>();

  constructor(options: SimulatedEngineOptions) {
    this.#options = options;
  }

  at(address: string): SimulatedServer | undefined {
    const pod = this.#options.podAt(address);
    const known = this.#servers.get(address);
    if (known !== undefined && known.id === pod?.id) return known.server;
    // Whoever still waits for the one that was here gets no answer.
    known?.server.restart();
    this.#servers.delete(address);
    if (pod === undefined) return undefined;
    const { device, apiKey, keepAlive = DEFAULT_SETTINGS.keepAlive } = pod;
    const stored = [modelIn(pod, this.#options)];
    const settings = { ...settingsOf(this.#options), stored, device, apiKey, keepAlive };
    const server = new SimulatedServer(settings, this.faultsAt(address));
    this.#servers.set(address, { id: pod.id, server });
    return server;
  }

  faultsAt(address: string): Faults {
    const faults = this.#faults.get(address) ?? new Faults();
    this.#faults.set(address, faults);
    return faults;
  }
}

function settingsOf({ clock, random, registry, judge = firstOption }: SimulatedEngineOptions) {
  return {
    ...DEFAULT_SETTINGS,
    clock,
    random,
    registry,
    judge,
    registryHost: DEFAULT_HOST,
    stored: [],
  };
}

/** The model of a pod; one that nobody has described is made up. */
function modelIn({ model, digest }: SimulatedPod, { modelOf }: SimulatedEngineOptions) {
  const known =
    modelOf?.(model, digest) ?? catalog.find(({ name }) => showReference(name) === model);
  return { ...(known ?? makeModel({ ...NONDESCRIPT, name: model })), digest };
}
