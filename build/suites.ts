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

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Runs the vitest suites under the given paths (all without any); prints only failures. */
export async function runSuites(
  paths: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Counts> {
  const directory = mkdtempSync(join(tmpdir(), "sluice-test-"));
  const file = join(directory, "report.json");
  const reporters = ["--reporter=minimal", "--reporter=json", `--outputFile.json=${file}`];
  try {
    const code = await runThrough(tool("vitest", "vitest", ["run", ...reporters, ...paths]), env);
    const counts = countReport(JSON.parse(readFileSync(file, "utf8")) as Report);
    // An error outside of every test must not pass.
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } catch (error) {
    process.stderr.write(`sluice-dev: vitest left no report: ${(error as Error).message}\n`);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A file that failed before its first test counts as one failure. */
function countReport(report: Report): Counts {
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
