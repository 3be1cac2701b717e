import { isRecord } from "../kube/object.ts";

/** A node of an OpenAPI v3 schema as an XRD or CRD carries it, not yet checked. */
export type RawSchema = Readonly<Record<string, unknown>>;

const MAX_COMPOSITE_NAME = 63;

const string = { type: "string" };
const reference = { type: "object", required: ["name"], properties: { name: string } };
const selector = {
  type: "object",
  required: ["matchLabels"],
  properties: { matchLabels: { type: "object", additionalProperties: string } },
};

// What Crossplane 2.3 adds to every composite resource that is not of a legacy scope. A namespaced
// one may not compose into other namespaces, so its references carry none.
const machinery = (namespaced: boolean, updatePolicy: unknown) => ({
  type: "object",
  description: "How Crossplane reconciles this composite resource.",
  properties: {
    compositionRef: reference,
    compositionSelector: selector,
    compositionRevisionRef: reference,
    compositionRevisionSelector: selector,
    compositionUpdatePolicy: {
      ...string,
      enum: ["Automatic", "Manual"],
      ...(updatePolicy === undefined ? {} : { default: updatePolicy }),
    },
    resourceRefs: {
      type: "array",
      "x-kubernetes-list-type": "atomic",
      items: {
        type: "object",
        required: ["apiVersion", "kind"],
        properties: {
          apiVersion: string,
          kind: string,
          name: string,
          ...(namespaced ? {} : { namespace: string }),
        },
      },
    },
  },
});

const conditions = {
  type: "array",
  description: "Conditions of the resource.",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["lastTransitionTime", "reason", "status", "type"],
    properties: {
      type: string,
      status: string,
      reason: string,
      message: string,
      lastTransitionTime: { ...string, format: "date-time" },
      observedGeneration: { type: "integer", format: "int64" },
    },
  },
};

/**
 * The schema that a composite resource's CRD really has: the parts of an XRD version's schema that
 * Crossplane takes over, with its own fields added (crossplane-runtime `xcrd`).
 */
export function compositeSchema(schema: RawSchema, xrdSpec: RawSchema): RawSchema {
  const properties = record(schema.properties);
  const spec = record(properties.spec);
  const status = record(properties.status);
  const name = record(record(record(properties.metadata).properties).name);
  const maxLength =
    typeof name.maxLength === "number"
      ? Math.min(name.maxLength, MAX_COMPOSITE_NAME)
      : MAX_COMPOSITE_NAME;
  const crossplane = machinery(
    xrdSpec.scope === "Namespaced" || xrdSpec.scope === undefined,
    xrdSpec.defaultCompositionUpdatePolicy,
  );
  return {
    type: "object",
    required: ["spec"],
    ...pick(schema, ["description", "x-kubernetes-validations"]),
    properties: {
      apiVersion: string,
      kind: string,
      metadata: {
        type: "object",
        properties: { name: { ...name, type: "string", maxLength } },
      },
      spec: {
        type: "object",
        ...pick(spec, [
          "description",
          "required",
          "oneOf",
          "x-kubernetes-preserve-unknown-fields",
          "x-kubernetes-validations",
        ]),
        properties: { ...record(spec.properties), crossplane },
      },
      status: {
        type: "object",
        ...pick(status, ["description", "required", "oneOf", "x-kubernetes-validations"]),
        properties: { ...record(status.properties), conditions },
      },
    },
  };
}

function record(value: unknown): RawSchema {
  return isRecord(value) ? value : {};
}

function pick(from: RawSchema, keys: readonly string[]): RawSchema {
  return Object.fromEntries(
    keys.filter((key) => Object.hasOwn(from, key)).map((key) => [key, from[key]]),
  );
}
