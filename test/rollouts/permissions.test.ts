import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { KINDS } from "../../evaluator/controller/kinds.ts";
import type { ApiRequest } from "../../evaluator/simulation/memory-client.ts";
import { type KubeObject, listField, stringField } from "../../kube/object.ts";
import { names, playTimeline, timelineOf } from "./timelines.ts";

const file = fileURLToPath(new URL("../../package/evaluator/rbac.yaml", import.meta.url));
const objects = parseAllDocuments(readFileSync(file, "utf8")).map(
  (document) => document.toJS() as KubeObject,
);

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const rulesOf = (kind: string) =>
  objects
    .filter((object) => object.kind === kind)
    .flatMap((object) => listField(object, "rules") as readonly Rule[]);

/** `group/resource verb`, one for each thing that a list of rules allows. */
function allowed(rules: readonly Rule[]): readonly string[] {
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`)),
    ),
  );
}

/** Allowed though no roll-out here needs it, and why. */
const BEYOND = [
  // Asked only of an object that a lost answer or somebody else has made.
  "/persistentvolumeclaims get",
  "batch/jobs get",
  "apps/deployments get",
  "policy/poddisruptionbudgets get",
  // Checked by an admission plugin when objects with owner references are made.
  "decisionmodel.io/decisionmodels/finalizers update",
];

const VERBS: Readonly<Record<ApiRequest["verb"], string>> = {
  get: "get",
  list: "list",
  watch: "watch",
  create: "create",
  replace: "update",
  patch: "patch",
  delete: "delete",
};

function needed({ verb, kind, isStatus }: ApiRequest): string {
  const known = Object.values(KINDS).find((one) => one.kind === kind);
  if (known === undefined) throw new Error(`nobody knows the kind ${kind}`);
  const [group = "", version] = known.apiVersion.split("/");
  const resource = isStatus ? `${known.plural}/status` : known.plural;
  return `${version === undefined ? "" : group}/${resource} ${VERBS[verb]}`;
}

describe("the evaluator's permissions", () => {
  test("are just what its roll-outs ask for", async () => {
    const asked = new Set<string>();
    for (const name of names) {
      await playTimeline(timelineOf(name), {
        requested: (request) => void asked.add(needed(request)),
      });
    }
    const rules = allowed(rulesOf("ClusterRole"));
    expect([...asked].filter((one) => !rules.includes(one))).toEqual([]);
    expect(rules.filter((one) => !asked.has(one) && !BEYOND.includes(one))).toEqual([]);
  });

  test("have no wildcard, and of Secrets and ConfigMaps only those that are named", () => {
    const all = [...rulesOf("ClusterRole"), ...rulesOf("Role")];
    expect(JSON.stringify(all)).not.toContain("*");
    const rules = allowed(all);
    const of = (resource: string) => rules.filter((one) => one.startsWith(`/${resource} `));
    expect(of("secrets")).toEqual(["/secrets get"]);
    expect(of("configmaps")).toEqual([
      "/configmaps get",
      "/configmaps create",
      "/configmaps delete",
    ]);
  });

  test("are bound to the evaluator's own account alone", () => {
    for (const binding of objects.filter(({ kind }) => kind.endsWith("Binding"))) {
      const [subject, ...others] = listField(binding, "subjects");
      expect(others).toEqual([]);
      expect(stringField(subject, "name")).toBe("sluice-evaluator");
      expect(stringField(binding, "roleRef", "name")).toBe("sluice-evaluator");
    }
  });
});
