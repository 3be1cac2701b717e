import type { ModelName } from "../../api/model-name.ts";

/** What nobody but the caller can know of a call: how long it may take, and whether it is still wanted. */
export interface CallLimits {
  /** For the call as a whole, its retries included; each attempt has a shorter limit of its own. */
  readonly milliseconds: number;
  /** Ends the call at once; its outcome is then `transient` and of no interest. */
  readonly signal: AbortSignal;
}

/** A server that was started from an engine's image. */
export interface EngineServer {
  /** Scheme, address and port, such as `http://10.0.3.17:11435`; an IPv6 address in brackets. */
  readonly origin: string;
  /** The key that its requests must carry, where it has one; it is in no outcome. */
  readonly apiKey: string | undefined;
}

/** Why a call came to nothing. `message` begins with whom it is about and holds nothing of any body. */
export type CallFailure =
  /** Another attempt may help: not reached, overloaded, too slow, a fault of the server. */
  | { readonly state: "transient"; readonly message: string }
  /** Another attempt gives the same until somebody changes something; the message says what. */
  | { readonly state: "refused"; readonly message: string };

/** What a registry says of a tag. */
export type ResolveOutcome =
  /** `digest` is the SHA-256 of `manifest` in 64 hexadecimal digits. */
  | { readonly state: "resolved"; readonly digest: string; readonly manifest: Uint8Array }
  /** The registry answered, and has no such tag. */
  | { readonly state: "absent"; readonly message: string }
  | CallFailure;

/** Whether a server has loaded a model so that it stays. */
export type WarmOutcome = { readonly state: "warm" } | CallFailure;

/** A model that a server has loaded. */
export interface LoadedModel {
  /** The canonical name: see `formatModelName`. */
  readonly model: string;
  /** 64 hexadecimal digits. */
  readonly digest: string;
  /** As the server calls it: `cpu`, `cuda:0`, `metal`. */
  readonly device: string;
  /** Whether it stays loaded however long nobody asks. */
  readonly pinned: boolean;
  /** The precision it was loaded with, such as `F32`. */
  readonly precision: string | undefined;
}

/** What a server has loaded. */
export type InspectOutcome =
  | { readonly state: "inspected"; readonly loaded: readonly LoadedModel[] }
  | CallFailure;

/** A case as a server is asked it; both texts are JSON and are sent as they are. */
export interface Question {
  readonly model: ModelName;
  /** Left out of the request where it is `undefined`. */
  readonly state: string | undefined;
  readonly questions: string | undefined;
}

/** What a server answers to a case. */
export type DecideOutcome =
  /** `answers` is a JSON object, its values of any shape, by question. */
  | { readonly state: "answered"; readonly answers: Readonly<Record<string, unknown>> }
  /** The case itself is not acceptable; `code` is the engine's own, empty where it gave none. */
  | { readonly state: "rejected"; readonly status: number; readonly code: string }
  | CallFailure;

/** How a store is filled with a model, for the Job that does it. */
export interface PrefetchFacts {
  /** The command, run in the engine's image with its store mounted. */
  readonly command: readonly string[];
  /** Where the command leaves the manifest, from the root of the store. */
  readonly manifestPath: string;
}

/** How servers from the engine's image are reached. */
export interface ServeFacts {
  readonly port: number;
  /** What answers 200 once the process listens, whether or not a model is loaded. */
  readonly livenessPath: string;
  /** What clients of a Service send their cases to. */
  readonly decidePath: string;
}

/**
 * One way to serve decision models. Every call is bounded in time and in bytes, follows no redirect
 * of a server, and says what became of it as a value; it throws only for a bug.
 */
export interface Engine {
  /** The value of `spec.engine`. */
  readonly name: string;
  readonly serve: ServeFacts;
  prefetch(model: ModelName): PrefetchFacts;
  /** Asks the model's registry what its tag means now. */
  resolve(model: ModelName, limits: CallLimits): Promise<ResolveOutcome>;
  /** Has a server load a model and keep it. */
  warm(server: EngineServer, model: ModelName, limits: CallLimits): Promise<WarmOutcome>;
  /** Asks a server what it has loaded; changes nothing. */
  inspect(server: EngineServer, limits: CallLimits): Promise<InspectOutcome>;
  /** Puts one case to a server, again for as long as its queue is full and the limits allow. */
  decide(server: EngineServer, question: Question, limits: CallLimits): Promise<DecideOutcome>;
}
