import { ANNOTATION } from "../../api/labels.ts";
import { canonicalJson, sha256Hex } from "../../kube/canonical.ts";
import { type KubeObject, listField, numberField, stringField } from "../../kube/object.ts";

/** How far a remote workload has come, in copies of the engine it runs. */
export interface WorkloadProgress {
  readonly wanted: number;
  /** Copies that can serve, whichever spec they started from. */
  readonly ready: number;
  /** Copies that started from the newest spec. */
  readonly updated: number;
  /** Whether the workload's controller has seen the newest spec and every copy runs it. */
  readonly settled: boolean;
  /** What holds it up, in the workload's own words where it has some; absent when settled. */
  readonly blocker?: string;
}

/** The hash that a workload's manifest carries: 16 hexadecimal digits over its canonical form. */
export function manifestHash(manifest: KubeObject): string {
  return sha256Hex(canonicalJson(manifest), 16);
}

/** Adds the manifest hash to a workload's own metadata, where it rolls no pod. */
export function withManifestHash(manifest: KubeObject, hash: string): KubeObject {
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      annotations: { ...manifest.metadata?.annotations, [ANNOTATION.manifestHash]: hash },
    },
  };
}

/** Reads the manifest hash of a workload, `undefined` where it has none. */
export function carriedHash(manifest: unknown): string | undefined {
  return stringField(manifest, "metadata", "annotations", ANNOTATION.manifestHash);
}

/** The CEL terms, each true of a remote `object` that carries the hash; none where there is no hash. */
export function hashTerms(hash: string | undefined): readonly string[] {
  if (hash === undefined) return [];
  const key = `'${ANNOTATION.manifestHash}'`;
  return [
    "has(object.metadata.annotations)",
    `${key} in object.metadata.annotations`,
    `object.metadata.annotations[${key}] == '${hash}'`,
  ];
}

/** The CEL terms, each true of a remote `object` whose controller has seen its newest generation. */
export const OBSERVED_GENERATION_TERMS: readonly string[] = [
  "has(object.status)",
  "has(object.status.observedGeneration)",
  "object.status.observedGeneration == object.metadata.generation",
];

/** The CEL term that a counter of `object.status` is there and compares so. */
export function counterTerm(counter: string, comparison: string): string {
  return `has(object.status.${counter}) && object.status.${counter} ${comparison}`;
}

/** Joins CEL terms that must all hold. */
export function allOf(terms: readonly string[]): string {
  return terms.join(" && ");
}

/** Tells whether the controller of a live object reports that it has seen the newest generation. */
export function generationObserved(live: unknown): boolean {
  const generation = numberField(live, "metadata", "generation");
  return (
    generation !== undefined && numberField(live, "status", "observedGeneration") === generation
  );
}

/** Reads a counter of a live object's status; controllers leave zeros out. */
export function counter(live: unknown, name: string): number {
  return numberField(live, "status", name) ?? 0;
}

/** How a workload that counts its copies is read. */
export interface CountedWorkload {
  readonly copies: number;
  /** The counter of copies that can serve. */
  readonly readyCounter: "availableReplicas" | "readyReplicas";
  /** What that counter counts, in words: `copies available`. */
  readonly counted: string;
  /** Whether the workload's controller has seen its newest spec. */
  readonly specObserved: boolean;
  /** The conditions that tell why copies are missing, most telling first. */
  readonly telling: readonly (readonly [type: string, status: string])[];
}

/** The CEL terms, each true of a remote `object` whose copies are all there, updated and ready. */
export function countedTerms(
  copies: number,
  readyCounter: CountedWorkload["readyCounter"],
): readonly string[] {
  return ["replicas", "updatedReplicas", readyCounter].map((name) =>
    counterTerm(name, `== ${copies}`),
  );
}

/** The same judgement as `countedTerms` and the generation's, over a live object. */
export function countedProgress(live: unknown, workload: CountedWorkload): WorkloadProgress {
  const { copies, readyCounter, counted, specObserved, telling } = workload;
  const ready = counter(live, readyCounter);
  const updated = counter(live, "updatedReplicas");
  const settled =
    specObserved && counter(live, "replicas") === copies && updated === copies && ready === copies;
  const counts = { wanted: copies, ready, updated: Math.min(updated, copies), settled };
  if (settled) return counts;
  const why = conditionWords(live, telling);
  const rolled = `${ready} of ${copies} ${counted}, ${updated} updated`;
  return { ...counts, blocker: why === undefined ? rolled : `${rolled} (${why})` };
}

/** Quotes the reason and message of the first listed condition that has the given status. */
function conditionWords(live: unknown, wanted: CountedWorkload["telling"]): string | undefined {
  for (const [type, status] of wanted) {
    for (const condition of listField(live, "status", "conditions")) {
      if (stringField(condition, "type") !== type) continue;
      if (stringField(condition, "status") !== status) continue;
      const reason = stringField(condition, "reason") ?? type;
      const message = stringField(condition, "message") ?? "";
      return message === "" ? reason : `${reason}: ${message.slice(0, 512)}`;
    }
  }
  return undefined;
}
