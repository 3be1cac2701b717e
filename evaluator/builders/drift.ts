import { ANNOTATIONS } from "../../api/decision-model.ts";
import { canonicalJson, jsonEqual } from "../../kube/canonical.ts";
import { field, isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import { parseQuantity } from "../../kube/quantity.ts";

/** The annotation of a Deployment with its spec as it was last written, to tell what others changed since. */
export const LAST_APPLIED = "decisionmodel.io/last-applied";

/** Annotations of a pod template that others may set: a restart that somebody asked for is no drift. */
const TOLERATED = ["kubectl.kubernetes.io/restartedAt"];

/** Lists whose entries are known by these names, and of which no more may be there than was written. */
const EXACT_LISTS = ["containers", "initContainers", "volumes"];

/** A Deployment with what it is written as in an annotation of its own. */
export function recorded(deployment: KubeObject): KubeObject {
  const annotations = {
    ...deployment.metadata?.annotations,
    [LAST_APPLIED]: canonicalJson(deployment.spec),
  };
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}

/**
 * What a live Deployment must be replaced by, `undefined` where it is as it should be. If it was
 * built from the same inputs, its pods stay as they were written then, and not as this version of
 * the operator would write them; only their number and the way to replace them follow. One that
 * another operator made is taken over with its pods if they serve the same.
 */
export function replacement(live: KubeObject, desired: KubeObject): KubeObject | undefined {
  const hash = (of: KubeObject) => of.metadata?.annotations?.[ANNOTATIONS.specHash];
  const written = lastApplied(live);
  const sameInputs = hash(live) === hash(desired);
  const before =
    written === undefined
      ? !sameInputs && servesAlike(live, desired) && withoutTolerated(live.spec)
      : sameInputs && written;
  const { replicas, strategy } = desired.spec as Readonly<Record<string, unknown>>;
  const spec = isRecord(before) ? { ...before, replicas, strategy } : desired.spec;
  const isWritten = sameInputs && written !== undefined;
  if (isWritten && isWithin(spec, live.spec) && hasNoMore(spec, live.spec)) return undefined;
  const object = recorded({ ...desired, spec });
  const restarts = field(live.spec, "template", "metadata", "annotations");
  return {
    ...object,
    spec: withTolerated(object.spec, restarts),
    metadata: {
      ...live.metadata,
      ...object.metadata,
      labels: { ...live.metadata?.labels, ...desired.metadata?.labels },
      annotations: { ...live.metadata?.annotations, ...object.metadata?.annotations },
    },
  };
}

/** Whether pods that another operator built serve what these would: the same image, device and key, and nothing else. */
function servesAlike(live: KubeObject, desired: KubeObject): boolean {
  const checksum = live.metadata?.annotations?.[ANNOTATIONS.apiKeyChecksum];
  const wantedChecksum = desired.metadata?.annotations?.[ANNOTATIONS.apiKeyChecksum];
  if (checksum !== undefined && checksum !== wantedChecksum) return false;
  const pods = (of: KubeObject) => field(of.spec, "template", "spec");
  const facts = (of: KubeObject) => {
    const [first, ...others] = listField(pods(of), "containers");
    const variables = listField(first, "env").filter((one) =>
      ["OLLAYA_DEVICE", "OLLAYA_API_KEY", "OLLAYA_REGISTRY"].includes(
        stringField(one, "name") ?? "",
      ),
    );
    return {
      image: field(first, "image"),
      others: [...others, ...listField(pods(of), "initContainers")].length,
      variables: variables.map((one) => canonicalJson(one)).sort(),
      gates: listField(pods(of), "readinessGates"),
    };
  };
  const labels = (of: KubeObject) => field(of.spec, "template", "metadata", "labels");
  return jsonEqual(facts(live), facts(desired)) && isWithin(labels(desired), labels(live));
}

function lastApplied(live: KubeObject): unknown {
  try {
    return JSON.parse(live.metadata?.annotations?.[LAST_APPLIED] ?? "");
  } catch {
    return undefined;
  }
}

/** Whether all that is wanted is there; defaults and other fields may be there besides. */
function isWithin(wanted: unknown, live: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length < wanted.length) return false;
    return wanted.every((item, index) => {
      const name = stringField(item, "name");
      const other =
        name === undefined ? live[index] : live.find((one) => stringField(one, "name") === name);
      return isWithin(item, other);
    });
  }
  if (isRecord(wanted)) {
    return Object.entries(wanted).every(([key, value]) =>
      // An empty object or list is the same as none.
      isEmpty(value) ? true : isWithin(value, field(live, key)),
    );
  }
  return jsonEqual(wanted, live) || isSameQuantity(wanted, live);
}

const isEmpty = (value: unknown) =>
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0);

/** The API server may write `1000m` as `1`. */
function isSameQuantity(wanted: unknown, live: unknown): boolean {
  const [one, other] = [wanted, live].map((value) =>
    typeof value === "string" || typeof value === "number"
      ? parseQuantity(String(value))
      : undefined,
  );
  return one?.ok === true && other?.ok === true && one.quantity.nano === other.quantity.nano;
}

/** Whether nothing was added that changes what runs: containers, volumes, variables, template annotations. */
function hasNoMore(wanted: unknown, live: unknown): boolean {
  const pods = (of: unknown) => field(of, "template", "spec");
  const names = (of: unknown, list: string) =>
    listField(of, list)
      .map((one) => stringField(one, "name") ?? "")
      .sort();
  if (EXACT_LISTS.some((list) => !jsonEqual(names(pods(wanted), list), names(pods(live), list)))) {
    return false;
  }
  const variables = listField(pods(wanted), "containers").every((container, index) => {
    const other = listField(pods(live), "containers")[index];
    return jsonEqual(names(container, "env"), names(other, "env"));
  });
  const annotations = (of: unknown) =>
    Object.entries(field(of, "template", "metadata", "annotations") ?? {})
      .filter(([name]) => !TOLERATED.includes(name))
      .sort();
  return variables && jsonEqual(annotations(wanted), annotations(live));
}

function withTolerated(spec: unknown, annotations: unknown): unknown {
  const kept = Object.entries(isRecord(annotations) ? annotations : {}).filter(([name]) =>
    TOLERATED.includes(name),
  );
  return kept.length === 0 ? spec : withAnnotations(spec, (own) => [...own, ...kept]);
}

function withoutTolerated(spec: unknown): unknown {
  return withAnnotations(spec, (own) => own.filter(([name]) => !TOLERATED.includes(name)));
}

type Entries = readonly (readonly [string, unknown])[];

/** A Deployment's spec with other annotations of its pods. */
function withAnnotations(spec: unknown, change: (own: Entries) => Entries): unknown {
  if (!isRecord(spec) || !isRecord(spec.template)) return spec;
  const { template } = spec;
  const { annotations, ...metadata } = isRecord(template.metadata) ? template.metadata : {};
  const changed = change(Object.entries(isRecord(annotations) ? annotations : {}));
  const all = changed.length === 0 ? {} : { annotations: Object.fromEntries(changed) };
  return { ...spec, template: { ...template, metadata: { ...metadata, ...all } } };
}
