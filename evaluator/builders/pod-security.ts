import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import { sha256Hex } from "../../kube/canonical.ts";

/** The user and group that the engine's images run as. */
const USER = 1000;

/** The security context of a pod: no root, and one SELinux level for all pods that share a store. */
export function podSecurity({ metadata }: DecisionModel): object {
  return {
    runAsNonRoot: true,
    runAsUser: USER,
    runAsGroup: USER,
    fsGroup: USER,
    fsGroupChangePolicy: "OnRootMismatch",
    seccompProfile: { type: "RuntimeDefault" },
    seLinuxOptions: { level: seLinuxLevel(`${metadata.namespace}/${metadata.name}`) },
  };
}

/** The security context of every container. */
export const SANDBOX = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

const CATEGORIES = 1024;

/** An SELinux level of two different categories that a `namespace/name` always gets. */
export function seLinuxLevel(owner: string): string {
  const hash = sha256Hex(owner, 8);
  const first = Number.parseInt(hash.slice(0, 4), 16) % CATEGORIES;
  const other = Number.parseInt(hash.slice(4), 16) % (CATEGORIES - 1);
  const second = other < first ? other : other + 1;
  const [low, high] = first < second ? [first, second] : [second, first];
  return `s0:c${low},c${high}`;
}
