import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { checkDefinition } from "../schema/check-definition.ts";
import type { Finding } from "../schema/finding.ts";
import { DEFINITIONS, definitionOf } from "./definition-checks/cases.ts";

// What the API server's own packages say of each definition (k8s.io/apiextensions-apiserver v0.37.2,
// `ValidateCustomResourceDefinition`), without what follows "Syntax error" and the values of whole
// schemas and version lists, which it prints as Go structs.
const recorded = readFileSync(new URL("definition-checks/recorded.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as readonly string[]);

const shown = (findings: readonly Finding[]) =>
  findings
    .map(({ type, field, message }) => `${type} ${field}: ${message}`)
    .map((line) => line.replace(/Syntax error: [^\n]*/, "Syntax error"))
    .sort();

/** What stands at a path of a document. */
function at(document: unknown, path: Finding["path"]): unknown {
  return path.reduce<unknown>(
    (value, step) => (value as Record<string | number, unknown> | undefined)?.[step],
    document,
  );
}

describe("the API server's words about definitions", () => {
  it.each(recorded.map((lines, index) => [index, lines] as const))("case %i", (index, lines) => {
    expect(shown(checkDefinition(DEFINITIONS[index]))).toEqual(lines);
  });

  it("cover every case, and all that there is to say", () => {
    expect(recorded).toHaveLength(DEFINITIONS.length);
    const types = new Set(recorded.flat().map((line) => line.split(" ", 1)[0]));
    expect([...types].sort()).toEqual([
      "FieldValueForbidden",
      "FieldValueInvalid",
      "FieldValueNotSupported",
      "FieldValueRequired",
      "FieldValueTooLong",
      "FieldValueTypeInvalid",
      "InternalError",
    ]);
  });

  it("lead to a place in the document, or beside it where something is missing", () => {
    for (const definition of DEFINITIONS) {
      for (const { path, type } of checkDefinition(definition)) {
        const parent = at(definition, type === "FieldValueRequired" ? path.slice(0, -1) : path);
        const isMissing = parent === undefined && at(definition, path.slice(0, -1)) !== undefined;
        expect(parent !== undefined || isMissing).toBe(true);
      }
    }
  });
});

describe("a rule that is too dear (H02)", () => {
  const spec = (schema: unknown) =>
    definitionOf({ type: "object", properties: { spec: schema } } as Record<string, unknown>);
  const next = (schema: unknown) => checkDefinition(spec(schema)).map((finding) => finding.next);
  const text = { type: "string" };

  it("is named with its estimate and the bounds that would help", () => {
    const annotations = { type: "object", additionalProperties: text };
    const rule = "!has(self.annotations) || self.annotations.all(k, k.matches('^[a-z./-]+$'))";
    const schema = {
      type: "object",
      properties: { annotations },
      "x-kubernetes-validations": [{ rule }],
    };
    expect(next(schema)).toEqual([]);
    const walk = {
      ...schema,
      "x-kubernetes-validations": [
        { rule: "self.annotations.all(k, self.annotations[k].matches('^[a-z./-]+$'))" },
      ],
    };
    const [first] = next(walk);
    expect(first).toBe(
      "the estimate is 371087219093, where 10000000 are allowed; set maxLength of spec.annotations{} " +
        "to 14 or less (it has none), or maxProperties of spec.annotations and maxLength of " +
        "spec.annotations{} to 2882 or less each",
    );
    const bounded = (most: number) => ({
      ...walk,
      properties: {
        annotations: {
          ...annotations,
          maxProperties: most,
          additionalProperties: { ...text, maxLength: most },
        },
      },
    });
    expect(next(bounded(2882))).toEqual([]);
    expect(next(bounded(2883))).not.toEqual([]);
  });

  it.each([
    [
      "a list in a list",
      {
        type: "object",
        properties: { a: { type: "array", items: { type: "string", maxLength: 30 } } },
        "x-kubernetes-validations": [{ rule: "self.a.all(x, self.a.exists(y, x == y))" }],
      },
    ],
    [
      "a rule below two lists",
      {
        type: "array",
        items: {
          type: "array",
          items: { type: "string", "x-kubernetes-validations": [{ rule: "self.matches('^a+$')" }] },
        },
      },
    ],
    [
      "a bound that is too high",
      {
        type: "object",
        properties: {
          a: { type: "array", maxItems: 99_999, items: { type: "string", maxLength: 30 } },
        },
        "x-kubernetes-validations": [{ rule: "self.a.all(x, self.a.exists(y, x == y))" }],
      },
    ],
  ])("passes once the advice is taken: %s", (_, schema) => {
    const before = checkDefinition(spec(schema));
    const advice = before[0]?.next ?? "";
    expect(advice).toMatch(/; set max/);
    const advised = structuredClone(schema) as Record<string, unknown>;
    for (const [, bound = "", path = "", value] of advice.matchAll(/(max\w+) of (\S+) to (\d+)/g)) {
      (at(advised, schemaPath(path)) as Record<string, number>)[bound] = Number(value);
    }
    expect(checkDefinition(spec(advised))).toEqual([]);
  });

  /** `spec.a[]` as a path into the schema of spec. */
  function schemaPath(path: string): readonly string[] {
    return path
      .replace(/^spec\.?/, "")
      .split(/\.|(?=\[\])/)
      .filter((step) => step !== "")
      .flatMap((step) => (step === "[]" ? ["items"] : ["properties", step]));
  }
});

describe("what we ship", () => {
  const xrd = parse(
    readFileSync(new URL("../package/apis/modelreplicas/definition.yaml", import.meta.url), "utf8"),
  );

  it("has nothing that the API server would refuse, costs of rules included (H02)", () => {
    expect(checkDefinition(xrd)).toEqual([]);
  });

  it("would be refused without the bounds around its rules", () => {
    const loose = JSON.parse(
      JSON.stringify(xrd, (key, value) => (key === "maxItems" ? undefined : value)),
    );
    const findings = checkDefinition(loose);
    expect(findings.length).toBeGreaterThan(3);
    for (const { field, next } of findings) {
      expect(field).toMatch(/^spec\.versions\[0\]\.schema\.openAPIV3Schema/);
      expect(next).toMatch(/estimate/);
    }
  });
});

it("has nothing to say of other documents", () => {
  for (const document of [null, 1, {}, { kind: "ConfigMap" }, []]) {
    expect(checkDefinition(document)).toEqual([]);
  }
});
