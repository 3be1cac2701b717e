import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCommand, runSluice } from "../cli/dispatch.ts";
import { expectGolden } from "./golden.ts";
import { deployment, engine, inferenceCluster, memoryAtLeast, pool } from "./support/deployment.ts";
import { generateFleet } from "./support/fleet-generate.ts";
import { recorded } from "./support/terminal.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const example = join(root, "examples/explain");
let cwd = "";

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "sluice-explain-"));
  cpSync(example, cwd, { recursive: true });
});
afterAll(() => rmSync(cwd, { recursive: true }));

function explain(argv: readonly string[], settings: { colour?: boolean; input?: string } = {}) {
  return recorded(
    (terminal) => runSluice(["explain", ...argv], ["explain"], loadCommand, () => "0", terminal),
    { cwd, ...settings },
  );
}

const given = ["deployment.yaml", "--fleet", "fleet"];
const whatIf = (...changes: readonly string[]) => [
  ...given,
  ...changes.flatMap((change) => ["--what-if", change]),
];
const jsonOf = async (argv: readonly string[]) =>
  JSON.parse((await explain([...argv, "-o", "json"])).out);

describe("examples/explain", () => {
  test.each([
    ["expected.txt", given, 1],
    ["expected.json", [...given, "-o", "json"], 1],
    ["expected.added.txt", whatIf("add-cluster=rome.yaml"), 0],
    ["expected.drained.txt", whatIf("add-cluster=rome.yaml", "drain=paris"), 0],
    ["expected.fewer.txt", whatIf("replicas=1", "copies=main:2"), 1],
  ])("%s", async (golden, argv, expected) => {
    const { code, out, err } = await explain(argv);
    expectGolden(join(example, golden), out);
    expect({ code, err }).toEqual({ code: expected, err: "" });
  });

  test("text says in colours no more than without", async () => {
    const { out } = await explain(given, { colour: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
    expect(out.replaceAll(/\u001b\[\d+m/g, "")).toBe((await explain(given)).out);
  });

  test("a price decides between clusters that fit alike", async () => {
    const moves = async (...changes: readonly string[]) =>
      (await jsonOf(whatIf("add-cluster=rome.yaml", "replicas=2", ...changes))).moves;
    writeFileSync(
      join(cwd, "two.yaml"),
      ["turin", "udine"]
        .map((name) => JSON.stringify(inferenceCluster(name, [pool("gpu", 1)])))
        .join("\n---\n"),
    );
    const add = ["add-cluster=two.yaml", "price=turin/gpu:50", "price=udine/gpu:30"];
    expect(await moves(...add)).toMatchObject([{ cluster: "udine" }]);
    expect(await moves(...add, "price=turin/gpu:0")).toMatchObject([{ cluster: "turin" }]);
  });
});

describe("what can't be asked says what to do", () => {
  test.each([
    ["no deployment", ["--fleet", "fleet"], "needs the ModelDeployment to explain"],
    ["two deployments", ["a.yaml", "b.yaml"], 'was given "b.yaml" too'],
    ["no fleet", ["deployment.yaml"], "needs the fleet: --fleet PATH or --kubeconfig FILE"],
    ["two fleets", [...given, "--kubeconfig", "k"], "not from both"],
    ["another output", [...given, "-o", "yaml"], '--output is one of text, json, not "yaml"'],
    ["another change", whatIf("add=1"), '--what-if "add=1": is none of add-cluster=FILE'],
    ["no such file", ["nowhere.yaml", "--fleet", "fleet"], "nowhere.yaml: there is no such file"],
    ["no such fleet", ["deployment.yaml", "--fleet", "x"], "x: there is no such file"],
    ["no deployment in it", ["rome.yaml", "--fleet", "fleet"], "rome.yaml: has no ModelDeployment"],
    ["nobody's cluster", whatIf("drain=rome"), 'no InferenceCluster "rome" that the deployment'],
    [
      "a cluster that is there",
      whatIf("add-cluster=fleet/clusters.yaml"),
      'InferenceCluster "lima" already',
    ],
    ["no cluster to add", whatIf("add-cluster=deployment.yaml"), "has no InferenceCluster to add"],
  ])("%s", async (_, argv, message) => {
    const { code, out, err } = await explain(argv);
    expect(err).toContain(message);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });
});

const text = (file: string) => readFileSync(join(cwd, file), "utf8");

describe("a deployment", () => {
  test("that the API server refuses is not explained", async () => {
    const input = text("deployment.yaml").replace("replicas: 2", "replicas: 101");
    const { code, out, err } = await explain(["-", "--fleet", "fleet"], { input });
    expect(err).toContain("spec.replicas");
    expect({ code, out }).toEqual({ code: 1, out: "" });
  });

  test.each([
    ["a selector that does not compile", [" >= 0", " >= "], "InvalidNodeSelector"],
    [
      "a cluster selector that matches none",
      [
        "    spec:\n      engines",
        '    spec:\n      clusterSelector: {matchLabels: {a: "b"}}\n      engines',
      ],
      "NoClusters",
    ],
    [
      "a ModelCache that is not there",
      [
        "    spec:\n      engines",
        "    spec:\n      modelCacheRef: {name: weights}\n      engines",
      ],
      "ModelCacheNotFound",
    ],
  ])("with %s is held as it is, and told why", async (_, [from = "", to = ""], reason) => {
    const input = text("deployment.yaml").replace(from, to);
    expect(input).toContain(to);
    const { code, out } = await explain(["-", "--fleet", "fleet"], { input });
    expect(out).toMatch(/^ModelDeployment ml-team\/chat: its replica is kept as before$/m);
    expect(out).toContain(`${reason}:`);
    expect(code).toBe(1);
    const json = await explain(["-", "--fleet", "fleet", "-o", "json"], { input });
    expect(JSON.parse(json.out)).toMatchObject({ refused: { reason } });
  });

  test("that was never placed is not said to be held, and told what to do next", async () => {
    const input = text("deployment.yaml").replace(" >= 0", " >= ").replace("ml-team", "new");
    const { out } = await explain(["-", "--fleet", "fleet"], { input });
    expect(out).toMatch(/^ModelDeployment new\/chat: nothing is placed$/m);
    expect(out).toMatch(/^next: correct the selector; `sluice cel SELECTOR --with FILE`/m);
    expect(out).not.toContain("held");
  });

  test("whose clusterSelector matches none is shown the labels that there are", async () => {
    const input = text("deployment.yaml").replace(
      "    spec:\n      engines",
      '    spec:\n      clusterSelector: {matchLabels: {a: "b"}}\n      engines',
    );
    const { out } = await explain(["-", "--fleet", "fleet"], { input });
    expect(out).toMatch(/^next: correct clusterSelector or the labels; there are lima \(/m);
  });

  test("by namespace and name needs a control plane", async () => {
    const { err } = await explain(["ml-team/chat", "--fleet", "fleet"]);
    expect(err).toMatch(/NAMESPACE\/NAME is read from a control plane, by --kubeconfig/);
  });

  test("is told of classes that planned clusters lack", async () => {
    const { status: _status, ...planned } = inferenceCluster("planned", "unknown", {
      spec: {
        cluster: { source: "Existing", existing: { secretRef: { name: "k" } } },
        nodePools: [{ name: "gpu", className: "nowhere" }],
      },
    });
    writeFileSync(join(cwd, "planned.yaml"), JSON.stringify(planned));
    const { err, out } = await explain(["deployment.yaml", "--fleet", "planned.yaml"]);
    expect(err).toMatch(/^note: InferenceCluster planned: There is no InferenceClass "nowhere"/m);
    expect(out).toContain("planned: publishes no node pools");
  });

  test("is not explained where a planned cluster would be refused, at its line", async () => {
    const { status: _status, ...planned } = inferenceCluster("planned", "unknown", {
      spec: { cluster: { source: "Exsting", existing: { secretRef: { name: "k" } } } },
    });
    writeFileSync(join(cwd, "planned.yaml"), JSON.stringify(planned));
    const { code, err, out } = await explain(["deployment.yaml", "--fleet", "planned.yaml"]);
    expect(err).toMatch(/^planned\.yaml:1:\d+: InferenceCluster planned: spec\.cluster\.source/m);
    expect(err).toMatch(/^ {2}next: did you mean "Existing"\?$/m);
    expect({ code, out }).toEqual({ code: 1, out: "" });
  });

  test("of another namespace is no owner of a namesake's replicas", async () => {
    const input = text("deployment.yaml").replace("namespace: ml-team", "namespace: other");
    const { out } = await explain(["-", "--fleet", "fleet"], { input });
    expect(out).toContain("held by ml-team/chat (1), ops/batch (1)");
    expect(out).not.toContain("Replicas\n");
  });
});

test("an added cluster that the deployment does not select is told about", async () => {
  const input = text("deployment.yaml").replace(
    "    spec:\n      engines",
    "    spec:\n      clusterSelector: {matchLabels: {tier: gold}}\n      engines",
  );
  writeFileSync(
    join(cwd, "gold.yaml"),
    JSON.stringify(inferenceCluster("gold", undefined, { labels: { tier: "gold" } })),
  );
  const added = ["--what-if", "add-cluster=rome.yaml", "--what-if", "add-cluster=gold.yaml"];
  const { out, err } = await explain(["-", "--fleet", "fleet", ...added], { input });
  expect(err).toContain("InferenceCluster rome is added and not selected");
  expect(err).not.toContain("gold");
  expect(out).toContain("gold: one more replica fits");
});

test("what placement does not depend on is left out, and told about", async () => {
  writeFileSync(join(cwd, "more.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
  const { code, err } = await explain([...given, "--fleet", "more.yaml"]);
  expect(err).toBe("note: what placement does not depend on is left out: ConfigMap\n");
  expect(code).toBe(1);
});

test("a fleet of 200 clusters is explained whole as JSON, and alike clusters together as text", async () => {
  const { clusters, replicas } = generateFleet({
    clusters: 200,
    poolsPerCluster: 2,
    devicesPerPool: 2,
    replicas: 300,
  });
  writeFileSync(
    join(cwd, "many.json"),
    JSON.stringify({ apiVersion: "v1", kind: "List", items: [...clusters, ...replicas] }),
  );
  const wanted = deployment({ replicas: 3 }, { engines: [engine({}, [memoryAtLeast(999)])] });
  writeFileSync(join(cwd, "wanted.json"), JSON.stringify(wanted));
  const argv = ["wanted.json", "--fleet", "many.json"];
  const explained = await jsonOf(argv);
  expect(explained.clusters).toHaveLength(200);
  expect(explained).toMatchObject({ desired: 3, placed: 0, end: { missing: 3, settled: true } });
  const { out } = await explain(argv);
  expect(out).toContain(explained.line.slice(0, 20));
  expect(out).toMatch(/^\S+, \S+, \S+, \S+ and \d+ more: not ready: /m);
  expect(Math.max(...out.split("\n").map((line) => [...line].length))).toBeLessThanOrEqual(100);
});

describe("a fleet from files", () => {
  test.each([
    ["preview", ["preview", "piped"]],
    ["explain", ["explain", "deployment.yaml", "--fleet", "piped"]],
    ["explain", ["explain", "deployment.yaml", "--fleet", "piped/fleet.yaml"]],
  ])("%s does not wait for a named pipe that nobody writes to", async (_, argv) => {
    mkdirSync(join(cwd, "piped"), { recursive: true });
    if (!existsSync(join(cwd, "piped/fleet.yaml"))) {
      execFileSync("mkfifo", [join(cwd, "piped/fleet.yaml")]);
    }
    const { code, err } = await recorded(
      (terminal) => runSluice(argv, [argv[0] ?? ""], loadCommand, () => "0", terminal),
      { cwd },
    );
    expect(code).toBe(2);
    expect(err).toContain("piped/fleet.yaml: is a named pipe; hand it in on standard input");
  });

  test("may hold metadata: null, which the API server takes for none", async () => {
    const cluster = { ...inferenceCluster("x"), metadata: null };
    writeFileSync(join(cwd, "null.yaml"), JSON.stringify(cluster));
    const { code, err } = await explain(["deployment.yaml", "--fleet", "null.yaml"]);
    expect(code).toBe(0);
    expect(err).toMatch(/null\.yaml:1:\d+: warning: InferenceCluster.*metadata\.name/);
  });

  test("is warned of where the API server would not have stored it so", async () => {
    const twice = [4, 1].map((nodes) => JSON.stringify(inferenceCluster("x", [pool("p", nodes)])));
    writeFileSync(join(cwd, "twice.yaml"), twice.join("\n---\n"));
    const { err } = await explain(["deployment.yaml", "--fleet", "twice.yaml"]);
    expect(err).toContain("twice.yaml:3: warning: InferenceCluster x is given twice, differently");
  });
});
