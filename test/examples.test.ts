import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { loadCommand, runSluice } from "../cli/dispatch.ts";
import { expectGolden } from "./golden.ts";
import { fleetExample } from "./support/fleet-example.ts";
import { recorded } from "./support/terminal.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const examples = readdirSync(join(root, "examples"), { withFileTypes: true })
  .filter(
    (entry) => entry.isDirectory() && existsSync(join(root, "examples", entry.name, "xr.yaml")),
  )
  .map(({ name }) => name)
  .sort();

/** Runs a command line as `main.ts` does, in the project's directory and without a terminal. */
const sluice = (...argv: string[]) => sluiceIn(undefined, ...argv);

/** The same in a terminal of so many columns. */
function sluiceIn(width: number | undefined, ...argv: string[]) {
  return recorded(
    (terminal) =>
      runSluice(argv, ["explain", "preview", "validate"], loadCommand, () => "0", terminal),
    { cwd: root, width },
  );
}

/**
 * Every directory of examples/ is a test. What its preview prints lies beside it:
 *
 * - `expected.yaml`: `-o yaml`, what Crossplane would apply now;
 * - `expected.tree.txt`: the same as a tree;
 * - `expected.ready.tree.txt`: the tree once everything on the clusters is healthy;
 * - `expected.diff.txt`: what changes from the directory `old/`, where the example has one, once
 *   everything is healthy again;
 * - `expected.explain.txt`: what `sluice explain` says of a deployment on the fleet beside it;
 * - `expected.findings.txt`: what the API server says, for an XR that it refuses. Only such an
 *   example has it, and `sluice validate` must then exit with 1, else with 0.
 */
describe.each(examples)("examples/%s", (name) => {
  const directory = `examples/${name}`;
  const file = (golden: string) => join(root, directory, golden);

  /** Whether the API server refuses the XR, or sluice does. */
  const refused = () =>
    existsSync(file("expected.findings.txt")) || /\bInvalid[A-Z]/.test(tree.out);

  type Ran = Awaited<ReturnType<typeof sluice>>;
  let yaml: Ran;
  let tree: Ran;
  let ready: Ran;
  beforeAll(async () => {
    yaml = await sluice("preview", directory, "-o", "yaml");
    tree = await sluice("preview", directory);
    ready = await sluice("preview", directory, "--assume", "ready");
  });

  test("previews as expected", () => {
    expect(yaml.err).toBe(tree.err);
    // A hint helps a newcomer; that a cluster is missing is the very point of some example.
    const findings = tree.err.replaceAll(/^hint: .*\n/gm, "");
    expectGolden(file("expected.findings.txt"), findings);
    expectGolden(file("expected.yaml"), yaml.out);
    expectGolden(file("expected.tree.txt"), tree.out);
    expectGolden(file("expected.ready.tree.txt"), ready.out);
    const code = refused() ? 1 : 0;
    expect([yaml.code, tree.code, ready.code]).toEqual([code, code, code]);
  });

  if (existsSync(file("old"))) {
    test("changes from old/ as expected", async () => {
      const options = ["--diff", `${directory}/old`, "--assume", "ready"];
      const { out, err, code } = await sluice("preview", directory, ...options);
      expectGolden(file("expected.diff.txt"), `${out}${err}exit code ${code}\n`);
    });
  }

  if (readFileSync(file("xr.yaml"), "utf8").match(/^kind: ModelDeployment$/gm)?.length === 1) {
    test("explains its placement as expected", async () => {
      const explained = await sluice("explain", `${directory}/xr.yaml`, "--fleet", directory);
      expectGolden(file("expected.explain.txt"), explained.out + explained.err);
      expect(explained.code).toBeLessThan(2);
    });
  }

  test("fits into a terminal of 80 columns", async () => {
    const shown = await sluiceIn(80, "preview", directory);
    const lines = shown.out.split("\n");
    expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
  });

  test("is valid exactly if it has no expected findings", async () => {
    const { code } = await sluice("validate", `${directory}/xr.yaml`);
    expect(code).toBe(existsSync(file("expected.findings.txt")) ? 1 : 0);
  });

  test("says in its README what it shows, and uses the Composition that is shipped", () => {
    const readme = readFileSync(file("README.md"), "utf8");
    expect(readme).toMatch(/^# .+\n\n./);
    const own = readFileSync(file("composition.yaml"), "utf8");
    const shipped = readdirSync(join(root, "package/apis")).map((api) =>
      readFileSync(join(root, "package/apis", api, "composition.yaml"), "utf8"),
    );
    expect(shipped).toContain(own);
    expect(readFileSync(file("functions.yaml"), "utf8")).toContain("name: function-sluice");
  });
});

test("the large fleet is what its generator makes", () => {
  expectGolden(join(root, "examples/deployment-fleet-200/required.yaml"), fleetExample());
});

test("there are examples", () => {
  expect(examples).toContain("quickstart");
});
