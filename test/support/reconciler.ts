import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import { keyOf, Reconciler } from "../../evaluator/controller/reconcile.ts";
import { Runs } from "../../evaluator/controller/runs.ts";
import type { Notice } from "../../evaluator/rollout/decision.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../evaluator/rollout/settings.ts";
import { DIGEST, type Given } from "./decision-model.ts";
import { memoryApi } from "./memory-api.ts";

/** The key of the DecisionModel that tests have. */
export const KEY = "default/support-router";

const pinned = { digest: DIGEST } as const;

/** A reconciler over an API in memory; nothing that it wants to be run ever ends. */
export function reconcilerScene(settings: Partial<Settings> = {}) {
  const api = memoryApi();
  let copies = api.copies;
  const told: string[] = [];
  const runs = new Runs({
    now: () => api.clock.now(),
    perform: () => new Promise(() => undefined),
    ended: () => undefined,
    broke: () => undefined,
  });
  const reconciler = new Reconciler({
    client: api.client,
    copies: {
      model: (key) => copies.model(key),
      models: () => copies.models(),
      owned: (kind, namespace, name) => copies.owned(kind, namespace, name),
    },
    runs,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    now: () => api.clock.now(),
    told: (_, __, notices: readonly Notice[]) => told.push(...notices.map(({ reason }) => reason)),
    gated: () => undefined,
    decode: () => {
      throw new Error("no dataset is read here");
    },
    namespaces: [],
  });
  return {
    api,
    told,
    runs,
    reconciler,
    model: (given: Given = {}) => api.model({ ...given, spec: { ...pinned, ...given.spec } }),
    status: (name = "support-router") =>
      (api.read("DecisionModel", name) as DecisionModel | undefined)?.status,
    pass: (key = KEY) => reconciler.reconcile(key),
    /** The writes that were asked for since this was last asked. */
    writes: () => api.requests.splice(0).filter((request) => !/^(get|list) /.test(request)),
    /** Has copies stay as they are now. */
    freeze: (models = api.copies.models()) => {
      const known = new Map(models.map((one) => [keyOf(one), one]));
      const owned = api.copies.owned;
      const now = new Map<string, ReturnType<typeof owned>>();
      for (const kind of [
        "PersistentVolumeClaim",
        "Job",
        "Deployment",
        "Pod",
        "Service",
      ] as const) {
        now.set(kind, owned(kind, "default", "support-router"));
      }
      copies = {
        model: (key) => known.get(key),
        models: () => models,
        owned: (kind) => now.get(kind) ?? [],
      };
    },
    thaw: () => {
      copies = api.copies;
    },
  };
}
