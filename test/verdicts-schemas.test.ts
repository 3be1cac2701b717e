import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { matchesFormat } from "../schema/formats.ts";
import { loadDefinition } from "../schema/load.ts";
import { FORMATS } from "./schemas/format-texts.ts";
import { question } from "./schemas/generate.ts";

interface Recorded {
  readonly schema: unknown;
  readonly object: Readonly<Record<string, unknown>>;
  readonly causes?: readonly (readonly [string, string, string])[];
  readonly stored?: Readonly<Record<string, unknown>>;
  readonly unknown?: readonly string[];
  /** What the API server says of an object that it can't even decode. */
  readonly undecodable?: string;
}

// Generated schemas and objects (schemas/generate.ts, seed 4), with what the API server's own
// packages made of them (k8s.io/apiextensions-apiserver v0.37.2, in the order of its create handler).
const recorded = lines<Recorded>("schemas/verdicts.jsonl.gz");
// Texts (schemas/format-texts.ts), each with the formats that it has by the same packages.
const formatted = lines<readonly string[]>("schemas/formats.jsonl.gz");

function lines<T>(path: string): readonly T[] {
  return gunzipSync(readFileSync(new URL(path, import.meta.url)))
    .toString("utf8")
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

const sorted = <T>(values: readonly T[]) => values.map((value) => JSON.stringify(value)).sort();

function judge({ schema, object }: Recorded) {
  const loaded = loadDefinition({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.org" },
    spec: {
      group: "example.org",
      names: { kind: "Thing" },
      versions: [{ name: "v1", served: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  if (!loaded.ok) throw new Error(loaded.error);
  const [definition] = loaded.definitions;
  return definition?.check({
    apiVersion: "example.org/v1",
    kind: "Thing",
    metadata: { name: "a", namespace: "default" },
    ...object,
  });
}

describe("the API server's verdicts on generated schemas", () => {
  it.each(recorded.map((one, index) => [index + 1, one] as const))("line %i", (_, one) => {
    const checked = judge(one);
    const causes =
      checked?.findings.map(({ type, field, message }) => [type, field, message]) ?? [];
    if (one.undecodable !== undefined) {
      expect(causes).not.toEqual([]);
      return;
    }
    const { spec } = one.stored ?? {};
    expect({
      causes: sorted(causes),
      spec: checked?.object.spec,
      unknown: sorted(checked?.unknownFields ?? []),
    }).toEqual({ causes: sorted(one.causes ?? []), spec, unknown: sorted(one.unknown ?? []) });
  });

  it("covers refusals of every type, acceptance, defaults and unknown fields", () => {
    const types = new Set(recorded.flatMap(({ causes = [] }) => causes.map(([type]) => type)));
    expect([...types].sort()).toEqual([
      "FieldValueDuplicate",
      "FieldValueInvalid",
      "FieldValueNotSupported",
      "FieldValueRequired",
      "FieldValueTooLong",
      "FieldValueTooMany",
      "FieldValueTypeInvalid",
    ]);
    expect(recorded.filter(({ causes }) => causes?.length === 0).length).toBeGreaterThan(300);
    expect(recorded.filter(({ unknown }) => (unknown?.length ?? 0) > 0).length).toBeGreaterThan(
      300,
    );
    expect(recorded.length).toBeGreaterThan(2_000);
  });

  it("reads every format as it does", () => {
    const read = formatted.map(([text = ""]) => [
      text,
      ...FORMATS.filter((format) => matchesFormat(format, text)),
    ]);
    expect(read).toEqual(formatted);
    const met = new Set(formatted.flatMap(([, ...formats]) => formats));
    expect([...met].sort()).toEqual([...FORMATS].sort());
  });

  it("was made by the generator that is kept here", () => {
    const [first] = recorded;
    expect(JSON.stringify({ schema: first?.schema, object: first?.object })).toBe(
      JSON.stringify(question(4, 0)),
    );
  });
});
