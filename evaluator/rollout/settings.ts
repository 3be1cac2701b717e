import {
  DEFAULT_RUNTIME_VERSION,
  RUNTIME_IMAGES,
  type RuntimeImage,
} from "../../api/runtime-images.ts";

/** What the operator's flags decide about every roll-out. */
export interface Settings {
  /** The registry that names without a host mean: an origin such as `https://ollaya.dev`. */
  readonly registry: string;
  /** The hosts that a model may come from. */
  readonly allowedRegistries: readonly string[];
  readonly allowImageOverride: boolean;
  readonly allowUnpinnedRuntimeImages: boolean;
  /** Whether a model that names no runtime version keeps its stable revision's, or takes the default. */
  readonly runtimeVersionPolicy: "Pinned" | "FollowOperator";
  /** How many roll-outs may go on at once; 0 for any number. */
  readonly maxConcurrentRollouts: number;
  readonly runtimeImages: readonly RuntimeImage[];
  readonly defaultRuntimeVersion: string;
  /** Where weights are downloaded from instead of Hugging Face. */
  readonly huggingFaceEndpoint: string | undefined;
  /** Environment of prefetch Jobs for a proxy, by name. */
  readonly proxy: Readonly<Record<string, string>>;
}

/** What an operator decides that was started without a flag. */
export const DEFAULT_SETTINGS: Settings = {
  registry: "https://ollaya.dev",
  allowedRegistries: ["ollaya.dev"],
  allowImageOverride: false,
  allowUnpinnedRuntimeImages: false,
  runtimeVersionPolicy: "Pinned",
  maxConcurrentRollouts: 0,
  runtimeImages: RUNTIME_IMAGES,
  defaultRuntimeVersion: DEFAULT_RUNTIME_VERSION,
  huggingFaceEndpoint: undefined,
  proxy: {},
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The delays and limits of a roll-out, in milliseconds where they are times. */
export const LIMITS = {
  cachingTimeout: 30 * MINUTE,
  startingTimeout: 10 * MINUTE,
  evaluatingTimeout: 10 * MINUTE,
  /** The least that `timeouts.total` is where it is not set. */
  totalTimeout: 120 * MINUTE,
  /** How often a roll-out, a queue and a warm-up are looked at. */
  probe: 10 * SECOND,
  modelNotFound: 5 * MINUTE,
  /** How long the previous revision's endpoints may still be in use after the Service moved. */
  promotionGrace: 30 * SECOND,
  stabilization: 5 * MINUTE,
  /** How long a stable revision may be short of replicas before it is rolled back. */
  unhealthyDebounce: 30 * SECOND,
  inspection: 60 * SECOND,
  /** How many inspections in a row may fail before a ready pod is no longer taken as ready. */
  toleratedInspections: 3,
  warmUp: 2 * MINUTE,
  resourceConflict: 30 * SECOND,
  storeTerminating: 5 * SECOND,
  /** How often something that a person must mend is looked at. */
  hold: 60 * SECOND,
  storeRecoveries: 3,
  /** How many cases are put to servers at a time where the spec says nothing. */
  parallelism: 4,
  longestBackoff: 5 * MINUTE,
} as const;
