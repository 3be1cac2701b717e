// `node test/rule-updates/record.ts REFEREE [COUNT] [SEED]` writes test/rule-updates/verdicts.jsonl.gz:
// what the API server's own packages make of generated objects and updates of the kinds in
// `schemas.ts`, and of updates between the recorded specs of our own kind. REFEREE is a program that
// answers a line of JSON for each line {"op":"validate","crd","object","old"}, over
// k8s.io/apiextensions-apiserver v0.37.2; the tests themselves only read what was recorded.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { parse } from "yaml";
import { compositeSchema } from "../../schema/crossplane.ts";
import { createRandom } from "../fuzz/random.ts";
import { questions } from "./generate.ts";
import { definitionOf, kindOf, type Schema, SPECS } from "./schemas.ts";

const [referee = "", count = "1440", seed = "7"] = process.argv.slice(2);
const OWN_UPDATES = 240;

const text = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const xrd = parse(text("../../package/apis/modelreplicas/definition.yaml"));
const own = compositeSchema(xrd.spec.versions[0].schema.openAPIV3Schema, xrd.spec);
const specs = text("../verdicts/apiserver.jsonl")
  .trim()
  .split("\n")
  .map((line) => (JSON.parse(line) as { spec?: unknown }).spec ?? {});

/** Updates of our own kind: from one recorded spec to another, or to itself with another engine. */
const ours = Array.from({ length: OWN_UPDATES }, (_, run) => {
  const random = createRandom(Number(seed), run);
  const [old, other] = [random.pick(specs), random.pick(specs)];
  const spec = random.once(2) ? other : { ...(old as object), clusterName: "moved" };
  return { kind: "ModelReplica", spec, old };
});
const ownKind = {
  ...definitionOf("modelReplica", undefined),
  spec: {
    group: "modelplane.ai",
    scope: "Namespaced",
    names: { plural: "modelreplicas", kind: "ModelReplica" },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: own },
        subresources: { status: {} },
      },
    ],
  },
};

const asked = [...questions(Number(seed), Number(count)), ...ours];
const requests = asked.map(({ kind, spec, old }) => {
  const isOwn = kind === "ModelReplica";
  const crd: Schema = isOwn ? ownKind : definitionOf(kind, SPECS[kind]);
  const whole = (one: unknown) => ({
    apiVersion: isOwn ? "modelplane.ai/v1alpha1" : "example.org/v1",
    kind: isOwn ? kind : kindOf(kind),
    metadata: { name: "a", namespace: "default" },
    spec: one,
  });
  const request = { op: "validate", crd, object: whole(spec) };
  return old === undefined ? request : { ...request, old: whole(old) };
});
const input = `${requests.map((request) => JSON.stringify(request)).join("\n")}\n`;
const run = spawnSync(referee, { input, maxBuffer: 2 ** 30 });
const answers = run.stdout.toString().trim().split("\n");
const lines = asked.map((question, index) => {
  const { errors, stored, fatal } = JSON.parse(answers[index] ?? "{}");
  if (fatal !== undefined) throw new Error(`${JSON.stringify(question)}: ${fatal}`);
  const causes = errors.map((one: Record<string, string>) => [one.type, one.field, one.error]);
  return JSON.stringify({ ...question, causes, stored: stored.spec });
});
const file = new URL("verdicts.jsonl.gz", import.meta.url);
writeFileSync(file, gzipSync(`${lines.join("\n")}\n`, { level: 9 }));
