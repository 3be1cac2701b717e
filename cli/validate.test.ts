import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPLICA_MANIFEST } from "../test/support/manifest.ts";
import { recorded } from "../test/support/terminal.ts";
import type { CommandArguments } from "./command.ts";
import { validate } from "./validate.ts";

const valid = REPLICA_MANIFEST;
const change = (from: string, to: string) => valid.replace(from, to);

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "sluice-validate-"));
  mkdirSync(join(directory, "many/deeper"), { recursive: true });
  mkdirSync(join(directory, "empty"));
  const files: Readonly<Record<string, string | Uint8Array>> = {
    "valid.yaml": valid,
    "two.yaml": `${valid}---\n${change("copies", "copies").replace("name: chat", "name: Chat")}`,
    "many/a.yaml": valid,
    "many/deeper/b.json": JSON.stringify({
      apiVersion: "modelplane.ai/v1alpha1",
      kind: "ModelReplica",
      metadata: { name: "x" },
      spec: {},
    }),
    "many/notes.txt": "not YAML: [",
    "unknown-field.yaml": change("name: main", "name: main\n    copys: 2"),
    "float.yaml": change(
      "image: example.org/engine:1",
      "image: i\n            ports:\n            - {containerPort: 8000.0, name: http}",
    ),
    "big.yaml": change("name: main", "name: main\n    copies: 9223372036854775807"),
    "words.yaml": change(
      "image: example.org/engine:1",
      "image: i\n            env:\n            - {name: DEBUG, value: yes}",
    ),
    "mode.yaml": change("clusterName: eu-1", "clusterName: eu-1\n  serving: {mode: unified}"),
    "status.yaml": `${valid}status: nonsense\n`,
    "broken.yaml": "a: [",
    "twice.yaml": valid.replace("spec:", "spec: {}\nspec:"),
    "binary.yaml": new Uint8Array([0xff, 0xfe]),
    "scalar.yaml": "just text",
    "kindless.yaml": "apiVersion: v1\nmetadata: {}",
    "deployment.yaml": "apiVersion: apps/v1\nkind: Deployment",
    "nothing.yaml": "# nothing\n",
  };
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(directory, name), content);
});

afterAll(() => rmSync(directory, { recursive: true }));

function run(positionals: readonly string[], flags: CommandArguments["flags"] = {}, input = "") {
  return recorded(
    (terminal) => validate.run({ flags: { output: "text", ...flags }, positionals }, terminal),
    { cwd: directory, input },
  );
}

const json = async (positionals: readonly string[], flags: CommandArguments["flags"] = {}) => {
  const result = await run(positionals, { output: "json", ...flags });
  return {
    ...result,
    objects: result.out
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  };
};

describe("sluice validate", () => {
  it("exits 0 on valid objects, and says so", async () => {
    expect(await run(["valid.yaml"])).toEqual({
      code: 0,
      out: "valid.yaml:1:1: ModelReplica ml-team/chat is valid\n1 object, 0 invalid\n",
      err: "",
    });
  });

  it("exits 1 on invalid ones, with file, line, object, field and reason", async () => {
    const { code, out, err } = await run(["two.yaml"]);
    expect([code, err]).toEqual([1, ""]);
    expect(out).toMatch(/^two\.yaml:1:1: ModelReplica ml-team\/chat is valid$/m);
    expect(out).toMatch(
      /^two\.yaml:24:3: ModelReplica ml-team\/Chat: metadata\.name: Invalid value: "Chat": a lowercase RFC 1123 subdomain/m,
    );
    expect(out).toMatch(/^2 objects, 1 invalid$/m);
  });

  it("prints one JSON object a line, with type and field of the API server's causes", async () => {
    const { code, objects, err } = await json(["two.yaml", "many"]);
    expect([code, err]).toEqual([1, ""]);
    expect(objects).toHaveLength(4);
    expect(objects[0]).toEqual({
      file: "two.yaml",
      line: 1,
      apiVersion: "modelplane.ai/v1alpha1",
      kind: "ModelReplica",
      namespace: "ml-team",
      name: "chat",
      valid: true,
      findings: [],
    });
    expect(objects[3]).toMatchObject({
      file: join("many", "deeper", "b.json"),
      line: 1,
      name: "x",
      valid: false,
      findings: [
        {
          type: "FieldValueRequired",
          field: "spec.clusterName",
          message: "Required value",
          line: 1,
        },
        { type: "FieldValueRequired", field: "spec.engines", message: "Required value", line: 1 },
        { type: "FieldValueInvalid", field: "<nil>", line: 1, column: 1 },
      ],
    });
    expect(objects[3]).not.toHaveProperty("namespace");
  });

  it("adds the stored object on demand: pruned, defaulted and without status", async () => {
    const { code, objects, err } = await json(["unknown-field.yaml", "status.yaml"], {
      stored: true,
    });
    expect(code).toBe(0);
    expect(objects[0].stored.spec.engines[0]).toMatchObject({
      copies: 1,
      members: [{ role: "Standalone", deviceRequests: [{ count: 1 }] }],
    });
    expect(objects[0].stored.spec.engines[0]).not.toHaveProperty("copys");
    expect(objects[1].stored).not.toHaveProperty("status");
    expect(err).toBe(
      'unknown-field.yaml:10:5: warning: ModelReplica ml-team/chat: unknown field "spec.engines[0].copys", which kubectl refuses by default; did you mean "copies"?\n',
    );
  });

  it("warns of an unknown field with the nearest name, and stays valid", async () => {
    const { code, out } = await run(["unknown-field.yaml"]);
    expect(code).toBe(0);
    expect(out).toContain(
      'unknown-field.yaml:10:5: warning: ModelReplica ml-team/chat: unknown field "spec.engines[0].copys", which kubectl refuses by default; did you mean "copies"?\n',
    );
  });

  it("tells 8000.0 from 8000", async () => {
    const { code, objects } = await json(["float.yaml"], { stored: true });
    expect(code).toBe(1);
    expect(objects[0].findings[0].message).toMatch(
      /invalid data, expected int, got float64 evaluating rule/,
    );
    expect(
      objects[0].stored.spec.engines[0].members[0].template.spec.containers[0].ports[0]
        .containerPort,
    ).toBe(8000);
  });

  it("keeps integers beyond 2^53 exact", async () => {
    const { out } = await json(["big.yaml"], { stored: true });
    expect(out).toContain('"copies":9223372036854775807');
    expect(out).toContain(
      "Invalid value: 9223372036854775807: spec.engines[0].copies in body should be less than or equal to 64",
    );
  });

  it("names the next step where that helps", async () => {
    const { out } = await run(["words.yaml", "mode.yaml", "many"]);
    expect(out).toMatch(
      /env\[0\]\.value in body must be of type string: "boolean"\n {2}next: put the value in quotes\n/,
    );
    expect(out).toMatch(
      /supported values: "Unified", "PrefillDecode"\n {2}next: did you mean "Unified"\?\n/,
    );
    expect(out).toMatch(/spec\.clusterName: Required value\n {2}next: add clusterName\n/);
  });

  it("reads standard input", async () => {
    const { code, out } = await run(["-"], {}, valid);
    expect([code, out]).toEqual([
      0,
      "<stdin>:1:1: ModelReplica ml-team/chat is valid\n1 object, 0 invalid\n",
    ]);
  });

  it.each([
    ["missing.yaml", "missing.yaml: there is no such file or directory"],
    ["broken.yaml", "broken.yaml:1:5: "],
    ["twice.yaml", 'twice.yaml:7:1: the key "spec" stands here twice'],
    ["binary.yaml", "binary.yaml: is not UTF-8 text"],
    ["scalar.yaml", "scalar.yaml:1:1: is no Kubernetes object"],
    [
      "kindless.yaml",
      "kindless.yaml:1:1: is no Kubernetes object: apiVersion and kind must be strings",
    ],
    [
      "deployment.yaml",
      "deployment.yaml:1:1: no schema for apps/v1 Deployment; known: decisionmodel.io/v1alpha1 DecisionModel, ",
    ],
    ["nothing.yaml", "sluice validate: there is no document to validate"],
    ["empty", "sluice validate: there is no document to validate"],
  ])("exits 2 when it can't read %s", async (file, message) => {
    const { code, err, out } = await run([file]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(out).not.toContain("is valid");
  });

  it("goes on after what it can't read, and exits 2", async () => {
    const { code, out, err } = await run(["broken.yaml", "valid.yaml"]);
    expect(code).toBe(2);
    expect(err).toContain("broken.yaml:1:5");
    expect(out).toContain("valid.yaml:1:1: ModelReplica ml-team/chat is valid");
  });

  it("exits 2 on a command line that makes no sense", async () => {
    expect(await run([])).toMatchObject({ code: 2, err: expect.stringContaining("name a file") });
    expect(await run(["valid.yaml"], { output: "xml" })).toMatchObject({
      code: 2,
      err: expect.stringContaining("text, json, sarif or github"),
    });
  });

  it("explains itself", () => {
    for (const flag of Object.keys(validate.options)) expect(validate.help).toContain(`--${flag}`);
    for (const code of ["  0 ", "  1 ", "  2 "]) expect(validate.help).toContain(code);
  });
});
