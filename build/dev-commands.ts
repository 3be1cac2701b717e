import { existsSync, globSync } from "node:fs";
import { pack } from "./pack.ts";
import { addCounts, type Counts, countsLine, runSuites } from "./suites.ts";
import { root, runCaptured, runThrough, tool } from "./tools.ts";

/** One command of `./sluice-dev`; resolves to its exit code. */
export interface DevCommand {
  readonly summary: string;
  run(arguments_: readonly string[]): Promise<number>;
}

/** Type-checks and lints side by side; prints what they find and counts each as one check. */
async function checkSources(): Promise<Counts> {
  const checks = [
    { name: "types", command: tool("typescript", "tsc", ["-p", "."]) },
    { name: "lint", command: tool("@biomejs/biome", "biome", ["check", "--error-on-warnings"]) },
  ];
  const ends = await Promise.all(
    checks.map(async ({ name, command }) => ({ name, ...(await runCaptured(command)) })),
  );
  for (const { name, code, output } of ends) {
    process.stdout.write(code === 0 ? `${name}: ok\n` : `${name}: failed\n${output}\n`);
  }
  const failed = ends.filter(({ code }) => code !== 0).length;
  return { passed: ends.length - failed, failed, skipped: 0 };
}

function end(counts: Counts): number {
  process.stdout.write(`${countsLine(counts)}\n`);
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

/** Runs a file of the tree with the Node that runs this, or says that the tree has no such file. */
async function runFile(path: string, arguments_: readonly string[]): Promise<number> {
  if (existsSync(`${root}/${path}`)) return runThrough([process.execPath, path, ...arguments_]);
  process.stderr.write(`sluice-dev: there is no ${path} in ${root}\n`);
  return 1;
}

/** Every command by its name, in the order of the help. */
export const commands: Readonly<Record<string, DevCommand>> = {
  test: {
    summary: "Type-check, lint and run every suite that needs no control plane; [PATH...] narrows",
    async run(paths) {
      const checked = paths.length === 0 ? await checkSources() : addCounts();
      if (paths.length === 0) {
        process.stdout.write(
          "left out: control-plane suites; `npm run test:controlplane` runs them\n",
        );
      }
      return end(addCounts(checked, await runSuites(paths, {})));
    },
  },
  check: {
    summary: "Type-check, lint, and check that imports obey the floors",
    run: async () =>
      end(addCounts(await checkSources(), await runSuites(["test/floors.test.ts"], {}))),
  },
  generate: {
    summary: "Generate types from the API definitions in package/",
    run: (rest) => runFile("build/generate.ts", rest),
  },
  golden: {
    summary: "Rewrite the expected outputs beside the examples; [PATH...] narrows",
    run: async (paths) => end(await runSuites(paths, { UPDATE_GOLDEN: "1" })),
  },
  fuzz: {
    summary: "Run every test/fuzz/*.fuzz.ts; [--runs N] sets how often",
    async run(rest) {
      const files = globSync("test/fuzz/*.fuzz.ts", { cwd: root }).sort();
      const counts = { passed: 0, failed: 0, skipped: 0 };
      for (const file of files) {
        const code = await runThrough([process.execPath, file, ...rest]);
        counts[code === 0 ? "passed" : "failed"] += 1;
        process.stdout.write(`${file}: ${code === 0 ? "ok" : `failed, exit code ${code}`}\n`);
      }
      return end(counts);
    },
  },
  controlplane: {
    summary: "Run the suites against a real control plane, built from Go modules first",
    run: (rest) => runFile("test/controlplane/run.ts", rest),
  },
  bench: {
    summary: "Run the side-by-side benchmarks",
    run: (rest) => runFile("bench/main.ts", rest),
  },
  pack: {
    summary: "Build dist/ and pack sluice as an npm package; [--dist-only] stops before packing",
    run: pack,
  },
};
