import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCommand, runSluice } from "../cli/dispatch.ts";
import type { KubeObject } from "../kube/object.ts";
import { deployment, inferenceCluster, pool } from "./support/deployment.ts";
import { recorded } from "./support/terminal.ts";

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "sluice-diff-"));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const named = (name: string, spec: Record<string, unknown> = {}): KubeObject => {
  const object = deployment(spec);
  return { ...object, metadata: { name, namespace: "ml-team" } };
};

/** Writes a directory of the fleet, of one node, and these deployments. */
function write(directory: string, ...deployments: readonly KubeObject[]): void {
  const clusters = [inferenceCluster("a", [pool("gpu", 1)])];
  for (const [file, objects] of [
    ["xr.yaml", deployments],
    ["required.yaml", clusters],
  ] as const) {
    mkdirSync(join(cwd, directory), { recursive: true });
    const text = objects.map((object) => JSON.stringify(object)).join("\n---\n");
    writeFileSync(join(cwd, directory, file), text);
  }
}

const diff = () =>
  recorded(
    (terminal) => {
      const argv = ["preview", "new", "--diff", "old", "--assume", "ready"];
      return runSluice(argv, ["preview"], loadCommand, () => "0", terminal);
    },
    { cwd },
  );

describe("--diff", () => {
  test("goes on with the nodes that a deleted deployment gives back", async () => {
    write("old", named("chat"), named("waiting"));
    write("new", named("waiting"));
    const { code, out, err } = await diff();
    expect(out).toMatch(/- ModelReplica chat-\w{5} +deleted/);
    expect(out).toMatch(/\+ ModelReplica waiting-\w{5} +created/);
    expect({ code, err }).toEqual({ code: 3, err: "" });
  });

  test("notes that some replicas have no place, and counts what has one as a change", async () => {
    write("old", named("chat", { replicas: 0 }));
    write("new", named("chat", { replicas: 2 }));
    const { code, out, err } = await diff();
    expect(out).toMatch(/\+ ModelReplica chat-\w{5} +created/);
    expect(code).toBe(3);
    expect(err).toMatch(/^note: ModelDeployment ml-team\/chat: 1 of 2 replicas scheduled: /);
    expect(err).not.toContain("is held");
  });

  test("notes a pause where an edit changes nothing for it", async () => {
    write("old", named("chat"));
    const paused = named("chat", { rollout: { pause: true } });
    const edited = JSON.stringify(paused).replace("engine:1", "engine:2");
    write("new", JSON.parse(edited));
    const { code, out, err } = await diff();
    expect({ code, out }).toEqual({ code: 0, out: "Nothing changes.\n" });
    expect(err).toMatch(
      /^note: ModelDeployment ml-team\/chat: 0 of 1 .* spec\.rollout\.pause is true/,
    );
  });
});
