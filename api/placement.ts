import { sha256Hex } from "../kube/canonical.ts";
import {
  type GoType,
  goInteger,
  goKept,
  goList,
  goMap,
  goString,
  goStruct,
} from "../kube/go-json.ts";
import type { Scheduling } from "./gen/decisionmodels.ts";

const name = goKept(goString, '""');
const weight = goKept(goInteger, "0");
const strings = goList(goString);
const requirement = goStruct({ key: name, operator: name, values: strings });

const nodeSelectorTerm = goStruct({
  matchExpressions: goList(requirement),
  matchFields: goList(requirement),
});

const labelSelector = goStruct({
  matchLabels: goMap(goString),
  matchExpressions: goList(requirement),
});

const podAffinityTerm = goStruct({
  labelSelector,
  namespaces: strings,
  topologyKey: name,
  namespaceSelector: labelSelector,
  matchLabelKeys: strings,
  mismatchLabelKeys: strings,
});

const podAffinity = goStruct({
  requiredDuringSchedulingIgnoredDuringExecution: goList(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: goList(
    goStruct({ weight, podAffinityTerm: goKept(podAffinityTerm, "{}") }),
  ),
});

const nodeAffinity = goStruct({
  requiredDuringSchedulingIgnoredDuringExecution: goStruct({
    nodeSelectorTerms: goKept(goList(nodeSelectorTerm), "[]"),
  }),
  preferredDuringSchedulingIgnoredDuringExecution: goList(
    goStruct({ weight, preference: goKept(nodeSelectorTerm, "{}") }),
  ),
});

const scheduling: GoType = goStruct({
  nodeSelector: goMap(goString),
  tolerations: goList(
    goStruct({
      key: goString,
      operator: goString,
      value: goString,
      effect: goString,
      tolerationSeconds: goInteger,
    }),
  ),
  affinity: goStruct({ nodeAffinity, podAffinity, podAntiAffinity: podAffinity }),
  runtimeClassName: goString,
});

/** The placement of a revision that no scheduling binds. */
export const NO_PLACEMENT = "none";

/**
 * What names a scheduling in a revision's record: 10 hexadecimal digits, or `none` where nothing is
 * set, or only empty lists and maps. An operator in Go names it the same.
 */
export function placementOf(of: Scheduling | undefined): string {
  const text = scheduling(of) ?? "{}";
  return text === "{}" ? NO_PLACEMENT : sha256Hex(text, 10);
}
