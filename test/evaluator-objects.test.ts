import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { DecisionModel } from "../api/gen/decisionmodels.ts";
import { parseModelName } from "../api/model-name.ts";
import { advance } from "../evaluator/rollout/advance.ts";
import type { Decision } from "../evaluator/rollout/decision.ts";
import { DEFAULT_SETTINGS } from "../evaluator/rollout/settings.ts";
import type { World } from "../evaluator/rollout/world.ts";
import { allDefinitions } from "../functions/shipped.ts";
import type { KubeObject } from "../kube/object.ts";
import { expectGolden } from "./golden.ts";
import { byName, DIGEST, emptyWorld, made, NOW, UID } from "./support/decision-model.ts";

const folder = join(import.meta.dirname, "evaluator-objects");
const settings = {
  ...DEFAULT_SETTINGS,
  allowedRegistries: ["ollaya.dev", "registry.example:5000"],
  huggingFaceEndpoint: "https://weights.example",
  proxy: { HTTPS_PROXY: "http://proxy.example:3128", NO_PROXY: ".svc,10.0.0.0/8" },
};

/** A DecisionModel as the API server stores what a file says. */
function stored(file: string): DecisionModel {
  const object = parse(readFileSync(file, "utf8")) as KubeObject;
  const checked = allDefinitions().get(`${object.apiVersion}/${object.kind}`)?.check(object);
  expect(checked?.findings).toEqual([]);
  const model = checked?.object as DecisionModel;
  return { ...model, metadata: { ...model.metadata, uid: UID, generation: 1 } };
}

const createdBy = ({ prepare, followUp }: Decision) =>
  [...prepare, ...followUp].flatMap((action) => (action.type === "Create" ? [action.object] : []));

test.each(readdirSync(folder))("all objects of %s are as they should be", (name) => {
  const model = stored(join(folder, name, "decisionmodel.yaml"));
  const parsed = parseModelName(model.spec.model, "ollaya.dev");
  expect(parsed).toMatchObject({ ok: true });
  const key = (checksum: string, isSet: boolean) =>
    isSet ? ({ state: "usable", checksum } as const) : ({ state: "none" } as const);
  const world: World = emptyWorld({
    runs: new Map([
      [
        `resolve/${model.spec.model}`,
        {
          running: false,
          latest: {
            at: NOW,
            failures: 0,
            result: {
              type: "Resolve",
              outcome: {
                state: "resolved",
                digest: DIGEST,
                manifest: "eyJzY2hlbWFWZXJzaW9uIjoyfQ==",
              },
            },
          },
        },
      ],
    ]),
    apiKey: key("0011223344556677", model.spec.auth !== undefined),
    downloadToken: key("8899aabbccddeeff", model.spec.cache?.downloadTokenSecretRef !== undefined),
  });

  const admitted = advance(model, world, settings);
  const downloads = createdBy(admitted);
  const { candidateRevision } = admitted.status;
  expect(candidateRevision).toBeDefined();
  const serving = {
    ...model,
    status: { phase: "Ready", ...(candidateRevision && { stableRevision: candidateRevision }) },
  };
  const claims = byName(
    ...downloads.filter(({ kind }) => kind === "PersistentVolumeClaim").map((one) => made(one)),
  );
  const serves = createdBy(advance(serving, { ...world, claims }, settings));

  const text = [...downloads, ...serves]
    .map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join("---\n");
  expectGolden(join(folder, name, "expected.yaml"), text);
});
