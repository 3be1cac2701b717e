import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSource } from "../cli/source.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import type { KubeObject } from "../kube/object.ts";
import { compare } from "./measure.ts";

const example = new URL("../examples/two-engines/xr.yaml", import.meta.url);
const FILES = 1_000;
const STARTS = 5;

/** Prints what a verdict costs: in this process, over a folder, and for the first answer on one file. */
export function benchValidate(print: (line?: string) => void): void {
  print("\nsluice validate, a ModelReplica of two engines: schema and all 29 rules, on one core");
  inProcess(print);
  const directory = mkdtempSync(join(tmpdir(), "sluice-bench-validate-"));
  try {
    const text = readFileSync(example);
    for (let index = 0; index < FILES; index++) {
      writeFileSync(join(directory, `${index}.yaml`), text);
    }
    const launcher = fileURLToPath(new URL("../sluice", import.meta.url));
    const one = median(() => run(launcher, fileURLToPath(example)));
    const all = median(() => run(launcher, directory));
    const bare = median(() => run(process.execPath, "-e", "0"));
    print(`  first answer on one file: ${seconds(one)}; Node.js alone: ${seconds(bare)}`);
    print(`  a folder of ${FILES} files: ${seconds(all)}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function inProcess(print: (line?: string) => void): void {
  const source = readSource(readFileSync(example));
  const object = (source.ok ? source.documents[0]?.value : undefined) as KubeObject;
  const definition = shippedDefinitions().get(`${object.apiVersion}/${object.kind}`);
  if (definition === undefined || definition.check(object).findings.length > 0) {
    throw new Error("the example is not valid");
  }
  const json = JSON.stringify(object);
  const { ours, parse } = compare({
    ours: () => void definition.check(object),
    parse: () => void JSON.parse(json),
  });
  const rate = (milliseconds: number) => `${Math.round(1_000 / milliseconds)}/s`;
  const ratio = (theirs: number) => `${(ours.wallMilliseconds / theirs).toFixed(1)}x`;
  print(`  ours, pruned, defaulted and judged: ${rate(ours.wallMilliseconds)}`);
  print(
    `  JSON.parse of the same object: ${rate(parse.wallMilliseconds)}, ours takes ${ratio(parse.wallMilliseconds)} as long`,
  );
}

function run(command: string, ...arguments_: readonly string[]): void {
  const all = command === process.execPath ? arguments_ : ["validate", ...arguments_];
  const { status, stderr } = spawnSync(command, all, { maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`exit code ${status}: ${stderr}`);
}

function median(work: () => void): number {
  const times = Array.from({ length: STARTS }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return times.sort((left, right) => left - right)[Math.floor(STARTS / 2)] ?? Number.NaN;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(2)} s`;
}
