import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { loadCommand, runSluice } from "../cli/dispatch.ts";
import { field, type KubeObject } from "../kube/object.ts";
import { type Ran, recorded } from "./support/terminal.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const quickstart = join(root, "examples/replica");
let cwd = "";

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "sluice-preview-"));
});
afterAll(() => rmSync(cwd, { recursive: true }));
beforeEach(() => {
  for (const name of ["old", "new"]) {
    rmSync(join(cwd, name), { recursive: true, force: true });
    cpSync(quickstart, join(cwd, name), { recursive: true });
  }
});

function preview(
  argv: readonly string[],
  colour = false,
  width?: number,
  input = "",
): Promise<Ran> {
  return recorded(
    (terminal) => runSluice(["preview", ...argv], ["preview"], loadCommand, () => "0", terminal),
    { cwd, colour, width, input },
  );
}

/** Replaces text in a file of the temporary directory; it must be there. */
function edit(file: string, from: string, to: string): void {
  const text = readFileSync(join(cwd, file), "utf8");
  expect(text).toContain(from);
  writeFileSync(join(cwd, file), text.replace(from, to));
}

const documentsOf = (text: string) =>
  (parseAllDocuments(text) as { toJS(): unknown }[]).map((one) => one.toJS() as KubeObject);

describe("-o yaml", () => {
  test("prints the XR, its resources by key and the results, each in canonical order", async () => {
    const { code, out } = await preview(["new", "-o", "yaml"]);
    expect(code).toBe(0);
    const documents = documentsOf(out);
    expect(documents[0]).toMatchObject({ kind: "ModelReplica", metadata: { name: "chat" } });
    const composed = documents.filter(({ kind }) => kind === "Object");
    const keys = composed.map(
      (one) => one.metadata?.annotations?.["crossplane.io/composition-resource-name"] ?? "",
    );
    expect(keys).toEqual([...keys].sort());
    expect(keys).toContain("model-serving-main");
    expect(documents.at(-1)).toMatchObject({
      apiVersion: "render.crossplane.io/v1beta1",
      kind: "Result",
      severity: "Normal",
    });
    for (const document of documents) {
      expect(Object.keys(document).slice(0, 2)).toEqual(["apiVersion", "kind"]);
    }
    expect(documents.some((one) => field(one, "metadata", "uid") !== undefined)).toBe(false);
  });

  test("is the same at every run, and from a file by file invocation", async () => {
    const files = ["xr", "composition", "required"].map((name) => `new/${name}.yaml`);
    const first = await preview(["new", "-o", "yaml"]);
    expect(await preview(["new", "-o", "yaml"])).toEqual(first);
    expect(await preview([...files, "-o", "yaml"])).toEqual(first);
    const split = ["new/xr.yaml", "--cluster-state", "new/required.yaml", "-o", "yaml"];
    expect(await preview(split)).toEqual(first);
  });

  test("quotes what older parsers misread", async () => {
    edit("new/xr.yaml", "--model=example/chat-8b", '"on", "1:20", "2024-01-01", "0o7"');
    const { out } = await preview(["new", "-o", "yaml"]);
    for (const text of ['"on"', '"1:20"', '"2024-01-01"']) expect(out).toContain(`- ${text}`);
  });
});

describe("-o json", () => {
  test("says of each composed resource whether it is ready", async () => {
    const { out } = await preview(["new", "-o", "json", "--assume", "ready"]);
    const { composites, settled } = JSON.parse(out);
    expect(settled).toBe(true);
    expect(composites).toHaveLength(1);
    expect(composites[0].composed.every((one: { ready: boolean }) => one.ready)).toBe(true);
    expect(field(composites[0].composite, "status", "served")).toBe(true);
  });
});

describe("the tree", () => {
  test("names the remote objects and their cluster", async () => {
    const { out } = await preview(["new"]);
    expect(out).toMatch(/^ModelReplica ml-team\/chat: not ready$/m);
    expect(out).toMatch(/Deployment chat-main-[0-9a-f]{5} +paris +not applied yet$/m);
    const ready = await preview(["new", "--assume", "ready"]);
    expect(ready.out).toMatch(/^ModelReplica ml-team\/chat: ready$/m);
    expect(ready.out).not.toContain("not applied yet");
  });

  test.each([60, 80, 120, 200])("keeps to %i columns", async (width) => {
    const { out } = await preview(["new"], false, width);
    expect(out.split("\n").filter((line) => [...line].length > width)).toEqual([]);
  });

  test("is coloured only on a terminal", async () => {
    const plain = await preview(["new"]);
    expect(plain.out).not.toContain("\u001b");
    const coloured = await preview(["new"], true);
    expect(coloured.out).toContain("\u001b[");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours are what is removed
    expect(coloured.out.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain.out);
  });

  test("shows control characters of a manifest instead of printing them", async () => {
    edit("new/required.yaml", "name: paris-cluster-kubeconfig", 'name: "x\\u001b[31mred"');
    edit(
      "new/xr.yaml",
      "clusterName: paris",
      'clusterName: paris\n  # its name is the requirement"s',
    );
    const { out } = await preview(["new"]);
    expect(out).not.toContain("\u001b");
  });

  test("tells why an object is not ready, from its own conditions", async () => {
    const { out: state } = await preview(["new", "-o", "yaml"]);
    const condition =
      "{type: Synced, status: 'False', reason: ReconcileError, message: no such host}";
    const failing = composedOf(state).replaceAll(
      /(kind: Object\n)/g,
      `$1status: {conditions: [${condition}]}\n`,
    );
    writeFileSync(join(cwd, "new/observed.yaml"), failing);
    const { out } = await preview(["new"]);
    expect(out).toMatch(
      /Service chat-epp +paris +not ready\n│ +Synced is False: ReconcileError: no such host\n/,
    );
  });

  test("says what blocks, and keeps what exists, when the cluster is gone", async () => {
    const { out: state } = await preview(["new", "-o", "yaml", "--assume", "ready"]);
    writeFileSync(join(cwd, "new/observed.yaml"), composedOf(state));
    rmSync(join(cwd, "new/required.yaml"));
    const { out, code } = await preview(["new"]);
    expect(code).toBe(0);
    expect(out).toContain("ClusterNotFound");
    expect(out).not.toContain("- deleted");
    expect(out).toContain("Deployment chat-main-");
  });
});

/** The composed Objects among the documents of a YAML preview. */
function composedOf(yaml: string): string {
  return yaml
    .split(/^---\n/m)
    .filter((text) => text.includes("kind: Object\n"))
    .map((text) => `---\n${text}`)
    .join("");
}

describe("--cluster-state", () => {
  test("takes what kubectl prints: a List with the XR, its objects and what it reads", async () => {
    const { out } = await preview(["new", "-o", "yaml", "--assume", "ready"]);
    const uid = "11111111-2222-4333-8444-555555555555";
    const known = out.replaceAll(/uid: \S+/g, `uid: ${uid}`);
    const required = documentsOf(readFileSync(join(cwd, "new/required.yaml"), "utf8"));
    const items = [...documentsOf(known).filter(({ kind }) => kind !== "Result"), ...required].map(
      (one) => (one.kind === "ModelReplica" ? { ...one, metadata: { ...one.metadata, uid } } : one),
    );
    const list = { apiVersion: "v1", kind: "List", items };
    writeFileSync(join(cwd, "state.json"), JSON.stringify(list));
    const again = await preview(["new/xr.yaml", "--cluster-state", "state.json", "-o", "yaml"]);
    expect(again.code).toBe(0);
    const uids = documentsOf(again.out).flatMap((one) => {
      const owners = one.metadata?.ownerReferences;
      return Array.isArray(owners) ? owners.map((owner) => owner.uid) : [];
    });
    expect(new Set(uids)).toEqual(new Set([uid]));
    const names = (text: string) =>
      documentsOf(text).flatMap(({ metadata }) => metadata?.name ?? []);
    expect(names(again.out)).toEqual(names(out));
    expect(documentsOf(again.out)[0]).toMatchObject({ status: { served: true } });
  });

  test("takes standard input for -", async () => {
    const input = readFileSync(join(cwd, "new/required.yaml"), "utf8");
    const argv = ["new/xr.yaml", "--cluster-state", "-"];
    const { code, out } = await preview(argv, false, 80, input);
    expect(code).toBe(0);
    expect(out).toMatch(/Namespace mp-ml-team-\S+ +paris/);
    expect((await preview(argv, false, 80, "{")).err).toMatch(/^<stdin>:/);
  });

  test("a replica that is only there to be read is not previewed", async () => {
    writeFileSync(
      join(cwd, "new/required.yaml"),
      `${readFileSync(join(cwd, "new/required.yaml"), "utf8")}---\n${readFileSync(join(cwd, "new/xr.yaml"), "utf8").replace("name: chat", "name: other")}`,
    );
    const { out } = await preview(["new"]);
    expect(out).not.toContain("ml-team/other");
  });
});

describe("what composes nothing", () => {
  test("a Composition that never calls sluice is refused", async () => {
    edit("new/composition.yaml", "name: function-sluice", "name: function-slice");
    const { code, err } = await preview(["new"]);
    expect(code).toBe(2);
    expect(err).toMatch(/no step of its pipeline runs function-sluice; found function-slice/);
  });

  test("a Composition of another kind is mentioned", async () => {
    writeFileSync(
      join(cwd, "new/other.yaml"),
      readFileSync(join(cwd, "new/composition.yaml"), "utf8").replace(
        "kind: ModelReplica",
        "kind: Model",
      ),
    );
    expect((await preview(["new"])).err).toMatch(
      /no Model \(modelplane.ai\/v1alpha1\) is in the input/,
    );
  });

  test("a spec that sluice refuses is an exit code of its own", async () => {
    edit("new/xr.yaml", "args: [--", "resources: {limits: {memory: 8GB}}\n              args: [--");
    const { code, out } = await preview(["new"]);
    expect(code).toBe(1);
    expect(out).toMatch(/InvalidSpec:/);
    expect(out.match(/"8GB": must be a/g)).toHaveLength(1);
  });
});

describe("--diff", () => {
  const diff = (...more: string[]) =>
    preview(["new", "--diff", "old", "--assume", "ready", ...more]);

  test("says that nothing changes", async () => {
    expect(await diff()).toEqual({ code: 0, out: "Nothing changes.\n", err: "" });
  });

  test("tells a roll from a change", async () => {
    edit("new/xr.yaml", "engine:1.4.0", "engine:1.5.0");
    const rolled = await diff();
    expect(rolled.code).toBe(3);
    expect(rolled.out).toMatch(/! Deployment chat-main-\S+ on paris +changed, replaces its pods/);
    expect(rolled.out).toContain("containers[engine].image");
    edit("new/xr.yaml", "engine:1.5.0", "engine:1.4.0");
    edit("new/xr.yaml", "- name: main", "- name: main\n      copies: 3");
    const scaled = await diff();
    expect(scaled.out).toMatch(/~ Deployment chat-main-\S+ on paris +changed$/m);
    expect(scaled.out).toContain("spec.replicas: 1 -> 3");
  });

  test("shows what is created and deleted, in JSON too", async () => {
    edit("new/xr.yaml", "- name: main", "- name: other");
    const { out } = await diff();
    expect(out).toMatch(/\+ Deployment chat-other-\S+ on paris +created/);
    expect(out).toMatch(/- Deployment chat-main-\S+ on paris +deleted/);
    const json = JSON.parse((await diff("-o", "json")).out);
    const actions = json.changes.map((one: { action: string }) => one.action);
    expect(new Set(actions)).toEqual(new Set(["created", "deleted"]));
  });

  test("says why nothing changes where sluice refuses the new spec", async () => {
    edit("new/xr.yaml", "engine:1.4.0", "engine:1.5.0");
    edit("new/xr.yaml", "args: [--", "resources: {limits: {memory: 8GB}}\n              args: [--");
    const { code, err } = await diff();
    expect(code).toBe(1);
    expect(err).toMatch(/ModelReplica ml-team\/chat is held: .*limits\[memory\]: .*"8GB"/);
  });

  test("says what is missing where nothing can be composed", async () => {
    edit("new/xr.yaml", "clusterName: paris", "clusterName: berlin");
    const { code, out, err } = await diff();
    expect(code).toBe(1);
    expect(out).toBe("Nothing changes.\n");
    expect(err).toMatch(/is held: .*there is no InferenceCluster "berlin"/);
    expect(err).toMatch(/hint: the input has no InferenceCluster "berlin"; put it into a required/);
  });

  test.each(["new", "old"])(
    "lists nothing where the API server refuses the %s side",
    async (side) => {
      edit(`${side}/xr.yaml`, "clusterName: paris", "clusterName: 7");
      const { code, out, err } = await diff();
      expect(code).toBe(1);
      expect(out).toBe("Nothing changes.\n");
      expect(err).toMatch(/spec\.clusterName/);
    },
  );

  test("tells a namespace that outlives its Object from what is deleted", async () => {
    rmSync(join(cwd, "new/xr.yaml"));
    writeFileSync(
      join(cwd, "new/xr.yaml"),
      readFileSync(join(cwd, "old/xr.yaml"), "utf8").replace("name: chat", "name: other"),
    );
    const { out } = await diff();
    expect(out).toMatch(/- Namespace \S+ on paris +released, stays on the cluster/);
    expect(out).toMatch(/11 created, 0 changed, 0 rolled, 10 deleted, 1 released/);
  });

  test("does not print YAML", async () => {
    expect((await diff("-o", "yaml")).code).toBe(2);
  });
});

describe("what is wrong with the input", () => {
  test("an XR that the API server refuses: its words, file and line, exit code 1", async () => {
    edit("new/xr.yaml", "- name: main", "- name: main\n      phase: Prefill");
    const { code, out, err } = await preview(["new"]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^new\/xr\.yaml:\d+:/);
    expect(err).toContain("phase may only be set when serving.mode is PrefillDecode");
  });

  test("an XR whose name the API server refuses is not composed either", async () => {
    edit("new/xr.yaml", "name: chat", "name: Chat_1");
    const { code, out, err } = await preview(["new"]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("metadata.name");
  });

  test("beside a valid XR an invalid one is reported, and the valid one shown", async () => {
    const text = readFileSync(join(cwd, "new/xr.yaml"), "utf8");
    const wrong = text.replace("name: chat", "name: wrong").replace("- name: main", "- nome: main");
    writeFileSync(join(cwd, "new/xr.yaml"), `${text}---\n${wrong}`);
    const { code, out, err } = await preview(["new"]);
    expect(code).toBe(1);
    expect(out).toContain("ml-team/chat");
    expect(out).not.toContain("ml-team/wrong");
    expect(err).toMatch(/^new\/xr\.yaml:3\d:\d+: ModelReplica ml-team\/wrong: spec\.engines\[0\]/m);
  });

  test("an unknown field is a warning", async () => {
    edit("new/xr.yaml", "clusterName: paris", "clusterName: paris\n  clusterNmae: paris");
    const { code, err } = await preview(["new"]);
    expect(code).toBe(0);
    expect(err).toContain("spec.clusterNmae");
  });

  const broken: readonly (readonly [string, string, string, string, RegExp])[] = [
    ["YAML", "xr.yaml", "spec:", "spec: [", /^new\/xr\.yaml:\d+: /],
    [
      "no kind",
      "xr.yaml",
      "kind: ModelReplica",
      "",
      /xr\.yaml:2: is no Kubernetes object: it has no kind/,
    ],
    [
      "a wrong kind",
      "xr.yaml",
      "kind: ModelReplica",
      "kind: ModelRepica",
      /xr\.yaml:2: ModelRepica .* is no kind/,
    ],
    [
      "no name",
      "xr.yaml",
      "name: chat",
      "namespaces: x",
      /xr\.yaml:2: this ModelReplica needs metadata\.name/,
    ],
    [
      "a number as a label",
      "xr.yaml",
      "namespace: ml-team",
      "labels: {a: 1}",
      /labels .* quote numbers/,
    ],
    [
      "no pipeline",
      "composition.yaml",
      "mode: Pipeline",
      "mode: Resources",
      /mode must be Pipeline/,
    ],
    ["no step", "composition.yaml", "name: function-sluice", "nome: x", /pipeline\[0\] needs step/],
  ];
  test.each(broken)("%s: exit code 2 and the place", async (_, file, from, to, reason) => {
    edit(`new/${file}`, from, to);
    const { code, out, err } = await preview(["new"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(reason);
  });

  test("an observed object without its key", async () => {
    cpSync(join(cwd, "new/required.yaml"), join(cwd, "new/observed.yaml"));
    const { code, err } = await preview(["new"]);
    expect(code).toBe(2);
    expect(err).toContain("crossplane.io/composition-resource-name");
  });

  test("a place without an XR, and one that does not exist", async () => {
    mkdirSync(join(cwd, "empty"), { recursive: true });
    expect((await preview(["empty"])).err).toContain("has no composite resource");
    expect((await preview(["nowhere"])).err).toBe("nowhere: there is no such file or directory\n");
  });

  test("a prototype's names are fields like others", async () => {
    edit(
      "new/xr.yaml",
      "namespace: ml-team",
      "namespace: ml-team\n  labels: {constructor: x, toString: z}",
    );
    const { code, out } = await preview(["new", "-o", "yaml"]);
    expect(code).toBe(0);
    expect(out).toContain("constructor: x");
  });

  test("a kind that is misspelt: the one that is meant", async () => {
    edit("new/xr.yaml", "kind: ModelReplica", "kind: ModelReplcia");
    const { code, err } = await preview(["new"]);
    expect(code).toBe(2);
    expect(err).toContain("did you mean ModelReplica (modelplane.ai/v1alpha1)?");
  });

  test("a step of another function is left out, with a warning", async () => {
    const path = join(cwd, "new/composition.yaml");
    const step = "  - step: more\n    functionRef:\n      name: function-auto-ready\n";
    writeFileSync(path, `${readFileSync(path, "utf8")}${step}`);
    const { code, err } = await preview(["new"]);
    expect(code).toBe(0);
    expect(err).toBe(
      'warning: step "more" is left out: it runs function-auto-ready, which a preview does not have\n',
    );
  });

  test.each([
    [["-o", "xml"], 'not "xml"'],
    [["--assume", "sunshine"], 'knows only "ready"'],
    [["--via", "http://x"], "grpc://localhost:9443"],
    [["--clusterstate", "x"], 'did you mean "--cluster-state"?'],
    [["--engine", "docker"], 'knows only "core"'],
    [["--engine", "core", "--crossplane", ""], "give --crossplane PATH, or set CROSSPLANE_BINARY"],
    [["--crossplane", "x"], "--crossplane is for --engine core"],
    [["--engine", "core", "--crossplane", "x", "--assume", "ready"], "goes without --assume"],
    [["--engine", "core", "--crossplane", "/nowhere/core"], "name Crossplane's core binary"],
    [["--engine", "core", "--crossplane", "/bin/false"], "must be Crossplane's core, 2.3 or newer"],
  ])("%j is a usage error", async (flags, reason) => {
    const { code, err } = await preview(["new", ...flags]);
    expect(code).toBe(2);
    expect(err).toContain(reason);
  });

  test("no path at all", async () => {
    expect(await preview([])).toMatchObject({ code: 2, out: "" });
  });
});
