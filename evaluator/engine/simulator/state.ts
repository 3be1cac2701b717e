import type { ModelName } from "../../../api/model-name.ts";
import type { Clock } from "../clock.ts";
import type { Refusal } from "./answer.ts";
import type { SimulatedModel } from "./catalog.ts";
import type { AskedQuestion } from "./decide-request.ts";
import type { MetFaults } from "./faults.ts";
import type { Judge } from "./judge.ts";
import type { Residency } from "./residency.ts";

/** How a simulated server is started: what the environment of a real one says, and what it is made of. */
export interface ServerSettings {
  readonly clock: Clock;
  /** From 0 to below 1; names requests. */
  readonly random: () => number;
  readonly judge: Judge;
  /** The registry that models are pulled from, and that `/v2/` serves. */
  readonly registry: (name: ModelName) => SimulatedModel | undefined;
  /** The host of that registry. */
  readonly registryHost: string;
  /** The models that the store holds at first. */
  readonly stored: readonly SimulatedModel[];
  /** `cpu`, `cuda:0`, `metal`. */
  readonly device: string;
  readonly apiKey: string | undefined;
  /** Whether it is bound to a loopback address, so that it answers to no other host name. */
  readonly loopback: boolean;
  /** Further origins that browsers may come from, `*` for any. */
  readonly origins: readonly string[];
  /** How long a model stays that nobody asks, in milliseconds. */
  readonly keepAlive: number;
  readonly mostLoaded: number;
  /** Requests for decisions under way and waiting, of all models. */
  readonly mostQueued: number;
  readonly mostBodyBytes: number;
  /** Whether `/simulator/` paths arrange faults. */
  readonly controllable: boolean;
}

/** The settings of an Ollaya server that nobody has configured. */
export const DEFAULT_SETTINGS = {
  device: "cpu",
  apiKey: undefined,
  loopback: false,
  origins: [],
  keepAlive: 300_000,
  mostLoaded: 3,
  mostQueued: 512,
  mostBodyBytes: 8_388_608,
  controllable: false,
} as const satisfies Partial<ServerSettings>;

/** A model in a store, and since when. */
export interface StoredModel {
  readonly model: SimulatedModel;
  readonly modifiedAt: number;
}

/** Questions under a name. */
export interface Preset {
  readonly description: string | undefined;
  readonly questions: Readonly<Record<string, unknown>>;
  readonly asked: readonly AskedQuestion[];
  readonly modifiedAt: number;
}

/** What ends with a process. */
export interface Life {
  readonly loaded: Residency;
  /** Requests for decisions that are under way or wait. */
  inFlight: number;
}

/** What a server knows. */
export interface ServerState {
  readonly settings: ServerSettings;
  /** By canonical name. */
  readonly store: Map<string, StoredModel>;
  readonly presets: Map<string, Preset>;
  readonly life: Life;
}

/** One request past the checks that all have in common. */
export interface Call {
  readonly path: string;
  /** An empty object where the method has no body. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly faults: MetFaults;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** What a fault has answered to a request that is acceptable, if one does. */
export function faulted({ faults }: Call): Refusal | undefined {
  if (faults.error === undefined) return undefined;
  const { status, code, headers = {} } = faults.error;
  const retry = code === "QUEUE_FULL" ? { "Retry-After": "1" } : {};
  const error = "a fault that was asked of the simulator";
  return { status, code, error, headers: { ...retry, ...headers } };
}
