import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import { stabilizationOf } from "./policy.ts";

/** What the budget knows of a DecisionModel. */
export interface Claimant {
  readonly namespace: string;
  readonly name: string;
  /** Whether it rolls out a candidate, or has just promoted one and watches it. */
  readonly active: boolean;
  /** Whether it waits to be admitted, and since when: RFC 3339, or empty where nothing says so. */
  readonly waiting: boolean;
  readonly since: string;
}

/**
 * Tells whether a DecisionModel may begin a roll-out: fewer than `limit` others are active, and of
 * those that wait no more are ahead of it than there is room for. First in, first out by the time
 * of waiting, then by namespace and name. A limit of 0 is none.
 */
export function mayStart(
  of: { readonly namespace: string; readonly name: string },
  all: readonly Claimant[],
  limit: number,
): boolean {
  if (limit === 0) return true;
  const others = all.filter((other) => !isSame(other, of));
  const free = limit - others.filter(({ active }) => active).length;
  const self = all.find((one) => isSame(one, of));
  // One that is not yet recorded as waiting is behind all that are.
  const ahead = others.filter(
    (other) => other.waiting && !other.active && (!self?.waiting || order(other, self) < 0),
  );
  return ahead.length < free;
}

/** What the budget knows of a DecisionModel by its status; `reserved` says that it was let in and may not show it yet. */
export function claimantOf({ metadata, spec, status }: DecisionModel, reserved: boolean): Claimant {
  const watched = status?.previousRevision !== undefined && stabilizationOf(spec) > 0;
  const active =
    reserved ||
    watched ||
    status?.candidateRevision !== undefined ||
    status?.recreateRollback !== undefined;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    active,
    waiting: !active && status?.phase === "Pending",
    since: status?.phaseTransitionTime ?? "",
  };
}

type Named = { readonly namespace: string; readonly name: string };

const isSame = (one: Named, other: Named) =>
  one.namespace === other.namespace && one.name === other.name;

function order(one: Claimant, other: Claimant): number {
  return (
    compareText(one.since, other.since) ||
    compareText(one.namespace, other.namespace) ||
    compareText(one.name, other.name)
  );
}

const compareText = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1);
