import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import { KINDS, type WatchedKind } from "../../evaluator/controller/kinds.ts";
import type { Models } from "../../evaluator/controller/reconcile.ts";
import type { KubernetesClient, ResourceKind } from "../../evaluator/kubernetes/client.ts";
import { ApiStore } from "../../evaluator/simulation/api-store.ts";
import { BUILT_IN, DECISION_MODEL } from "../../evaluator/simulation/kinds.ts";
import {
  type ApiRequest,
  type Fate,
  MemoryClient,
} from "../../evaluator/simulation/memory-client.ts";
import { VirtualClock } from "../../evaluator/simulation/virtual-clock.ts";
import { allDefinitions } from "../../functions/shipped.ts";
import type { KubeObject } from "../../kube/object.ts";
import { decisionModel, type Given, NOW } from "./decision-model.ts";

/** An API server in memory, a client of it, and what that client has asked for. */
export interface MemoryApi {
  readonly store: ApiStore;
  readonly clock: VirtualClock;
  readonly client: KubernetesClient;
  /** Every request as `verb Kind name`, with `/status` after the kind where it is about that. */
  readonly requests: string[];
  /** Copies that are never behind. */
  readonly copies: Models;
  /** What befalls requests from now on. */
  meet(fate: (request: ApiRequest) => Fate | undefined): void;
  /** Makes an object, or a DecisionModel as a person writes it, and returns what is stored. */
  put(object: KubeObject): KubeObject;
  model(given?: Given): DecisionModel;
  read(kind: keyof typeof KINDS, name: string, namespace?: string): KubeObject | undefined;
}

/** Makes an API server in memory with nothing in it, at `NOW`. */
export function memoryApi(): MemoryApi {
  const clock = new VirtualClock(NOW);
  const store = new ApiStore({
    kinds: [...BUILT_IN, DECISION_MODEL],
    definitions: allDefinitions(),
    now: () => clock.now(),
  });
  const requests: string[] = [];
  let fateOf: (request: ApiRequest) => Fate | undefined = () => undefined;
  const client = new MemoryClient({
    store,
    clock,
    meet: (request) => {
      const { verb, kind, name, isStatus } = request;
      requests.push(`${verb} ${kind}${isStatus ? "/status" : ""} ${name}`.trim());
      return fateOf(request);
    },
  });
  const all = (kind: ResourceKind) => {
    const answer = store.list(kind);
    return answer.ok ? answer.value.items : [];
  };
  const put = (object: KubeObject): KubeObject => {
    const kind: ResourceKind = KINDS[object.kind as keyof typeof KINDS];
    const answer = store.create(kind, object);
    if (!answer.ok) throw new Error(answer.problem.message);
    return answer.value;
  };
  return {
    store,
    clock,
    client,
    requests,
    put,
    meet: (fate) => {
      fateOf = fate;
    },
    model: (given) => {
      const { status: _, metadata, ...model } = decisionModel(given);
      const { name = "", namespace = "", annotations } = metadata;
      return put({
        ...model,
        metadata: { name, namespace, ...(annotations === undefined ? {} : { annotations }) },
      }) as DecisionModel;
    },
    read: (kind, name, namespace = "default") => {
      const answer = store.get(KINDS[kind], namespace, name);
      return answer.ok ? answer.value : undefined;
    },
    copies: {
      model: (key) =>
        all(KINDS.DecisionModel).find(
          ({ metadata }) => `${metadata?.namespace}/${metadata?.name}` === key,
        ) as DecisionModel | undefined,
      models: () => all(KINDS.DecisionModel) as readonly DecisionModel[],
      owned: (kind: WatchedKind, namespace, model) =>
        all(KINDS[kind]).filter(
          ({ metadata }) =>
            metadata?.namespace === namespace &&
            metadata.labels?.["decisionmodel.io/name"] === model,
        ),
    },
  };
}
