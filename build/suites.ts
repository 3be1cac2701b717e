import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runThrough, tool } from "./tools.ts";

/** How many tests or checks ended in which way. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Adds up counts; none at all are zeros. */
export function addCounts(...all: readonly Counts[]): Counts {
  const sum = (key: keyof Counts) => all.reduce((total, counts) => total + counts[key], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** The line that ends a test run; CI reads it. */
export function countsLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Runs the vitest suites under the given paths (all without any); prints only failures. */
export async function runSuites(
  paths: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Counts> {
  const directory = mkdtempSync(join(tmpdir(), "sluice-test-"));
  const file = join(directory, "counts.json");
  const reporters = ["--reporter=minimal", "--reporter=./build/count-reporter.ts"];
  const colour: Readonly<Record<string, string>> =
    process.stdout.isTTY || process.env.FORCE_COLOR !== undefined ? {} : { NO_COLOR: "1" };
  try {
    const vitest = tool("vitest", "vitest", ["run", ...reporters, ...paths]);
    const code = await runThrough(vitest, { SLUICE_COUNTS: file, ...colour, ...env });
    const counts = JSON.parse(readFileSync(file, "utf8")) as Counts;
    // Whatever makes vitest itself fail must not pass.
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } catch (error) {
    process.stderr.write(`sluice-dev: vitest left no counts: ${(error as Error).message}\n`);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
