import type { KubeObject } from "../../kube/object.ts";
import { INFERENCE_POOL_GROUP } from "./inference-pool.ts";

const READ = ["get", "watch", "list"];
const RBAC = "rbac.authorization.k8s.io";

/** Builds the account that a picker runs as. */
export function buildPickerServiceAccount(name: string, namespace: string): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } };
}

/** Builds what a picker may read: the pods it picks from, its pool, and request objectives. */
export function buildPickerRole(name: string, namespace: string): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: "Role",
    metadata: { name, namespace },
    rules: [
      { apiGroups: [""], resources: ["pods"], verbs: READ },
      { apiGroups: [INFERENCE_POOL_GROUP], resources: ["inferencepools"], verbs: READ },
      {
        apiGroups: ["inference.networking.x-k8s.io"],
        resources: ["inferenceobjectives"],
        verbs: READ,
      },
    ],
  };
}

/** Builds the binding of that role to that account. */
export function buildPickerRoleBinding(name: string, namespace: string): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: "RoleBinding",
    metadata: { name, namespace },
    roleRef: { apiGroup: RBAC, kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  };
}
