import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const main = fileURLToPath(new URL("../cli/main.ts", import.meta.url));
const broken = "apiVersion: modelplane.ai/v1alpha1\nkind: ModelReplica\nmetadata: {name: a}\n";

/** Starts watching a directory; `told` resolves once the output since its last call holds a text. */
function watching(directory: string) {
  const child = spawn(process.execPath, [main, "validate", "--watch", directory]);
  let seen = "";
  let wake = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      seen += chunk;
      wake();
    });
  }
  const ended = once(child, "exit");
  void ended.then(() => wake());
  const told = async (text: string): Promise<string> => {
    while (!seen.includes(text)) {
      if (child.exitCode !== null) throw new Error(`ended before it told ${text}: ${seen}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const all = seen;
    seen = "";
    return all;
  };
  return { child, ended, told };
}

it("sluice validate --watch judges again on a change, and ends cleanly on SIGINT", async () => {
  const directory = mkdtempSync(join(tmpdir(), "sluice-watch-"));
  try {
    const file = join(directory, "a.yaml");
    writeFileSync(file, "a: [");
    const { child, ended, told } = watching(directory);
    expect(await told("watching for changes")).toContain("a.yaml:1:5: ");
    writeFileSync(file, broken);
    const second = await told("watching for changes");
    expect(second).toContain("spec: Required value");
    child.kill("SIGINT");
    expect(await ended).toEqual([1, null]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it("sluice validate --watch outlives its directory, and goes on when that comes again", async () => {
  const above = mkdtempSync(join(tmpdir(), "sluice-watch-"));
  const directory = join(above, "manifests");
  try {
    mkdirSync(directory);
    writeFileSync(join(directory, "a.yaml"), "a: [");
    const { child, ended, told } = watching(directory);
    await told("a.yaml:1:5: ");
    rmSync(directory, { recursive: true });
    await told("there is no such file or directory");
    mkdirSync(directory);
    writeFileSync(join(directory, "b.yaml"), broken);
    await told("b.yaml:1:1: ");
    child.kill("SIGTERM");
    expect(await ended).toEqual([1, null]);
  } finally {
    rmSync(above, { recursive: true });
  }
});
