/** The resource keys of everything that a ModelReplica composes beside its engines. */
export const KEY = {
  namespace: "namespace",
  pool: "inference-pool",
  route: "model-route",
  picker: "epp",
  pickerConfig: "epp-config",
  pickerRole: "epp-role",
  pickerRoleBinding: "epp-rolebinding",
  pickerServiceAccount: "epp-serviceaccount",
  pickerService: "epp-service",
} as const;

const FIXED: ReadonlySet<string> = new Set(Object.values(KEY));
const WORKLOAD_PREFIX = "model-serving-";
/** Read from the right, since an engine may be named like a role. */
const CLAIM = /^resource-claim-(.+)-(standalone|leader|worker)(?:-[0-9a-f]{5})?$/s;

/** The key of an engine's workload. */
export function workloadKey(engine: string): string {
  return `${WORKLOAD_PREFIX}${engine}`;
}

/** The engine that a workload's key names (a re-pointed key's hash included), `undefined` for other keys. */
export function engineOfWorkloadKey(key: string): string | undefined {
  return key.startsWith(WORKLOAD_PREFIX) ? key.slice(WORKLOAD_PREFIX.length) : undefined;
}

/** What the keys of an engine's claim templates begin with; those of an engine with a longer name may too. */
export function claimKeyPrefix(engine: string): string {
  return `resource-claim-${engine}-`;
}

/** The key of a member's claim template; without a hash it is the one that upstream gave. */
export function claimKey(engine: string, role: string, hash?: string): string {
  const key = `${claimKeyPrefix(engine)}${role.toLowerCase()}`;
  return hash === undefined ? key : `${key}-${hash}`;
}

/** The engine whose member a claim template's key names, `undefined` for other keys. */
export function engineOfClaimKey(key: string): string | undefined {
  return CLAIM.exec(key)?.[1];
}

/** Tells whether a key is one that the ModelReplica handler makes. */
export function isOwnKey(key: string): boolean {
  return (
    FIXED.has(key) || engineOfWorkloadKey(key) !== undefined || engineOfClaimKey(key) !== undefined
  );
}
