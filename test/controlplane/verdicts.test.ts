import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalJson } from "../../kube/canonical.ts";
import { field, isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import { mutateJson } from "../fuzz/mutations.ts";
import { createRandom } from "../fuzz/random.ts";
import { type Answer, pathOf } from "./client.ts";
import { ControlPlane } from "./control-plane.ts";
import { exampleFiles, installApis, readObjects, startCrossplane } from "./crossplane.ts";
import { definitionOf, shippedKinds } from "./kinds.ts";

/** How many damaged objects of each kind are judged. */
const EACH = 600;
const SEED = 20_261_201;
const AT_ONCE = 8;

let plane: ControlPlane;
beforeAll(async () => {
  plane = await ControlPlane.start();
  await startCrossplane(plane);
  await installApis(plane);
});
afterAll(() => plane?.stop());

/** Valid objects of a kind, to damage: those of the examples, without status. */
function originals(kind: string): readonly KubeObject[] {
  return exampleFiles
    .flatMap((file) => readObjects(`examples/${file}`))
    .filter((object) => object.kind === kind)
    .map(({ apiVersion, spec }) => ({ apiVersion, kind, spec }));
}

/** An object with one to three places of its spec damaged; the same number gives the same object. */
function damaged(objects: readonly KubeObject[], run: number): KubeObject {
  const random = createRandom(SEED, run);
  const { spec, ...rest } = random.pick(objects);
  let changed: unknown = structuredClone(spec);
  for (let count = random.below(4); count > 0; count--) changed = mutateJson(random, changed);
  return { ...rest, metadata: { name: "x" }, spec: changed };
}

/** JSON can't tell whole numbers beyond 2^53 apart, so what is sent need not be what was judged. */
const TOO_LARGE = /[0-9]{17}/;

/** What both sides say: accepted with what is stored, or refused at which fields. */
function told(findings: readonly string[], stored: unknown): string {
  return findings.length > 0
    ? `refused: ${[...findings].sort().join(", ")}`
    : `stored: ${canonicalJson(stored)}`;
}

function byServer({ status, body }: Answer): string {
  if (status < 300) return told([], field(body, "spec"));
  const causes = listField(body, "details", "causes").map(
    (cause) => stringField(cause, "field") ?? "",
  );
  return causes.length > 0
    ? told(causes, undefined)
    : `refused: ${status} ${stringField(body, "message")}`;
}

describe("sluice and the API server agree on damaged objects: fields, and what is stored", () => {
  test.each([...shippedKinds.keys()])("%s", async (kind) => {
    const { plural } = shippedKinds.get(kind) as { plural: string };
    const objects = originals(kind);
    expect(objects.length).toBeGreaterThan(0);
    const namespaced = definitionOf(kind).namespaced;
    const disagreements: string[] = [];
    let accepted = 0;
    const judge = async (run: number) => {
      const object = damaged(objects, run);
      if (TOO_LARGE.test(JSON.stringify(object))) return;
      const metadata = { ...object.metadata, ...(namespaced ? { namespace: "default" } : {}) };
      const sent = { ...object, metadata };
      const path = `${pathOf(sent, plural, "")}?dryRun=All`;
      const server = byServer(await plane.client.create(path, sent));
      const { findings, object: stored } = definitionOf(kind).check(sent);
      const ours = told(
        findings.map((finding) => finding.field),
        stored.spec,
      );
      if (server.startsWith("stored")) accepted++;
      if (ours === server) return;
      disagreements.push(`${JSON.stringify(sent)}\n  sluice: ${ours}\n  server: ${server}`);
    };
    for (let run = 0; run < EACH; run += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => judge(run + at)));
    }
    expect(disagreements.slice(0, 3).join("\n")).toBe("");
    expect(isRecord(objects[0]?.spec) && accepted > EACH / 10).toBe(true);
  });
});
