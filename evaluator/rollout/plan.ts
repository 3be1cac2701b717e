import { storeName } from "../../api/decision-model.ts";
import type { DecisionModel, Revision } from "../../api/gen/decisionmodels.ts";
import { formatModelName, parseModelName } from "../../api/model-name.ts";
import { jsonEqual } from "../../kube/canonical.ts";
import type { Instant } from "../../kube/instant.ts";
import { stringField } from "../../kube/object.ts";
import { buildStoreClaim } from "../builders/store-claim.ts";
import { Pass } from "./pass.ts";
import { evaluationPolicy, promotionOf, recreates } from "./policy.ts";
import { hostOf, preflight } from "./preflight.ts";
import type { Settings } from "./settings.ts";
import type { World } from "./world.ts";

/** A field of a revision's identity that an edit changes. */
export interface IdentityChange {
  /** The field of the spec, as people write it. */
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** What an edit of a DecisionModel would lead to. */
export type Plan =
  /** The spec means no revision; nothing is made, and what serves is not touched. */
  | { readonly state: "refused"; readonly reason: string; readonly message: string }
  /** The spec means the revision that serves. */
  | { readonly state: "unchanged"; readonly abandons: Revision | undefined }
  /** It means one that failed before: nothing happens until a retry. */
  | { readonly state: "failed-before"; readonly failed: Revision }
  | RolloutPlan;

/** A roll-out that an edit would begin. */
export interface RolloutPlan {
  readonly state: "rolls-out";
  readonly model: string;
  /** Left out where the registry is to be asked what the tag means. */
  readonly digest?: string;
  /** Against the revision that serves; empty for a first revision. */
  readonly changes: readonly IdentityChange[];
  readonly stable: Revision | undefined;
  /** The candidate that is given up for it. */
  readonly abandons: Revision | undefined;
  /** The volume that is made for it. */
  readonly claim: { readonly name: string; readonly size: string; readonly modes: string };
  /** Pods with the model while both revisions are there. */
  readonly pods: { readonly replicas: number; readonly device: string; readonly atOnce: number };
  readonly evaluates: boolean;
  /** Whether a person must approve it after that. */
  readonly approval: boolean;
  /** Whether the revision that serves is stopped for it. */
  readonly stops: boolean;
}

/** The digest of a tag that no registry was asked about. */
const UNKNOWN = "0".repeat(64);

/** Says what an edited DecisionModel, with the status of the one that is there, would lead to. */
export function planRollout(model: DecisionModel, settings: Settings): Plan {
  const pass = new Pass(model, emptyWorld(model, settings), settings);
  const found = preflight(pass);
  if (found.state === "refused") {
    return { state: "refused", reason: found.reason, message: found.message };
  }
  if (found.state === "resolving") throw new Error("every tag has a digest here");
  const wanted = found.revision;
  const { stableRevision: stable, candidateRevision, failedRevision } = pass.status;
  const abandons = candidateRevision?.hash === wanted.hash ? undefined : candidateRevision;
  if (stable?.hash === wanted.hash) return { state: "unchanged", abandons };
  if (failedRevision?.hash === wanted.hash) return { state: "failed-before", failed: wanted };
  const { replicas } = model.spec;
  const stops = stable !== undefined && recreates(model.spec);
  const claim = buildStoreClaim({
    model,
    revision: wanted.hash,
    scheduling: model.spec.scheduling,
    recovering: false,
  });
  return {
    state: "rolls-out",
    model: wanted.model,
    ...(wanted.digest === UNKNOWN ? {} : { digest: wanted.digest }),
    changes: stable === undefined ? [] : changesOf(stable, wanted),
    stable,
    abandons,
    claim: {
      name:
        wanted.digest === UNKNOWN
          ? storeName(model.metadata.name ?? "", "…")
          : (claim.metadata?.name ?? ""),
      size: stringField(claim.spec, "resources", "requests", "storage") ?? "",
      modes: (model.spec.cache?.accessModes ?? ["ReadWriteOnce"]).join(", "),
    },
    pods: {
      replicas,
      device: wanted.device,
      atOnce: stable === undefined || stops ? replicas : 2 * replicas,
    },
    evaluates: evaluationPolicy(model.spec) !== undefined,
    approval: stable !== undefined && promotionOf(model.spec) === "Manual",
    stops,
  };
}

/** Only what a spec means is asked of this world: nothing of it exists yet. */
function emptyWorld(model: DecisionModel, { registry }: Settings): World {
  const nothing = new Map<string, never>();
  const host = hostOf(registry);
  const parsed = parseModelName(model.spec.model, host);
  const name = parsed.ok ? formatModelName(parsed.name, host) : "";
  const outcome = { state: "resolved" as const, digest: UNKNOWN, manifest: "" };
  const at = 0 as Instant;
  const latest = { at, failures: 0, result: { type: "Resolve" as const, outcome } };
  return {
    now: at,
    claims: nothing,
    jobs: nothing,
    deployments: nothing,
    budgets: nothing,
    service: undefined,
    pods: nothing,
    refused: nothing,
    apiKey: { state: "none" },
    downloadToken: { state: "none" },
    dataset: undefined,
    runs: new Map([[`resolve/${name}`, { running: false, latest }]]),
    admission: "open",
  };
}

function changesOf(stable: Revision, wanted: Revision): readonly IdentityChange[] {
  const of = (field: string, from: unknown, to: unknown): readonly IdentityChange[] =>
    jsonEqual(from ?? "", to ?? "") ? [] : [{ field, from: shown(from), to: shown(to) }];
  const digests = wanted.digest === UNKNOWN ? [] : of("spec.digest", stable.digest, wanted.digest);
  const changes = [
    ...of("spec.model", stable.model, wanted.model),
    ...digests,
    ...of("spec.engine", stable.engine, wanted.engine),
    ...of("spec.device", stable.device, wanted.device),
    ...of("spec.runtimeVersion", stable.runtimeVersion, wanted.runtimeVersion),
    ...of("spec.image", stable.image, wanted.image),
    ...of("spec.resources", stable.resources, wanted.resources),
    ...of("spec.scheduling", stable.placement, wanted.placement),
  ];
  // An image follows from the version and the device, unless the spec names it.
  const follows = changes.some(
    ({ field }) => field !== "spec.image" && /runtime|device/.test(field),
  );
  return follows ? changes.filter(({ field }) => field !== "spec.image") : changes;
}

function shown(value: unknown): string {
  if (value === undefined || value === "") return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
