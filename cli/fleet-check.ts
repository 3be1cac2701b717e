import { jsonEqual } from "../kube/canonical.ts";
import { field, isRecord, type KubeObject, listField } from "../kube/object.ts";
import type { Definitions } from "../schema/definitions.ts";
import type { Finding } from "../schema/finding.ts";
import type { ManifestDocument } from "./documents.ts";
import { FLEET_KINDS, isKind } from "./explain/fleet-input.ts";
import { isRulesNotChecked } from "./output/remarks.ts";
import { remarksAsWarnings } from "./output/text.ts";
import { visible } from "./render/text.ts";
import { objectId } from "./simulation/cluster.ts";
import { judgeDocument } from "./verdict.ts";

/** What placement reads of an InferenceCluster, by its first fields. */
const CLUSTER_FIELDS = [["metadata"], ["status"], ["spec", "taints"], ["spec", "placement"]];

/**
 * Says what is wrong with clusters and classes that files describe, each after its place: what
 * placement reads there and the API server would not have stored, which counts as not there, and
 * objects that are given twice and differently, of which the last counts.
 */
export function fleetWarnings(
  documents: readonly ManifestDocument[],
  definitions: Definitions,
): readonly string[] {
  const last = new Map<string, ManifestDocument>();
  return documents.flatMap((document) => {
    const { object, file, line } = document;
    const [isCluster, isClass] = [FLEET_KINDS.cluster, FLEET_KINDS.class].map((kind) => {
      return isKind(object, kind);
    });
    if (!isCluster && !isClass) return [];
    const id = objectId(object);
    const before = last.get(id);
    last.set(id, document);
    const twice =
      before === undefined || jsonEqual(before.object, object)
        ? []
        : [
            visible(
              `${file}:${line}: warning: ${object.kind} ${object.metadata?.name ?? ""} is given twice, differently, and this one counts; the other is at ${before.file}:${before.line}`,
            ),
          ];
    return [...twice, ...wrongFields(document, definitions, isCluster ? CLUSTER_FIELDS : [[]])];
  });
}

/** Stands in a class for the devices of a pool that has none, which a class must not. */
const NO_DEVICE = { driver: "none.example.org", claim: "Synthetic", count: 1 };

function wrongFields(
  { file, object, source }: ManifestDocument,
  definitions: Definitions,
  fields: readonly (readonly string[])[],
): readonly string[] {
  const judged = judgeDocument(file, source, definitions, { withStatus: true });
  if (!judged.ok) return [];
  const { verdict } = judged;
  const isRead = ({ path }: { readonly path: Finding["path"] }) =>
    fields.some((start) => start.every((step, at) => path[at] === step));
  // Nobody writes all by hand that a controller writes.
  const isMissed = ({ type, path }: Finding) =>
    type !== "FieldValueRequired" ||
    path[0] !== "status" ||
    (path[1] === "gpuPools" && path.length === 4);
  const found = verdict.findings.filter((one) => isRead(one) && isMissed(one));
  const known = new Set(found.map(({ field }) => field));
  const pools = wrongPools(object, definitions).filter(({ field }) => !known.has(field));
  return remarksAsWarnings({
    ...verdict,
    findings: [...found, ...pools.map((one) => ({ ...one, place: source.locate(one.path) }))],
    unknown: verdict.unknown.filter(isRead),
  });
}

/** What is wrong with published pools by the rules for the class that they are published from. */
function wrongPools(cluster: KubeObject, definitions: Definitions): readonly Finding[] {
  const { apiVersion, kind } = FLEET_KINDS.class;
  const definition = definitions.get(`${apiVersion}/${kind}`);
  if (!isKind(cluster, FLEET_KINDS.cluster) || definition === undefined) return [];
  return listField(cluster, "status", "gpuPools").flatMap((pool, at) => {
    const devices = listField(pool, "devices");
    const cost = field(pool, "costPerNodeHour");
    const spec = {
      ...(cost === undefined ? {} : { costPerNodeHour: cost }),
      // A class names its devices, which placement does not ask for.
      devices: (devices.length === 0 ? [NO_DEVICE] : devices).map((device, index) => {
        return isRecord(device) ? { name: `device-${index}`, ...device } : device;
      }),
    };
    const { findings } = definition.check({ apiVersion, kind, metadata: { name: "pool" }, spec });
    const there = (text: string) =>
      text.replaceAll(/^spec\b|\bspec\./g, (found) => {
        return found.replace("spec", `status.gpuPools[${at}]`);
      });
    return findings
      .filter(({ type, message }) => type === "FieldValueInvalid" && !isRulesNotChecked(message))
      .map((finding) => ({
        ...finding,
        field: there(finding.field),
        message: there(finding.message),
        path: ["status", "gpuPools", at, ...finding.path.slice(1)],
      }));
  });
}
