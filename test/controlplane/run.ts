// `npm run test:controlplane`: builds what is missing, then runs the suites against a real control plane.
import { countsLine, runSuites } from "../../build/suites.ts";
import { buildBinaries, whyNotBuilt } from "./binaries.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);

const reason = whyNotBuilt() ?? (await buildBinaries(print));
if (reason === undefined) {
  const counts = await runSuites(["--config=test/controlplane/vitest.config.ts"], {});
  print(countsLine(counts));
  process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
} else {
  // Not a failure of the project: without Go, or without the modules' proxy, nothing can be said.
  print(`skipped: control-plane suites, because ${reason}`);
  print(countsLine({ passed: 0, failed: 0, skipped: 1 }));
}
