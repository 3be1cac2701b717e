import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPLICA_MANIFEST } from "../test/support/manifest.ts";
import { recorded } from "../test/support/terminal.ts";
import type { CommandArguments } from "./command.ts";
import { validate } from "./validate.ts";

const replica = REPLICA_MANIFEST;
const change = (from: string, to: string) => replica.replace(from, to);
const container = (line: string) => change(":1\n", `:1\n            ${line}\n`);

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Thing, listKind: ThingList, plural: things, singular: thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          size:
            type: integer
            maximum: 3
            x-kubernetes-validations: [{rule: self >= oldSelf, message: may not shrink}]
`;
const thing = (size: unknown) =>
  `apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: a, namespace: b}\nsize: ${size}\n`;

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "sluice-validate-flags-"));
  for (const below of ["mixed", "foreign", "misspelt", "schemas", "old", "loop"]) {
    mkdirSync(join(directory, below));
  }
  const composition = "apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\n";
  const sister = "apiVersion: modelplane.ai/v1alpha1\nkind: ModelService\n";
  const files: Readonly<Record<string, string | Uint8Array>> = {
    "valid.yaml": replica,
    "unknown.yaml": change("name: main", "name: main\n    copys: 2\n    foo: 1"),
    "misspelt.yaml": change("nodePoolName", "nodepoolName"),
    "quoted.yaml": container('ports: [{name: http, containerPort: "8000"}]'),
    "command.yaml": container("command: bash -c foo"),
    "selector.yaml": change(".com\n", ".com\n        selectors: [{cel: device.driver ==}]\n"),
    "secret.yaml": container(`env: [{name: API_KEY, value: "${"s3cret".repeat(9_000)}"}]`),
    "template.yaml": "a: {{ .Values.a }}\n",
    "empty.yaml": "# nothing\n",
    "mixed/a.yaml": replica,
    "mixed/b.yaml": `${composition}---\n${sister}`,
    "foreign/a.yaml": composition,
    "misspelt/a.yaml": replica,
    "misspelt/b.yaml": replica.replace("kind: ModelReplica", "kind: ModelReplika"),
    "schemas/crd.yaml": crd,
    "schemas/other.yaml": composition,
    "thing.yaml": thing(2),
    "big-thing.yaml": thing(4),
    "old/thing.yaml": thing(3),
    "dear.yaml": crd.replace("self >= oldSelf", "nonsense"),
    "odd, 100%.yaml": thing('"x"'),
    "steering.yaml": thing(9).replace("a,", '"a\\e[2J\\n::error::x\\a",'),
    "utf16.yaml": Buffer.from(`\ufeff${replica}`, "utf16le"),
    "loop/a.yaml": replica,
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(directory, name), content);
  }
  symlinkSync(join(directory, "loop"), join(directory, "loop/again"));
  symlinkSync("self.yaml", join(directory, "self.yaml"));
  symlinkSync("valid.yaml", join(directory, "link.yaml"));
  writeFileSync(join(directory, "huge.yaml"), "");
  truncateSync(join(directory, "huge.yaml"), 50 * 1024 * 1024);
  execFileSync("mkfifo", [join(directory, "pipe.yaml")]);
});

afterAll(() => rmSync(directory, { recursive: true }));

function run(positionals: readonly string[], flags: CommandArguments["flags"] = {}, input = "") {
  return recorded((terminal) => validate.run({ flags, positionals }, terminal), {
    cwd: directory,
    input,
  });
}

describe("kinds without a schema", () => {
  it("are counted in a directory where something else was judged", async () => {
    expect(await run(["mixed"])).toEqual({
      code: 0,
      out: [
        "mixed/a.yaml:1:1: ModelReplica ml-team/chat is valid",
        "2 objects of other kinds skipped, for which no schema is given; --schemas adds them",
        "1 object, 0 invalid\n",
      ].join("\n"),
      err: "",
    });
  });

  it.each([
    ["foreign", "no schema for apiextensions.crossplane.io/v1 Composition; known: "],
    ["mixed/b.yaml", "no schema for modelplane.ai/v1alpha1 ModelService; known: "],
    ["misspelt", "ModelReplika; did you mean modelplane.ai/v1alpha1 ModelReplica?"],
  ])("are an error in %s", async (path, message) => {
    const { code, err } = await run([path]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it.each(["foreign", "mixed/b.yaml", "misspelt"])(
    "are passed over on demand in %s",
    async (path) => {
      expect(await run([path], { "ignore-unknown": true })).toMatchObject({ code: 0, err: "" });
    },
  );
});

describe("--schemas and --old", () => {
  it("judge anyone's kinds, created and updated", async () => {
    const schemas = ["schemas"];
    expect(await run(["thing.yaml"], { schemas })).toMatchObject({ code: 0 });
    expect((await run(["big-thing.yaml"], { schemas })).out).toContain(
      "big-thing.yaml:4:1: Thing b/a: size: Invalid value: 4: size in body should be less than or equal to 3",
    );
    const updated = await run(["thing.yaml"], { schemas, old: ["old"] });
    expect(updated.code).toBe(1);
    expect(updated.out).toContain(
      "thing.yaml:4:1: Thing b/a: size: Invalid value: 2: may not shrink",
    );
  });

  it("refuse what they can't use", async () => {
    for (const [flags, message] of [
      [{ schemas: ["valid.yaml"] }, "valid.yaml:1: is no CRD and no XRD"],
      [{ schemas: ["foreign"] }, "foreign: holds no CRD and no XRD"],
      [{ schemas: ["nowhere"] }, "nowhere: there is no such file or directory"],
      [
        { old: ["template.yaml"] },
        "template.yaml:1: a key must be a string; if this is a template",
      ],
    ] as const) {
      const { code, err } = await run(["valid.yaml"], flags);
      expect(code).toBe(2);
      expect(err).toContain(message);
    }
  });

  it("judge a CRD itself", async () => {
    expect(await run(["schemas/crd.yaml"])).toMatchObject({ code: 0 });
    const { code, out } = await run(["dear.yaml"]);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^dear\.yaml:19:\d+: CustomResourceDefinition things\.example\.org: spec\./,
    );
  });
});

describe("what to do about it", () => {
  it.each([
    [
      "misspelt.yaml",
      /Required value\n {2}next: rename nodepoolName \(line 11\) to nodePoolName\n/,
    ],
    ["quoted.yaml", /next: remove the quotes\n/],
    ["command.yaml", /next: write a list: \[bash, "-c", foo\]\n/],
    ["quoted.yaml", /note: the CEL rules were not checked; fix the above first\n/],
  ])("%s: %s", async (file, line) => {
    const { code, out } = await run([file]);
    expect(code).toBe(1);
    expect(out).toMatch(line);
    expect(out).not.toContain("unknown field");
  });

  it("masks secrets", async () => {
    const { out } = await run(["secret.yaml"]);
    expect(out).not.toContain("s3cret");
  });
});

describe("warnings", () => {
  it("come in file order and fail with --strict", async () => {
    const lax = await run(["unknown.yaml"]);
    expect(lax.code).toBe(0);
    expect(lax.out).toMatch(/10:5: warning: .*"copies"\?\n.*11:5: warning: .*; it is dropped\n/);
    const strict = await run(["unknown.yaml"], { strict: true });
    expect(strict.code).toBe(1);
    expect(strict.out).toMatch(/10:5: ModelReplica ml-team\/chat: unknown field/);
    expect(strict.out).not.toContain("is valid");
  });

  it("tell what only sluice refuses", async () => {
    const { code, out } = await run(["selector.yaml"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /selector\.yaml:15:\d+: warning: .*accepted by the API server, refused by sluice: .*selectors\[0\]\.cel: Invalid value: "device\.driver ==" does not compile/,
    );
    expect(out).toMatch(/^ {2}next: correct it; `sluice cel EXPRESSION --with FILE` tries it/m);
  });
});

describe("hostile inputs", () => {
  it.each([
    ["huge.yaml", "is larger than 16 MiB"],
    ["pipe.yaml", "is a named pipe"],
    ["self.yaml", "leads back to itself"],
    ["utf16.yaml", "UTF-16"],
    ["nothing/*.yaml", "no file matches this pattern"],
    ["empty.yaml", "empty.yaml: holds no document"],
  ])("%s: %s", async (path, message) => {
    const { code, err } = await run([path]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it("follow links once and read each file once", async () => {
    expect((await run(["loop"])).out).toContain("1 object, 0 invalid");
    expect((await run(["valid.yaml", "./valid.yaml", "link.yaml", "val*.yaml"])).out).toContain(
      "1 object, 0 invalid",
    );
  });

  it("judge the documents before a broken one", async () => {
    const { code, out, err } = await run(["-"], {}, `${replica}---\na: [\n---\n${replica}`);
    expect(code).toBe(2);
    expect(out).toContain("<stdin>:1:1: ModelReplica ml-team/chat is valid");
    expect(err).toMatch(/^<stdin>:2\d:\d+: /);
  });

  it("mention an empty file beside a good one", async () => {
    const { code, err } = await run(["valid.yaml", "empty.yaml"]);
    expect([code, err]).toEqual([0, "empty.yaml: holds no document\n"]);
  });
});

describe("--output", () => {
  it("json tells of what can't be read too", async () => {
    const { code, out } = await run(["template.yaml", "unknown.yaml"], { output: "json" });
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(code).toBe(2);
    expect(lines[0]).toEqual({
      file: "template.yaml",
      line: 1,
      column: 5,
      valid: null,
      error: expect.stringContaining("render it first"),
    });
    expect(lines[1]).toMatchObject({
      valid: true,
      warnings: [
        { type: "UnknownField", line: 10 },
        { type: "UnknownField", line: 11 },
      ],
    });
  });

  it.each(["text", "json", "github"])(
    "lets no name, key or value steer a terminal with %s",
    async (output) => {
      const { out, err } = await run(["steering.yaml", "\u001bc.yaml"], {
        output,
        schemas: ["schemas"],
      });
      const raw = output === "github" ? err : out + err;
      expect(raw.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
      expect(raw).not.toMatch(/^::error/m);
      if (output === "text") {
        expect(out).toContain(
          "steering.yaml:3:12: Thing b/a\\x1b[2J ::error::x\\x07: metadata.name:",
        );
        expect(err).toContain("\\x1bc.yaml: there is no such file");
      }
    },
  );

  it("github escapes what its commands would read", async () => {
    const { out } = await run(["odd, 100%.yaml", "template.yaml"], {
      output: "github",
      schemas: ["schemas"],
    });
    expect(out).toMatch(
      /^::error file=odd%2C 100%25\.yaml,line=4,col=1,title=Thing b\/a::size: Invalid value: "string": size in body must be of type integer: "string"$/m,
    );
    expect(out).toMatch(/^::error file=template\.yaml,line=1,col=5,title=not understood::a key/m);
  });

  it("sarif is one log, with a rule for each result", async () => {
    const { code, out } = await run(["odd, 100%.yaml", "unknown.yaml", "template.yaml"], {
      output: "sarif",
      schemas: ["schemas"],
    });
    const log = JSON.parse(out);
    const [{ results, tool, invocations }] = log.runs;
    expect(log.version).toBe("2.1.0");
    expect(code).toBe(2);
    expect(invocations).toEqual([{ executionSuccessful: false, exitCode: 2 }]);
    expect(results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
      "FieldValueTypeInvalid",
      "UnknownField",
      "UnknownField",
      "NotUnderstood",
    ]);
    for (const { ruleId, ruleIndex } of results)
      expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
    expect(results[0].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: "odd%2C%20100%25.yaml" },
      region: { startLine: 4, startColumn: 1 },
    });
  });

  it("text prints the stored object as YAML, but only of what would be stored", async () => {
    expect((await run(["valid.yaml"], { stored: true })).out).toContain("\n  - copies: 1\n");
    expect((await run(["quoted.yaml"], { stored: true })).out).not.toContain("copies");
  });
});
