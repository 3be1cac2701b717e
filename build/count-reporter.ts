import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import type { Counts } from "./suites.ts";

/**
 * A vitest reporter that writes the run's counts as JSON to the file that `SLUICE_COUNTS` names, and
 * says of each skipped test why. A file that fails outside of its tests counts as one failure.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      const before = counts.failed;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "passed" || result.state === "failed") {
          counts[result.state] += 1;
          continue;
        }
        counts.skipped += 1;
        const why =
          (result.state === "skipped" && result.note) || "its condition does not hold here";
        process.stdout.write(
          `skipped: ${module.relativeModuleId} > ${test.fullName}, because ${why}\n`,
        );
      }
      if (!module.ok() && counts.failed === before) counts.failed += 1;
    }
    const file = process.env.SLUICE_COUNTS;
    if (file !== undefined) writeFileSync(file, JSON.stringify(counts satisfies Counts));
  }
}
