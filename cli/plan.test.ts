import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decisionModel, imageOf, revision } from "../test/support/decision-model.ts";
import { recorded } from "../test/support/terminal.ts";
import { loadCommand, runSluice } from "./dispatch.ts";

const cwd = mkdtempSync(join(tmpdir(), "sluice-plan-"));
afterAll(() => rmSync(cwd, { recursive: true }));

const stable = revision("0123456789abcdef", {
  model: "triage:v1",
  digest: "a".repeat(64),
  image: imageOf("0.12.0"),
  runtimeVersion: "0.12.0",
  placement: "none",
});

/** Plans an edit of the spec of a DecisionModel whose stable revision is triage:v1. */
async function plan(spec: object, { status = {}, there = true, flags = [] as string[] } = {}) {
  const model = decisionModel({ spec: { model: "triage:v1", ...spec } });
  const { apiVersion, kind } = model;
  const edited = { apiVersion, kind, metadata: { name: "triage" }, spec: model.spec };
  writeFileSync(join(cwd, "new.json"), JSON.stringify(edited));
  const old = decisionModel({
    spec: { model: "triage:v1" },
    status: { phase: "Ready", stableRevision: stable, ...status },
  });
  writeFileSync(join(cwd, "old.json"), JSON.stringify(old));
  const argv = ["plan", "new.json", ...(there ? ["--against", "old.json"] : []), ...flags];
  return recorded((terminal) => runSluice(argv, ["plan"], loadCommand, () => "0", terminal), {
    cwd,
  });
}

describe("sluice plan", () => {
  test("says that a first revision begins, and what it needs", async () => {
    const { code, out } = await plan({ device: "cuda", replicas: 2 }, { there: false });
    expect(code).toBe(0);
    expect(out).toContain("a roll-out begins");
    expect(out).toContain("it is the first revision");
    expect(out).toContain("runs 2 pods at most (2 of the new revision), 2 GPUs");
    expect(out).toContain("makes a volume of 10Gi (ReadWriteOnce)");
  });

  test("says which fields make another revision, and what it costs beside what serves", async () => {
    const { code, out } = await plan({ model: "triage:v2", device: "cuda" });
    expect(code).toBe(0);
    expect(out).toContain("spec.model: triage:v1 -> triage:v2");
    expect(out).toContain("spec.device: cpu -> cuda");
    expect(out).toContain("runs 2 pods at most (1 of the new revision), 2 GPUs");
    expect(out).toContain("evaluates nothing");
    expect(out).not.toContain("spec.image");
  });

  test("says that it will be evaluated, approved, and what it stops", async () => {
    const evaluation = {
      datasetRef: { configMapRef: { name: "tickets", key: "cases.jsonl" } },
      minAccuracy: "0.90",
    };
    const manual = await plan({ model: "triage:v2", rollout: { promotion: "Manual", evaluation } });
    expect(manual.out).toContain("evaluates it on the dataset");
    expect(manual.out).toContain("waits for a person's approval, then it replaces what serves");
    const alone = await plan({ model: "triage:v2", rollout: { strategy: "Recreate" } });
    expect(alone.out).toContain("stops what serves before the new revision starts");
    expect(alone.out).toContain("runs 1 pod at most");
  });

  test("says that nothing rolls out for what is no part of a revision", async () => {
    const { code, out } = await plan({ replicas: 5 });
    expect({ code, out }).toEqual({
      code: 0,
      out: "DecisionModel triage: no roll-out, the spec means what serves.\n",
    });
  });

  test("says which candidate is given up, and that a failed one needs a retry", async () => {
    const candidate = { ...stable, hash: "fedcba9876543210", model: "triage:v3" };
    const back = await plan({}, { status: { candidateRevision: candidate } });
    expect(back.out).toContain("gives the candidate triage:v3 up");
    const failed = await plan({ model: "triage:v3" }, { status: { failedRevision: candidate } });
    expect(failed.out).toContain("set the annotation decisionmodel.io/retry");
  });

  test("says what the evaluator or the API server would refuse", async () => {
    const foreign = await plan({ model: "registry.example.org/triage:v2" });
    expect(foreign.code).toBe(1);
    expect(foreign.out).toContain("RegistryNotAllowed");
    const allowed = ["--allowed-registries=registry.example.org"];
    const { code } = await plan({ model: "registry.example.org/triage:v2" }, { flags: allowed });
    expect(code).toBe(0);
    const invalid = await plan({ replicas: -1 });
    expect(invalid.code).toBe(1);
    expect(invalid.out).toMatch(/would be refused:\n {2}spec.replicas: /);
  });

  test("refuses files and flags that it can't use", async () => {
    const both = await plan({}, { flags: ["--kubeconfig", "x"] });
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining("give one") });
    writeFileSync(join(cwd, "other.yaml"), "apiVersion: v1\nkind: Pod\n");
    const run = (...argv: string[]) =>
      recorded((terminal) => runSluice(argv, ["plan"], loadCommand, () => "0", terminal), { cwd });
    expect((await run("plan", "other.yaml")).err).toContain("holds no DecisionModel");
    expect((await run("plan", "missing.yaml")).code).toBe(2);
    expect((await run("plan")).err).toContain("name the file");
  });
});
