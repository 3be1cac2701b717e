import { jsonEqual } from "../../kube/canonical.ts";
import { field, isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import { compareQuantities, parseQuantity } from "../../kube/quantity.ts";
import type { Answer } from "../kubernetes/client.ts";

/**
 * Defaults an object of Kubernetes' own, and refuses a change of what can't change, as an API server
 * does, as far as it matters to somebody who keeps such objects as they should be.
 */
export function admitBuiltIn(object: KubeObject, old: KubeObject | undefined): Answer<KubeObject> {
  const defaulted = applyDefaults(object);
  const why = old === undefined ? undefined : forbidden(defaulted, old);
  if (why === undefined) return { ok: true, value: defaulted };
  const message = `${object.kind} "${object.metadata?.name}" is invalid: ${why}`;
  return { ok: false, problem: { reason: "Invalid", message } };
}

function forbidden(next: KubeObject, old: KubeObject): string | undefined {
  const changed = (...path: readonly string[]) =>
    !jsonEqual(field(next, ...path), field(old, ...path));
  switch (next.kind) {
    case "Deployment":
      return changed("spec", "selector") ? "spec.selector: field is immutable" : undefined;
    case "Job":
      return changed("spec", "template") ? "spec.template: field is immutable" : undefined;
    case "PersistentVolumeClaim":
      return claimProblem(next, old);
    default:
      return undefined;
  }
}

function claimProblem(next: KubeObject, old: KubeObject): string | undefined {
  const bare = (claim: KubeObject) => ({ ...(claim.spec as object), resources: undefined });
  if (!jsonEqual(bare(next), bare(old))) {
    return "spec: Forbidden: spec is immutable after creation except resources.requests";
  }
  const path = ["spec", "resources", "requests", "storage"];
  const size = (claim: KubeObject) => parseQuantity(stringField(claim, ...path) ?? "");
  const [wanted, had] = [size(next), size(old)];
  if (wanted.ok && had.ok && compareQuantities(wanted.quantity, had.quantity) < 0) {
    return "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity";
  }
  return undefined;
}

/** Values that an API server writes where a client left them out. */
function applyDefaults(object: KubeObject): KubeObject {
  const spec = object.spec;
  if (!isRecord(spec)) return object;
  switch (object.kind) {
    case "Deployment":
      return {
        ...object,
        spec: {
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
          replicas: 1,
          ...spec,
          template: defaultTemplate(spec.template, "Always"),
        },
      };
    case "Job":
      return {
        ...object,
        spec: {
          completions: 1,
          parallelism: 1,
          completionMode: "NonIndexed",
          suspend: false,
          ...spec,
          template: defaultTemplate(spec.template, "Never"),
        },
      };
    case "Service":
      return {
        ...object,
        spec: {
          clusterIP: "10.96.0.10",
          clusterIPs: ["10.96.0.10"],
          internalTrafficPolicy: "Cluster",
          ipFamilies: ["IPv4"],
          ipFamilyPolicy: "SingleStack",
          sessionAffinity: "None",
          ...spec,
        },
      };
    case "PersistentVolumeClaim":
      return { ...object, spec: { volumeMode: "Filesystem", ...spec } };
    default:
      return object;
  }
}

function defaultTemplate(template: unknown, restartPolicy: string): unknown {
  const pod = field(template, "spec");
  if (!isRecord(template) || !isRecord(pod)) return template;
  const containers = listField(pod, "containers").map((container) => ({
    imagePullPolicy: "IfNotPresent",
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    ...(container as object),
  }));
  return {
    ...template,
    spec: {
      restartPolicy,
      dnsPolicy: "ClusterFirst",
      schedulerName: "default-scheduler",
      terminationGracePeriodSeconds: 30,
      ...pod,
      containers,
    },
  };
}
