import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recorded } from "../test/support/terminal.ts";
import { cel } from "./cel.ts";
import { runSluice } from "./dispatch.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const xrd = join(root, "package/apis/modelreplicas/definition.yaml");
const replica = join(root, "examples/replica/xr.yaml");
let directory = "";

const FILES: Readonly<Record<string, string>> = {
  "slice.yaml": `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
spec:
  driver: gpu.nvidia.com
  devices:
  - name: big
    attributes: {ids: {ints: [1, 2]}, arch: {string: Hopper}}
    capacity: {memory: {value: 80Gi}}
  - name: old
    basic: {attributes: {arch: {string: Ada}}, capacity: {memory: 24Gi}}
`,
  "class.yaml": `apiVersion: modelplane.ai/v1alpha1
kind: InferenceClass
spec:
  devices:
  - driver: gpu.nvidia.com
    count: 8
    attributes: {arch: {string: Hopper}}
`,
  "plain.json": '{"a": 1, "b": 1.5, "c": {"d-e": [true, null]}}',
  "before.json": '{"a": 2}',
  "steering.json": '{"key": "k\\u001b[31m\\nx"}',
  "two.yaml": "a: 1\n---\na: 2\n",
  "broken.yaml": "a: [1",
};

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "sluice-cel-"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory, name), text);
});
afterAll(() => rmSync(directory, { recursive: true }));

function run(...argv: string[]) {
  return recorded(
    (terminal) =>
      runSluice(
        ["cel", ...argv],
        ["cel"],
        async () => cel,
        () => "0",
        terminal,
      ),
    { cwd: directory, input: "x: 3" },
  );
}

describe("sluice cel", () => {
  it("evaluates without a file", async () => {
    expect(await run("quantity('1.5Gi').isGreaterThan(quantity('1G'))")).toEqual({
      code: 0,
      out: "type      bool\nvalue     true\ncost      3\n",
      err: "",
    });
  });

  it("shows control characters of an error instead of printing them", async () => {
    const { out } = await run("{'a': 1}[self.key]", "--with", "steering.json");
    expect(out).toContain("error     no such key: k\\x1b[31m x\n");
  });

  it("types self by the schema of a known kind, and estimates the cost", async () => {
    const { code, out } = await run(
      "self.spec.engines.all(e, size(e.members) > 0)",
      "--with",
      replica,
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^type {6}bool\nvalue {5}true\ncost {6}\d+\nestimate {2}at most \d+\n$/);
    const refused = await run("self.spec.nope == 1", "--with", replica);
    expect(refused).toEqual({
      code: 1,
      out: "",
      err: "ERROR: <input>:1:10: undefined field 'nope'\n | self.spec.nope == 1\n | .........^\n",
    });
  });

  it("sees defaults, which the file leaves out", async () => {
    const { out } = await run("self", "--with", replica, "--path", "spec.engines[0].copies");
    expect(out).toContain("type      int\nvalue     1\n");
  });

  it("checks an expression against a schema, and evaluates nothing", async () => {
    const path = ["--with", xrd, "--path", "spec.engines[]"];
    expect(await run("self.members.size() <= 8", ...path)).toEqual({
      code: 0,
      out: "type      bool\nestimate  at most 4\n",
      err: "",
    });
    expect((await run("oldSelf.name == self.name", ...path)).code).toBe(0);
    expect(await run("self.nope == 1 && self.foo()", ...path, "-o", "json")).toEqual({
      code: 1,
      out: `${JSON.stringify({
        expression: "self.nope == 1 && self.foo()",
        issues: [
          { line: 1, column: 5, message: "undefined field 'nope'" },
          { line: 1, column: 27, message: "undeclared reference to 'foo' (in container '')" },
        ],
      })}\n`,
      err: "",
    });
  });

  it("asks every device of a slice, of either API, and of a class", async () => {
    const memory = "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0";
    expect((await run(memory, "--with", "slice.yaml")).out).toBe(
      "type      bool\n\nbig\nvalue     true\ncost      7\n\nold\nvalue     false\ncost      7\n\nestimate  at most 7\n",
    );
    const ids = await run(
      "device.attributes['gpu.nvidia.com'].ids.includes(2)",
      "--with",
      "slice.yaml",
    );
    expect(ids.code).toBe(0);
    expect(ids.out).toContain("error     no such key: ids");
    const arch = "device.attributes['gpu.nvidia.com'].arch == 'Ada'";
    expect(await run(arch, "--with", "class.yaml")).toMatchObject({
      code: 1,
      out: expect.stringContaining("devices[0]\nvalue     false"),
    });
    expect((await run("cel.bind(d, device.driver, d)", "--with", "class.yaml")).code).toBe(0);
  });

  it("takes what no schema describes as it looks, and an old object beside it", async () => {
    const both = ["--with", "plain.json", "--old", "before.json"];
    expect((await run("self.a < oldSelf.a", ...both)).out).toContain("value     true");
    const { out } = await run("self", "--with", "plain.json", "-o", "json");
    expect(JSON.parse(out).results[0].value).toEqual({
      a: 1,
      b: 1.5,
      c: { d__dash__e: [true, null] },
    });
    expect(out).toContain('"a":1,"b":1.5');
    expect((await run("self.x + 9007199254740993", "--with", "-")).out).toContain(
      "9007199254740996",
    );
  });

  it("points at the column of a mistake, in code points, with what helps", async () => {
    expect((await run("'é😀' == 1 +")).err).toBe(
      "ERROR: <input>:1:12: Syntax error: unexpected '<EOF>', expecting an expression\n" +
        " | 'é😀' == 1 +\n | .．．........^\n",
    );
    expect((await run("'a'.matches('(?=a)')")).err).toContain("invalid or unsupported Perl syntax");
    expect(await run("int('x')")).toMatchObject({
      code: 1,
      err: expect.stringContaining("fails when it is made ready to run"),
    });
  });

  it.each([
    [["false"], 1],
    [["1 / 0"], 1],
    [["'text'"], 0],
    [[], 2],
    [["1", "2"], 2],
    [["1", "--with", "nowhere.yaml"], 2],
    [["1", "--with", "broken.yaml"], 2],
    [["1", "--with", "two.yaml"], 2],
    [["1", "--with", "plain.json", "--as", "device"], 2],
    [["1", "--with", "plain.json", "--as", "schema"], 2],
    [["1", "--with", "plain.json", "--as", "thing"], 2],
    [["1", "--with", "plain.json", "--path", "a.b"], 2],
    [["1", "--with", "plain.json", "--path", "a]"], 2],
    [["1", "--old", "plain.json"], 2],
    [["1", "-o", "yaml"], 2],
  ])("%j exits with %i", async (argv, code) => {
    expect((await run(...argv)).code).toBe(code);
  });
});
