import { isRecord, type KubeObject } from "../kube/object.ts";
import type { Definitions, UnknownField } from "../schema/definitions.ts";
import type { Finding } from "../schema/finding.ts";
import { validateObjectMeta } from "../schema/object-meta.ts";
import type { Place, SourceDocument } from "./source.ts";

/** A finding and where in its file the field stands. */
export interface PlacedFinding extends Finding {
  readonly place: Place;
}

/** What the API server would say about one document of a file. */
export interface Verdict {
  readonly file: string;
  readonly start: Place;
  readonly object: KubeObject;
  readonly findings: readonly PlacedFinding[];
  readonly unknown: readonly (UnknownField & { readonly place: Place })[];
  /** The object as the API server would store it: pruned, defaulted and without status. */
  readonly stored: KubeObject;
}

/** A verdict, or why there can be none; the message goes after the file and line. */
export type Judged =
  | { readonly ok: true; readonly verdict: Verdict }
  | { readonly ok: false; readonly message: string; readonly place: Place };

/** Judges one document as the API server judges an object that is created. */
export function judgeDocument(
  file: string,
  document: SourceDocument,
  definitions: Definitions,
): Judged {
  const { value, start, locate } = document;
  const refused = (message: string): Judged => ({ ok: false, message, place: start });
  if (!isRecord(value)) return refused("is no Kubernetes object; it needs apiVersion and kind");
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !apiVersion || !kind) {
    return refused("is no Kubernetes object: apiVersion and kind must be strings");
  }
  const definition = definitions.get(`${apiVersion}/${kind}`);
  if (definition === undefined) {
    const known = [...definitions.values()].map((one) => `${one.apiVersion} ${one.kind}`).sort();
    return refused(`no schema for ${apiVersion} ${kind}; known: ${known.join(", ")}`);
  }
  const { status: _status, ...created } = value as KubeObject;
  const checked = definition.check(created as KubeObject);
  const all = [...validateObjectMeta(checked.object), ...checked.findings];
  const findings = all.map((finding) => masked(finding, checked.object));
  return {
    ok: true,
    verdict: {
      file,
      start,
      object: value as KubeObject,
      findings: findings
        .map((finding) => ({ ...finding, place: locate(finding.path) }))
        .sort(byPlace),
      unknown: (checked.unknown ?? []).map((one) => ({ ...one, place: locate(one.path) })),
      stored: checked.object,
    },
  };
}

/** In the order of the file; what concerns the whole object comes last. */
function byPlace(left: PlacedFinding, right: PlacedFinding): number {
  const whole = Number(left.path.length === 0) - Number(right.path.length === 0);
  return whole || left.place.line - right.place.line || left.place.column - right.place.column;
}

const SECRET_NAME = /token|secret|passw|credential|api_?key|private_?key/i;
const MASK = "***";

/** Hides the value of an environment variable whose name says that it is a secret. */
function masked(finding: Finding, object: KubeObject): Finding {
  const { path, value, type } = finding;
  // A wrong type is reported by its name alone.
  if (type === "FieldValueTypeInvalid" || typeof value !== "string") return finding;
  if (path.at(-1) !== "value" || path.at(-3) !== "env") return finding;
  let at: unknown = object;
  for (const step of path.slice(0, -1)) {
    at =
      isRecord(at) || Array.isArray(at)
        ? (at as Record<string | number, unknown>)[step]
        : undefined;
  }
  const name = isRecord(at) ? at.name : undefined;
  if (typeof name !== "string" || !SECRET_NAME.test(name)) return finding;
  return { ...finding, value: MASK, message: finding.message.replaceAll(value, MASK) };
}

/** What to do about a finding, where that is not plain from its message. */
export function nextStep(
  finding: Finding,
  nearest: (known: readonly string[]) => string | undefined,
) {
  switch (finding.type) {
    case "FieldValueRequired":
      return `add ${finding.path.at(-1)}`;
    case "FieldValueDuplicate":
      return "give each item of the list its own key";
    case "FieldValueNotSupported": {
      const [, list = ""] = /supported values: (.*)$/.exec(finding.message) ?? [];
      const close = nearest([...list.matchAll(/"([^"]*)"/g)].map(([, name]) => name ?? ""));
      return close === undefined ? undefined : `did you mean ${JSON.stringify(close)}?`;
    }
    case "FieldValueTypeInvalid":
      return /must be of type string: "(integer|number|boolean)"$/.test(finding.message)
        ? "put the value in quotes"
        : undefined;
    default:
      return undefined;
  }
}
