import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const main = fileURLToPath(new URL("../cli/main.ts", import.meta.url));
const broken = "apiVersion: modelplane.ai/v1alpha1\nkind: ModelReplica\nmetadata: {name: a}\n";

it("sluice validate --watch judges again on a change, and ends cleanly on SIGINT", async () => {
  const directory = mkdtempSync(join(tmpdir(), "sluice-watch-"));
  try {
    const file = join(directory, "a.yaml");
    writeFileSync(file, "a: [");
    const child = spawn(process.execPath, [main, "validate", "--watch", directory]);
    let seen = "";
    const told = async (text: string) => {
      while (!seen.includes(text)) {
        const [chunk] = await Promise.race([
          once(child.stdout, "data"),
          once(child.stderr, "data"),
        ]);
        seen += chunk;
      }
    };
    child.stdout.setEncoding("utf8");
    child.stderr.setEncoding("utf8");
    await told("watching for changes");
    expect(seen).toContain("a.yaml:1:5: ");
    seen = "";
    writeFileSync(file, broken);
    await told("spec: Required value");
    await told("watching for changes");
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([1, null]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
