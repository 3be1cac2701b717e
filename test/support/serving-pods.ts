import type { Revision } from "../../api/gen/decisionmodels.ts";
import { servingLabels } from "../../evaluator/builders/owned.ts";
import type { GatedPods } from "../../evaluator/rollout/gate.ts";
import type { Inspection, LoadedModel, RunState } from "../../evaluator/rollout/world.ts";
import { after } from "../../kube/instant.ts";
import type { KubeObject } from "../../kube/object.ts";
import { ago, DIGEST, decisionModel, NOW, ownedObject } from "./decision-model.ts";

/** What a test says of a pod; left out, it is up for a minute, with neither gate nor readiness. */
export interface PodFacts {
  readonly address?: string | undefined;
  /** Since when its containers are up, in seconds before now; `undefined` if they are not. */
  readonly up?: number | undefined;
  /** Its gate: the status with its reason, and when it changed in seconds before now. */
  readonly gate?: readonly ["True" | "False", string, number];
  readonly ready?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Why its container waits. */
  readonly waiting?: string;
}

/** A pod that serves, or will. */
export function pod(name: string, facts: PodFacts = {}): KubeObject {
  const { address = "10.0.0.1", up = 60, gate, ready = false, metadata, waiting } = facts;
  const condition = (type: string, status: string, seconds: number, reason = "") => ({
    type,
    status,
    reason,
    message: `${type} is ${status}`,
    lastTransitionTime: ago(seconds),
  });
  const isUp = !("up" in facts) || facts.up !== undefined;
  const hasAddress = !("address" in facts) || facts.address !== undefined;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, uid: `uid-${name}`, namespace: "default", ...metadata },
    status: {
      ...(hasAddress ? { podIP: address } : {}),
      containerStatuses: [
        { name: "ollaya", state: waiting === undefined ? {} : { waiting: { reason: waiting } } },
      ],
      conditions: [
        condition("ContainersReady", isUp ? "True" : "False", up),
        condition("Ready", ready ? "True" : "False", 5),
        ...(gate === undefined
          ? []
          : [condition("decisionmodel.io/model-ready", gate[0], gate[2], gate[1])]),
      ],
    },
  };
}

/** A pod that serves: its gate is open and it is ready. */
export function servingPod(name: string, facts: PodFacts = {}): KubeObject {
  return pod(name, { gate: ["True", "ModelReady", 30], ready: true, ...facts });
}

/** The Deployment of a revision as it is in a cluster. */
export function deploymentOf({ hash }: Revision, fields: Readonly<Record<string, unknown>> = {}) {
  const kind = { apiVersion: "apps/v1", kind: "Deployment" };
  const labels = servingLabels(decisionModel(), hash);
  return ownedObject(kind, `support-router-${hash}`, labels, fields);
}

/** What a server says of the model that tests serve. */
export function loaded(fields: Partial<LoadedModel> = {}): LoadedModel {
  return {
    model: "laya:en",
    digest: DIGEST,
    device: "cpu",
    pinned: true,
    precision: "F32",
    ...fields,
  };
}

/** The runs that have warmed up and inspected the server of a pod, so many seconds ago. */
export function probed(
  name: string,
  inspection: Inspection | readonly LoadedModel[],
  { seconds = 5, failures = 0 }: { readonly seconds?: number; readonly failures?: number } = {},
): readonly (readonly [string, RunState])[] {
  const outcome: Inspection =
    "state" in inspection ? inspection : { state: "inspected", loaded: inspection };
  const at = (before: number) => after(NOW, -before * 1000);
  return [
    [
      `warm-up/uid-${name}`,
      {
        running: false,
        latest: {
          at: at(seconds + 5),
          result: { type: "WarmUp", problem: undefined },
          failures: 0,
        },
      },
    ],
    [
      `inspect/uid-${name}`,
      {
        running: false,
        latest: { at: at(seconds), result: { type: "Inspect", outcome }, failures },
      },
    ],
  ];
}

/** Pods as `gatePods` has judged them: so many that serve, and whatever is wrong with others. */
export function gated(ready: number, wrong: Partial<GatedPods> = {}): GatedPods {
  return {
    ready: Array.from({ length: ready }, (_, index) => ({
      uid: `uid-${index}`,
      address: `10.0.0.${index + 1}`,
    })),
    mismatch: undefined,
    waiting: undefined,
    crashing: undefined,
    precision: undefined,
    ...wrong,
  };
}
