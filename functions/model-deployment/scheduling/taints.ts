import type { Taint, Toleration } from "./fleet.ts";

/** The first taint that no toleration covers, of the given effect or of any. */
export function findUntolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effect?: Taint["effect"],
): Taint | undefined {
  return taints.find(
    (taint) =>
      (effect === undefined || taint.effect === effect) &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
  if (toleration.operator === "Equal") {
    return toleration.key === taint.key && toleration.value === taint.value;
  }
  return toleration.key === undefined || toleration.key === taint.key;
}
