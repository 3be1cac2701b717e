import type {
  DecisionModel,
  DecisionModelSpec,
  DecisionModelStatus,
  Revision,
} from "../../api/gen/decisionmodels.ts";
import { DEFAULT_RUNTIME_VERSION, RUNTIME_IMAGES } from "../../api/runtime-images.ts";
import { ownedMetadata } from "../../evaluator/builders/owned.ts";
import { Pass } from "../../evaluator/rollout/pass.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../evaluator/rollout/settings.ts";
import type { World } from "../../evaluator/rollout/world.ts";
import { after, formatInstant, type Instant, parseInstant } from "../../kube/instant.ts";
import type { KubeObject, ObjectMeta } from "../../kube/object.ts";

/** The moment of every pass that is told no other. */
export const NOW = parseInstant("2026-10-07T12:00:00Z") as Instant;

/** The text of a moment so many seconds before `NOW`, or after it where they are negative. */
export function ago(seconds: number): string {
  return formatInstant(after(NOW, -seconds * 1000));
}

/** The digest of the model that tests serve; others repeat another character. */
export const DIGEST = "a".repeat(64);

/** The UID of the DecisionModel that tests have. */
export const UID = "6f1c2f0e-0000-4000-8000-000000000001";

/** What a test says of its DecisionModel; all else is as the API server defaults it. */
export interface Given {
  readonly spec?: Partial<DecisionModelSpec>;
  readonly status?: DecisionModelStatus;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A DecisionModel as the API server stores it: `default/support-router`, model `laya:en`. */
export function decisionModel({ spec, status, metadata }: Given = {}): DecisionModel {
  return {
    apiVersion: "decisionmodel.io/v1alpha1",
    kind: "DecisionModel",
    metadata: {
      name: "support-router",
      namespace: "default",
      uid: UID,
      generation: 1,
      resourceVersion: "100",
      ...metadata,
    },
    spec: { engine: "ollaya", model: "laya:en", replicas: 1, device: "cpu", ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** A revision as a status records it. */
export function revision(hash: string, fields: Partial<Revision> = {}): Revision {
  return {
    hash,
    engine: "ollaya",
    model: "laya:en",
    digest: DIGEST,
    device: "cpu",
    image: imageOf(DEFAULT_RUNTIME_VERSION),
    runtimeVersion: DEFAULT_RUNTIME_VERSION,
    placement: "none",
    ...fields,
  };
}

/** The image that is known for a release on a device. */
export function imageOf(version: string, device = "cpu"): string {
  const found = RUNTIME_IMAGES.find((one) => one.version === version && one.device === device);
  if (found === undefined) throw new Error(`no image is known for ${version} on ${device}`);
  return found.image;
}

/** A world in which there is nothing yet. */
export function emptyWorld(fields: Partial<World> = {}): World {
  return {
    now: NOW,
    claims: new Map(),
    jobs: new Map(),
    deployments: new Map(),
    budgets: new Map(),
    service: undefined,
    pods: new Map(),
    refused: new Map(),
    apiKey: { state: "none" },
    downloadToken: { state: "none" },
    dataset: undefined,
    runs: new Map(),
    admission: "open",
    ...fields,
  };
}

/** A pass over a DecisionModel, as `advance` begins one. */
export function passOver(
  given: Given & { readonly world?: Partial<World>; readonly settings?: Partial<Settings> } = {},
): Pass {
  return new Pass(decisionModel(given), emptyWorld(given.world), {
    ...DEFAULT_SETTINGS,
    ...given.settings,
  });
}

/** An object as it is after somebody has made it: with a UID, a version and a time. */
export function made(
  object: KubeObject,
  metadata: Readonly<Record<string, unknown>> = {},
): KubeObject & { readonly metadata: ObjectMeta } {
  return {
    ...object,
    metadata: {
      uid: `uid-of-${object.kind}-${object.metadata?.name}`,
      resourceVersion: "7",
      creationTimestamp: ago(3600),
      ...object.metadata,
      ...metadata,
    },
  };
}

/** An object of the DecisionModel that tests have, with labels and whatever fields. */
export function ownedObject(
  kind: { readonly apiVersion: string; readonly kind: string },
  name: string,
  labels: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, unknown>> = {},
) {
  return made({ ...kind, metadata: ownedMetadata(decisionModel(), name, labels), ...fields });
}

/** Objects by name, as a world has them. */
export function byName(...objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  return new Map(objects.map((object) => [object.metadata?.name ?? "", object]));
}
