import type { ModelName } from "../../../api/model-name.ts";
import type { Clock } from "../clock.ts";
import type { Engine } from "../engine.ts";
import type { SimulatedModel } from "./catalog.ts";
import type { Faults } from "./faults.ts";
import type { Judge } from "./judge.ts";

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
  /** Any model by name and digest, for how long it takes and what it can; made up where it gives none. */
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
