import { isRecord, type KubeObject } from "../kube/object.ts";
import { checkDefinition } from "../schema/check-definition.ts";
import type { Definitions, UnknownField } from "../schema/definitions.ts";
import type { Finding } from "../schema/finding.ts";
import { definesKinds } from "../schema/load.ts";
import { nearestName } from "../schema/nearest-name.ts";
import { validateObjectMeta } from "../schema/object-meta.ts";
import { plainJson } from "./documents.ts";
import { masked } from "./mask.ts";
import { nextStep } from "./next-step.ts";
import type { Place, SourceDocument } from "./source.ts";

/** A finding, where in its file the field stands, and what to do about it where that helps. */
export interface PlacedFinding extends Finding {
  readonly place: Place;
}

/** A field that was dropped as unknown, and where it stands. */
export type PlacedUnknown = UnknownField & { readonly place: Place };

/** What the API server would say about one document of a file. */
export interface Verdict {
  readonly file: string;
  readonly start: Place;
  readonly object: KubeObject;
  readonly findings: readonly PlacedFinding[];
  readonly unknown: readonly PlacedUnknown[];
  /** What the API server takes and sluice would refuse to compose. */
  readonly refusals: readonly PlacedFinding[];
  /** The object as the API server would store it: pruned, defaulted and without status. */
  readonly stored: KubeObject;
}

/** A verdict, or why there can be none; the message goes after the file and line. */
export type Judged =
  | { readonly ok: true; readonly verdict: Verdict }
  | {
      readonly ok: false;
      readonly message: string;
      readonly place: Place;
      /** Set where the kind has no schema and is no misspelling of one that has. */
      readonly foreign?: boolean;
      /** Set where the only fault is a kind that has no schema. */
      readonly unknownKind?: boolean;
    };

/** What a document is judged with beyond its schema. */
export interface Surroundings {
  /** The object as it is stored, if the document updates one. */
  readonly old?: (object: KubeObject) => KubeObject | undefined;
  /** What sluice refuses of a valid, stored object, by `apiVersion/kind`. */
  readonly refusals?: ReadonlyMap<string, (object: KubeObject) => readonly Finding[]>;
  /** Whether the status counts, as of an object that is read: one that is created has none. */
  readonly withStatus?: boolean;
}

/** Judges one document as the API server judges an object that is created or updated. */
export function judgeDocument(
  file: string,
  document: SourceDocument,
  definitions: Definitions,
  { old, refusals, withStatus = false }: Surroundings = {},
): Judged {
  const { value, start } = document;
  const refused = (message: string): Judged => ({ ok: false, message, place: start });
  if (!isRecord(value)) return refused("is no Kubernetes object; it needs apiVersion and kind");
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !apiVersion || !kind) {
    return refused("is no Kubernetes object: apiVersion and kind must be strings");
  }
  const object = value as KubeObject;
  const definition = definitions.get(`${apiVersion}/${kind}`);
  if (definition === undefined) {
    if (definesKinds(value)) return judgedDefinition(file, document, object);
    return { ...unknownKind(apiVersion, kind, definitions), place: start };
  }
  const { status: _status, ...created } = object;
  const checked = withStatus
    ? definition.check(object, "status")
    : definition.check(created as KubeObject, "object", old?.(object));
  const all = [...validateObjectMeta(checked.object), ...checked.findings];
  const refuse = all.length === 0 ? refusals?.get(`${apiVersion}/${kind}`) : undefined;
  return {
    ok: true,
    verdict: place(file, document, {
      object,
      findings: all,
      unknown: checked.unknown ?? [],
      // The function sees doubles, since its objects come in protobuf.
      refusals: refuse?.(plainJson(checked.object) as KubeObject) ?? [],
      stored: checked.object,
    }),
  };
}

function judgedDefinition(file: string, document: SourceDocument, object: KubeObject): Judged {
  const findings = [...validateObjectMeta(object), ...checkDefinition(object)];
  const parts = { object, findings, unknown: [], refusals: [], stored: object };
  return { ok: true, verdict: place(file, document, parts) };
}

interface Parts {
  readonly object: KubeObject;
  readonly findings: readonly Finding[];
  readonly unknown: readonly UnknownField[];
  readonly refusals: readonly Finding[];
  readonly stored: KubeObject;
}

function place(file: string, { start, locate }: SourceDocument, parts: Parts): Verdict {
  const placed = <T extends { readonly path: Finding["path"] }>(one: T) => ({
    ...one,
    place: locate(one.path),
  });
  const unknown = parts.unknown.map(placed);
  // A misspelt field is both unknown and missed: its finding says so, once.
  const misspelt = new Map<Finding, PlacedUnknown>();
  for (const finding of parts.findings) {
    if (finding.type !== "FieldValueRequired") continue;
    const found = unknown.find((one) => isMisspelling(one, finding));
    if (found !== undefined) misspelt.set(finding, found);
  }
  const merged = new Set(misspelt.values());
  const finish = (finding: Finding): PlacedFinding => {
    const shown = masked(finding, parts.stored);
    const instead = misspelt.get(finding);
    const next =
      instead === undefined
        ? (finding.next ?? nextStep(shown, parts.object))
        : `rename ${instead.path.at(-1)} (line ${instead.place.line}) to ${finding.path.at(-1)}`;
    return { ...placed(shown), ...(next === undefined ? {} : { next }) };
  };
  return {
    file,
    start,
    object: parts.object,
    findings: parts.findings.map(finish).sort(byPlace),
    unknown: unknown.filter((one) => !merged.has(one)),
    refusals: parts.refusals.map(finish).sort(byPlace),
    stored: parts.stored,
  };
}

function isMisspelling(unknown: UnknownField, { path }: Finding): boolean {
  return (
    unknown.nearest === path.at(-1) &&
    unknown.path.length === path.length &&
    path.slice(0, -1).every((step, index) => step === unknown.path[index])
  );
}

/** In the order of the file; what concerns the whole object comes last. */
function byPlace(left: PlacedFinding, right: PlacedFinding): number {
  const whole = Number(left.path.length === 0) - Number(right.path.length === 0);
  return whole || left.place.line - right.place.line || left.place.column - right.place.column;
}

// Kinds of one group are often named alike, so only a slip of the finger counts as one.
const SLIP = 0.2;

function unknownKind(apiVersion: string, kind: string, definitions: Definitions) {
  const all = [...definitions.values()];
  const group = (name: string) => (name.includes("/") ? name.split("/")[0] : "");
  const kin = all.filter((one) => group(one.apiVersion) === group(apiVersion));
  const nearest = nearestName(
    kind,
    kin.map((one) => one.kind),
    SLIP,
  );
  const meant = kin.find((one) => one.kind === nearest);
  const known = all.map((one) => `${one.apiVersion} ${one.kind}`).sort();
  const hint =
    meant === undefined
      ? `known: ${known.join(", ")}; --schemas adds more`
      : `did you mean ${meant.apiVersion} ${meant.kind}?`;
  return {
    ok: false as const,
    message: `no schema for ${apiVersion} ${kind}; ${hint}`,
    unknownKind: true,
    foreign: meant === undefined,
  };
}
