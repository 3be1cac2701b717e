import type { Handler } from "../../functions/composition/composition.ts";
import { findCondition } from "../../kube/conditions.ts";
import { isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import type { Definitions } from "../../schema/definitions.ts";
import { answerInProcess, drive } from "../answers.ts";
import { objectId } from "../simulation/cluster.ts";
import { simulate } from "../simulation/simulate.ts";
import { FLEET_KINDS, isKind } from "./fleet-input.ts";

/** Objects of a fleet, and which clusters' status was derived. */
export interface Derived {
  readonly objects: readonly KubeObject[];
  /** Names, sorted. */
  readonly assumed: readonly string[];
  /** Classes that are missing or refused, so that a derived status has no pools. */
  readonly notes: readonly string[];
  /** Why some have none: the first thing that the API server would refuse, or what went wrong. */
  readonly problems: readonly string[];
}

/**
 * Gives each InferenceCluster without a status the one that its handler would write, from its own
 * spec and the InferenceClasses, as if the cluster were there and everything on it worked.
 */
export async function deriveStatuses(
  objects: readonly KubeObject[],
  definitions: Definitions,
  handlers: readonly Handler[],
): Promise<Derived> {
  const bare = objects.filter(isBareCluster);
  if (bare.length === 0) return { objects, assumed: [], notes: [], problems: [] };
  const others = objects.filter((object) => !bare.includes(object));
  const steps = (apiVersion: string, kind: string) =>
    isKind({ apiVersion, kind }, FLEET_KINDS.cluster)
      ? [{ step: "compose", functionName: "function-sluice", input: undefined }]
      : undefined;
  const simulation = await drive(
    simulate({ composites: bare, observed: [], others }, { steps, definitions, assumeReady: true }),
    answerInProcess(handlers),
  );
  const ends = new Map(simulation.objects.map((object) => [objectId(object), object]));
  return {
    objects: [...others, ...bare.map((object) => asIfReady(ends.get(objectId(object)) ?? object))],
    assumed: [...new Set(bare.map(({ metadata }) => metadata?.name ?? ""))].sort(),
    notes: simulation.composites.flatMap(({ composite }) => {
      const classes = findCondition(composite, "ClassesResolved");
      return classes?.status === "False" ? `${named(composite)}: ${classes.message}` : [];
    }),
    problems: [
      ...simulation.refused.flatMap(({ object, findings: [first] }) =>
        first === undefined ? [] : `${named(object)}: ${first.field}: ${first.message}`,
      ),
      ...simulation.composites.flatMap(({ composite, error }) =>
        error === undefined ? [] : `${named(composite)}: ${error}`,
      ),
    ],
  };
}

/** Whether an object is an InferenceCluster without a status. */
export function isBareCluster(object: KubeObject): boolean {
  return isKind(object, FLEET_KINDS.cluster) && object.status === undefined;
}

const named = ({ kind, metadata }: KubeObject) => `${kind} ${metadata?.name ?? ""}`;

function asIfReady(cluster: KubeObject): KubeObject {
  const status = isRecord(cluster.status) ? cluster.status : {};
  const others = listField(status, "conditions").filter((one) => {
    return stringField(one, "type") !== "Ready";
  });
  return {
    ...cluster,
    status: {
      ...status,
      conditions: [...others, { type: "Ready", status: "True", reason: "Available" }],
    },
  };
}
