import { expect, it } from "vitest";
import type { KubeObject } from "../kube/object.ts";
import { validateObjectMeta } from "./object-meta.ts";

const fields = (metadata: Record<string, unknown>) => {
  const object = { apiVersion: "v1", kind: "A", metadata } as KubeObject;
  return validateObjectMeta(object).map(
    ({ field, type, message }) => `${field} ${type} ${message.slice(0, 60)}`,
  );
};

it.each([
  [{ name: "a" }],
  [
    {
      name: "a.b-c.1",
      namespace: "n",
      labels: { "a.b/C_d": "", e: "F.g" },
      annotations: { "A.b/c": "anything\n" },
    },
  ],
  [{ generateName: "a-" }],
  [{ name: `${"a".repeat(253)}` }],
])("accepts %j", (metadata) => {
  expect(fields(metadata)).toEqual([]);
});

it.each([
  [{}, ["metadata.name FieldValueRequired Required value: name or generateName is required"]],
  [
    { name: "A" },
    [
      'metadata.name FieldValueInvalid Invalid value: "A": a lowercase RFC 1123 subdomain must cons',
    ],
  ],
  [{ name: "a".repeat(254) }, [expect.stringContaining("metadata.name FieldValueInvalid")]],
  [
    { name: 1 },
    [
      'metadata.name FieldValueTypeInvalid Invalid value: "integer": metadata.name in body must be of t',
    ],
  ],
  [{ generateName: "-" }, [expect.stringContaining("metadata.generateName FieldValueInvalid")]],
  [{ generateName: "-a" }, [expect.stringContaining("metadata.generateName FieldValueInvalid")]],
  [
    { name: "a", namespace: "a.b" },
    ['metadata.namespace FieldValueInvalid Invalid value: "a.b": must not contain dots'],
  ],
  [
    { name: "a", labels: { "-": "x" } },
    [
      'metadata.labels FieldValueInvalid Invalid value: "-": name part must consist of alphanumeric c',
    ],
  ],
  [
    { name: "a", labels: { "A/b": "x" } },
    [
      'metadata.labels FieldValueInvalid Invalid value: "A/b": prefix part a lowercase RFC 1123 subdo',
    ],
  ],
  [
    { name: "a", labels: { "a/b/c": "x", "/b": "", "": "", ["n".repeat(64)]: "" } },
    // A key without a name is told both that and what a name looks like.
    Array.from({ length: 5 }, () => expect.stringContaining("metadata.labels FieldValueInvalid")),
  ],
  [
    { name: "a", labels: { a: "-x" } },
    [
      'metadata.labels FieldValueInvalid Invalid value: "-x": a valid label must be an empty string o',
    ],
  ],
  [
    { name: "a", labels: { a: "x".repeat(64) } },
    [expect.stringContaining("metadata.labels FieldValueInvalid")],
  ],
  [
    { name: "a", labels: { a: true } },
    [
      'metadata.labels.a FieldValueTypeInvalid Invalid value: "boolean": metadata.labels.a in body must be ',
    ],
  ],
  [
    { name: "a", annotations: { "a b": "x" } },
    [
      'metadata.annotations FieldValueInvalid Invalid value: "a b": name part must consist of alphanumeric',
    ],
  ],
])("refuses %j", (metadata, findings) => {
  expect(fields(metadata)).toEqual(findings);
});

// As apimachinery v0.37.2's ValidateObjectMeta answers.
it.each([
  [{ name: "a".repeat(254) }, "must be no more than 253 characters"],
  [{ name: "a", namespace: "n".repeat(64) }, "must be no more than 63 characters"],
  [{ name: "a", labels: { a: "x".repeat(64) } }, "must be no more than 63 bytes"],
  [
    { name: "a", labels: { [`${"a".repeat(254)}/b`]: "" } },
    "prefix part must be no more than 253 bytes",
  ],
])("counts what is too long in Kubernetes' words: %j", (metadata, words) => {
  const object = { apiVersion: "v1", kind: "A", metadata } as unknown as KubeObject;
  const messages = validateObjectMeta(object).map(({ message }) => message);
  expect(messages).toEqual([expect.stringMatching(`: ${words}$`)]);
});

it("takes a prefix that is one character too long with its dash", () => {
  expect(fields({ generateName: `${"a".repeat(253)}-` })).toEqual([]);
});
