import type { Container, EnvVar, Member } from "../../api/gen/modelreplicas.ts";
import { isDnsLabel, isDnsSubdomain, isLabelValue, isPortName } from "../../kube/names.ts";
import { compareQuantities, parseQuantity, quantitySign } from "../../kube/quantity.ts";
import type { Finding } from "../../schema/finding.ts";
import { ENGINE_CONTAINER, HTTP_PORT } from "../builders/pod.ts";
import type { ReplicaContext } from "./plan.ts";
import { managedLabels } from "./workload.ts";

/** Field names, list indexes, and keys of maps that users fill. */
type Path = readonly (string | number | { readonly key: string })[];

const INT32_MAX = 2 ** 31 - 1;
/** What Kubernetes allows a pod's annotations to hold in all, in bytes. */
const ANNOTATIONS_LIMIT = 256 * 1024;
/** The fields of its pod that a container may read into a variable. */
const POD_FIELD =
  /^(metadata\.(name|namespace|uid|(labels|annotations)\['[^']+'\])|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?))$/;

/**
 * Finds what the XRD accepts and a cluster would refuse, so that it is said before anything is
 * composed rather than by a provider that retries for ever.
 */
export function clusterFindings(context: ReplicaContext): readonly Finding[] {
  const { spec } = context;
  const findings: Finding[] = [];
  spec.engines.forEach((engine, e) => {
    engine.members.forEach((member, m) => {
      const at = ["spec", "engines", e, "members", m];
      findings.push(
        ...memberFindings(member, at),
        ...labelFindings(member, managedLabels(context, engine, member.role), at),
      );
    });
  });
  const picker = spec.serving?.endpointPicker;
  if (picker !== undefined) {
    const at = ["spec", "serving", "endpointPicker", "template", "spec"];
    findings.push(...podFindings(picker.template.spec, at));
  }
  return findings;
}

function memberFindings(member: Member, at: Path): Finding[] {
  const findings: Finding[] = [];
  if (!isLabelValue(member.nodePoolName)) {
    const why = "must be a label value, since nodes carry the pool's name as one";
    findings.push(invalid([...at, "nodePoolName"], member.nodePoolName, why));
  }
  (member.deviceRequests ?? []).forEach(({ name, deviceClassName }, r) => {
    const request = [...at, "deviceRequests", r];
    if (!isDnsLabel(name)) {
      const why = "must be lower-case letters, digits and inner dashes, at most 63 of them";
      findings.push(invalid([...request, "name"], name, why));
    }
    if (!isDnsSubdomain(deviceClassName)) {
      const why = "must be the name of a DeviceClass: a DNS subdomain";
      findings.push(invalid([...request, "deviceClassName"], deviceClassName, why));
    }
  });
  const { spec, metadata } = member.template;
  if (spec === undefined) {
    const why = 'needs a container named "engine" to run';
    findings.push(
      finding("FieldValueRequired", [...at, "template", "spec"], `Required value: ${why}`),
    );
    return findings;
  }
  const annotations = Object.entries(metadata?.annotations ?? {});
  const bytes = annotations.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (bytes > ANNOTATIONS_LIMIT) {
    const why = `Too long: may not be more than ${ANNOTATIONS_LIMIT} bytes in all, and is ${bytes}`;
    const path = [...at, "template", "metadata", "annotations"];
    findings.push(finding("FieldValueTooLong", path, why));
  }
  return [...findings, ...podFindings(spec, [...at, "template", "spec"])];
}

/** A managed label always wins; a user who set another value would never learn where it went. */
function labelFindings(
  member: Member,
  managed: Readonly<Record<string, string>>,
  at: Path,
): Finding[] {
  const labels = member.template.metadata?.labels ?? {};
  return Object.entries(labels).flatMap(([key, value]) => {
    if (!Object.hasOwn(managed, key) || managed[key] === value) return [];
    const why = `is set to "${managed[key]}" by sluice on these pods; leave the label out`;
    return [invalid([...at, "template", "metadata", "labels", { key }], value, why)];
  });
}

function podFindings(
  pod: {
    readonly containers: readonly Container[];
    readonly imagePullSecrets?: readonly { readonly name: string }[];
  },
  at: Path,
): Finding[] {
  const findings = pod.containers.flatMap((container, c) =>
    containerFindings(container, [...at, "containers", c]),
  );
  (pod.imagePullSecrets ?? []).forEach(({ name }, s, all) => {
    const path = [...at, "imagePullSecrets", s, "name"];
    if (!isDnsSubdomain(name)) {
      findings.push(invalid(path, name, "must be the name of a Secret: a DNS subdomain"));
    } else if (all.findIndex((other) => other.name === name) < s) {
      findings.push(finding("FieldValueDuplicate", path, `Duplicate value: "${name}"`, name));
    }
  });
  return findings;
}

function containerFindings(container: Container, at: Path): Finding[] {
  const findings: Finding[] = [];
  if (container.image.trim() !== container.image || container.image === "") {
    const why = "must be an image reference without spaces around it";
    findings.push(invalid([...at, "image"], container.image, why));
  }
  (container.ports ?? []).forEach(({ name }, p) => {
    if (name !== undefined && !isPortName(name)) {
      findings.push(invalid([...at, "ports", p, "name"], name, PORT_NAME_RULE));
    }
  });
  return [
    ...findings,
    ...environmentFindings(container.env ?? [], [...at, "env"]),
    ...resourceFindings(container.resources, [...at, "resources"]),
    ...probeFindings(container, [...at, "readinessProbe"]),
  ];
}

const PORT_NAME_RULE =
  "must be a port name: at most 15 lower-case letters, digits and single inner dashes, with a letter among them";

/** Values may be secret, so none is ever shown. */
function environmentFindings(env: readonly EnvVar[], at: Path): Finding[] {
  return env.flatMap((variable, v) => {
    const { name, value, valueFrom } = variable;
    const path = [...at, v];
    const findings: Finding[] = [];
    if (!/^[ -<>-~]+$/.test(name)) {
      const why = "must be printable ASCII characters without =, and not empty";
      findings.push(invalid([...path, "name"], name, why));
    } else if (env.findIndex((other) => other.name === name) < v) {
      const duplicate = `Duplicate value: "${name}"`;
      findings.push(finding("FieldValueDuplicate", [...path, "name"], duplicate, name));
    }
    if (valueFrom === undefined) return findings;
    const from = [...path, "valueFrom"];
    if (value !== undefined && value !== "") {
      findings.push(mustNot(from, `may not be set beside value: leave one of them out`));
    }
    const sources = Object.entries(valueFrom).filter(([, source]) => source !== undefined);
    if (sources.length !== 1) {
      const why = `must name one source, and names ${sources.length}: keep one of secretKeyRef, configMapKeyRef and fieldRef`;
      findings.push(mustNot(from, why));
    }
    const { fieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
    if (fieldRef !== undefined && !POD_FIELD.test(fieldRef.fieldPath)) {
      const why = "must be a field of the pod such as status.podIP or metadata.labels['app']";
      findings.push(invalid([...from, "fieldRef", "fieldPath"], fieldRef.fieldPath, why));
    }
    for (const [source, reference] of Object.entries({ secretKeyRef, configMapKeyRef })) {
      if (reference === undefined) continue;
      if (!isDnsSubdomain(reference.name)) {
        findings.push(
          invalid([...from, source, "name"], reference.name, "must be a DNS subdomain"),
        );
      }
      if (!/^[-._a-zA-Z0-9]{1,253}$/.test(reference.key)) {
        const why = "must be letters, digits, dashes, underscores and dots";
        findings.push(invalid([...from, source, "key"], reference.key, why));
      }
    }
    return findings;
  });
}

function resourceFindings(resources: Container["resources"], at: Path): Finding[] {
  const findings: Finding[] = [];
  for (const list of ["requests", "limits"] as const) {
    for (const [name, value] of Object.entries(resources?.[list] ?? {})) {
      const parsed = parseQuantity(String(value));
      if (!parsed.ok || quantitySign(parsed.quantity) < 0) {
        const why = "must be a quantity of zero or more, such as 500m or 8Gi";
        findings.push(invalid([...at, list, { key: name }], value, why));
        continue;
      }
      const limit = parseQuantity(String(resources?.limits?.[name] ?? ""));
      if (
        list === "requests" &&
        limit.ok &&
        compareQuantities(parsed.quantity, limit.quantity) > 0
      ) {
        const why = `must not be above the limit of ${resources?.limits?.[name]}`;
        findings.push(invalid([...at, list, { key: name }], value, why));
      }
    }
  }
  return findings;
}

function probeFindings(container: Container, at: Path): Finding[] {
  const { readinessProbe: probe, ports = [] } = container;
  if (probe === undefined) return [];
  // The engine's own port gets this name if no port has it.
  const names = new Set(container.name === ENGINE_CONTAINER ? [HTTP_PORT] : []);
  for (const { name } of ports) if (name !== undefined) names.add(name);
  const findings: Finding[] = [];
  for (const action of ["httpGet", "tcpSocket"] as const) {
    const port = probe[action]?.port;
    if (typeof port !== "string") continue;
    if (!isPortName(port)) {
      findings.push(invalid([...at, action, "port"], port, PORT_NAME_RULE));
    } else if (!names.has(port)) {
      const why = "names no port of this container, so it would never be ready: declare the port";
      findings.push(invalid([...at, action, "port"], port, why));
    }
  }
  for (const [name, value] of Object.entries(probe)) {
    if (typeof value === "number" && value > INT32_MAX) {
      findings.push(invalid([...at, name], value, `must be at most ${INT32_MAX}`));
    }
  }
  return findings;
}

function invalid(path: Path, value: unknown, why: string): Finding {
  const shown = JSON.stringify(value) ?? "null";
  return finding("FieldValueInvalid", path, `Invalid value: ${shown}: ${why}`, value);
}

function mustNot(path: Path, why: string): Finding {
  return finding("FieldValueInvalid", path, `Invalid value: ${why}`);
}

function finding(type: Finding["type"], at: Path, message: string, value?: unknown): Finding {
  const path = at.map((step) => (typeof step === "object" ? step.key : step));
  return { type, field: fieldText(at), path, message, ...(value === undefined ? {} : { value }) };
}

function fieldText(path: Path): string {
  return path
    .map((step) =>
      typeof step === "number"
        ? `[${step}]`
        : typeof step === "object"
          ? `[${step.key}]`
          : `.${step}`,
    )
    .join("")
    .slice(1);
}
