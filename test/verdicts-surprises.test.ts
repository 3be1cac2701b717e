import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../kube/object.ts";
import type { Checked } from "../schema/definitions.ts";
import { FloatLiteral } from "../schema/number.ts";
import { shippedDefinition } from "./verdicts/definition.ts";

// Facts about a real API server that surprise; each was measured on one.
const definition = shippedDefinition("modelreplicas");

type Part = Record<string, unknown>;

const engineContainer = (more: Part = {}): Part => ({ name: "engine", image: "i", ...more });
const member = (more: Part = {}, container: Part = {}): Part => ({
  nodePoolName: "p",
  deviceRequests: [{ name: "gpu", deviceClassName: "c" }],
  template: { spec: { containers: [engineContainer(container)] } },
  ...more,
});
const replica = (spec: Part, more: Part = {}): KubeObject => ({
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "ModelReplica",
  metadata: { name: "r", namespace: "n" },
  spec,
  ...more,
});
const withMember = (...members: Part[]) =>
  replica({ clusterName: "c", engines: [{ name: "e", members }] });
const withContainer = (container: Part) => withMember(member({}, container));
const check = (object: KubeObject) => definition.check(object);
const lines = ({ findings }: Checked) =>
  findings.map(({ type, field, message }) => `${field} ${type} ${message}`).sort();
const at = (checked: Checked, ...path: (string | number)[]): unknown =>
  // biome-ignore lint/suspicious/noExplicitAny: a test walks where it likes.
  path.reduce((value: any, step) => value?.[step], checked.object);
const memberPath = ["spec", "engines", 0, "members", 0] as const;
const containerPath = [...memberPath, "template", "spec", "containers", 0] as const;
const container0 = "spec.engines[0].members[0].template.spec.containers[0]";
const NOT_CHECKED =
  "<nil> FieldValueInvalid Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

describe("nulls", () => {
  it("become the default", () => {
    const checked = check(withMember(member({ role: null })));
    expect(at(checked, ...memberPath, "role")).toBe("Standalone");
    expect(lines(checked)).toEqual([]);
  });

  it("vanish from maps, from objects and from lists of devices", () => {
    const labels = { a: null, b: "c" };
    const checked = check(
      withMember(
        member({
          role: "Leader",
          worker: null,
          template: { ...(member().template as Part), metadata: { labels } },
        }),
        member({ role: "Worker", deviceRequests: null }),
      ),
    );
    expect(lines(checked)).toEqual([]);
    expect(at(checked, ...memberPath, "template", "metadata", "labels")).toEqual({ b: "c" });
    expect(at(checked, ...memberPath)).not.toHaveProperty("worker");
    expect(at(checked, "spec", "engines", 0, "members", 1)).not.toHaveProperty("deviceRequests");
  });

  it("are a wrong type as items of a list", () => {
    expect(lines(check(withContainer({ args: [null] })))).toEqual([
      NOT_CHECKED,
      `${container0}.args[0] FieldValueTypeInvalid Invalid value: "null": ${container0}.args[0] in body must be of type string: "null"`,
    ]);
  });

  it("stay in a config, and count there", () => {
    const endpointPicker = {
      template: { spec: { containers: [{ name: "epp", image: "i" }] } },
      config: { a: null, b: [null, { c: null }] },
    };
    const serving = { router: "EndpointPicker", endpointPicker };
    const engines = [{ name: "e", members: [member()] }];
    const checked = check(replica({ clusterName: "c", serving, engines }));
    expect(lines(checked)).toEqual([]);
    expect(at(checked, "spec", "serving", "endpointPicker", "config")).toEqual(
      endpointPicker.config,
    );
  });
});

describe("pruning comes first", () => {
  it("so a selector of unknown kind is an empty one", () => {
    const request = { name: "gpu", deviceClassName: "c", selectors: [{ x: 1 }] };
    const checked = check(withMember(member({ deviceRequests: [request] })));
    const field = "spec.engines[0].members[0].deviceRequests[0].selectors[0]";
    expect(lines(checked)).toEqual([
      `${field} FieldValueInvalid Invalid value: 0: ${field} in body should have at least 1 properties`,
    ]);
    expect(checked.unknownFields).toEqual([`${field}.x`]);
  });

  it("so a probe with exec and grpc passes, without exec", () => {
    const readinessProbe = { exec: { command: ["x"] }, grpc: { port: 1 } };
    const checked = check(withContainer({ readinessProbe }));
    expect(lines(checked)).toEqual([]);
    expect(at(checked, ...containerPath, "readinessProbe")).toEqual({ grpc: { port: 1 } });
  });

  it("so TCP 53 and UDP 53 are one port, twice", () => {
    const ports = [
      { containerPort: 53, protocol: "TCP" },
      { containerPort: 53, protocol: "UDP" },
    ];
    expect(lines(check(withContainer({ ports })))).toEqual([
      `${container0}.ports[1] FieldValueDuplicate Duplicate value: {"containerPort":53}`,
    ]);
  });

  it("and only the second of many equal items is reported", () => {
    const ports = [1, 1, 1].map((containerPort) => ({ containerPort }));
    expect(check(withContainer({ ports })).findings.map(({ field }) => field)).toEqual([
      `${container0}.ports[1]`,
    ]);
  });
});

describe("status", () => {
  const spec = { clusterName: "c", engines: [{ name: "e", members: [member()] }] };

  it("is not judged when the object is written, even a string", () => {
    expect(lines(check(replica(spec, { status: "broken" })))).toEqual([]);
  });

  it("is left alone, with what Crossplane adds", () => {
    const condition = {
      type: "Ready",
      status: "True",
      reason: "Available",
      lastTransitionTime: "x",
    };
    const status = { served: true, conditions: [condition] };
    const crossplane = {
      compositionRef: { name: "x" },
      resourceRefs: [{ apiVersion: "v1", kind: "Pod", name: "x" }],
    };
    const checked = check(replica({ ...spec, crossplane }, { status }));
    expect(checked.unknownFields).toEqual([]);
    expect(at(checked, "status")).toEqual(status);
    expect(at(checked, "spec", "crossplane")).toEqual(crossplane);
  });

  it("is judged when a controller writes it", () => {
    const engines = [{ name: "e", copies: 1, readyCopies: 0, updatedCopies: 1, message: "m" }];
    const condition = {
      type: "Ready",
      status: "True",
      reason: "A",
      lastTransitionTime: "2026-01-02T03:04:05Z",
    };
    const good = {
      served: true,
      observedSpecHash: "0123456789abcdef",
      engines,
      conditions: [condition],
    };
    const object = replica(spec, { status: good });
    expect(lines(definition.check(object, "status"))).toEqual([]);
    expect(definition.check(object, "status").unknownFields).toEqual([]);
    const bad = {
      served: "yes",
      engines: [...engines, ...engines],
      conditions: [{ ...condition, lastTransitionTime: "now" }],
      endpoint: "x",
    };
    const checked = definition.check(replica(spec, { status: bad }), "status");
    expect(checked.unknownFields).toEqual(["status.endpoint"]);
    expect(lines(checked)).toEqual([
      NOT_CHECKED,
      `status.conditions[0].lastTransitionTime FieldValueTypeInvalid Invalid value: "now": status.conditions[0].lastTransitionTime in body must be of type date-time: "now"`,
      `status.engines[1] FieldValueDuplicate Duplicate value: {"name":"e"}`,
      `status.served FieldValueTypeInvalid Invalid value: "string": status.served in body must be of type boolean: "string"`,
    ]);
  });
});

describe("which schema errors keep the rules from being checked", () => {
  const rule =
    "spec FieldValueInvalid Invalid value: engine phase may only be set when serving.mode is PrefillDecode";
  // Each spec violates rule 4 too, if anyone looks.
  const phased = (more: Part, engineMore: Part = {}) =>
    check(
      replica({
        clusterName: "c",
        engines: [{ name: "e", phase: "Decode", members: [member()], ...engineMore }],
        ...more,
      }),
    );

  it.each([
    [
      "Required",
      phased({ modelCacheRef: {} }),
      "spec.modelCacheRef.name FieldValueRequired Required value",
    ],
    [
      "TooLong",
      phased({}, { name: "😀".repeat(64) }),
      "spec.engines[0].name FieldValueTooLong Too long: may not be more than 63 bytes",
    ],
    [
      "TooMany",
      phased({}, { members: [member(), member(), member()] }),
      "spec.engines[0].members FieldValueTooMany Too many: 3: must have at most 2 items",
    ],
    [
      "NotSupported",
      phased({ serving: { mode: "X" } }),
      `spec.serving.mode FieldValueNotSupported Unsupported value: "X": supported values: "Unified", "PrefillDecode"`,
    ],
    [
      "TypeInvalid",
      phased({ clusterName: 1 }),
      `spec.clusterName FieldValueTypeInvalid Invalid value: "integer": spec.clusterName in body must be of type string: "integer"`,
    ],
  ])("%s does", (_, checked, finding) => {
    expect(lines(checked)).toEqual([NOT_CHECKED, finding].sort());
  });

  it.each([
    [
      "minLength",
      phased({ clusterName: "" }),
      `spec.clusterName FieldValueInvalid Invalid value: "": spec.clusterName in body should be at least 1 chars long`,
    ],
    [
      "minimum",
      phased({}, { copies: 0 }),
      "spec.engines[0].copies FieldValueInvalid Invalid value: 0: spec.engines[0].copies in body should be greater than or equal to 1",
    ],
    [
      "maximum",
      phased({}, { copies: 65 }),
      "spec.engines[0].copies FieldValueInvalid Invalid value: 65: spec.engines[0].copies in body should be less than or equal to 64",
    ],
    [
      "pattern",
      phased({}, { members: [member({}, { ports: [{ containerPort: 1, name: "-" }] })] }),
      `${container0}.ports[0].name FieldValueInvalid Invalid value: "-": ${container0}.ports[0].name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'`,
    ],
    [
      "minItems",
      phased({}, { members: [member({ deviceRequests: [] })] }),
      "spec.engines[0].members[0].deviceRequests FieldValueInvalid Invalid value: 0: spec.engines[0].members[0].deviceRequests in body should have at least 1 items",
    ],
    [
      "a duplicate",
      phased(
        {},
        { members: [member({}, { ports: [{ containerPort: 1 }, { containerPort: 1 }] })] },
      ),
      `${container0}.ports[1] FieldValueDuplicate Duplicate value: {"containerPort":1}`,
    ],
  ])("%s does not", (_, checked, finding) => {
    expect(lines(checked)).toEqual([rule, finding].sort());
  });
});

describe("numbers", () => {
  const float = (value: number) => new FloatLiteral(value);

  it("written as floats pass as integers, and no rule can read them", () => {
    const checked = check(withContainer({ ports: [{ containerPort: float(8000), name: "x" }] }));
    const rules = [
      "at most one container in a serving pod may declare the serving port (serving.port, 8000 by default)",
      "the engine container may name the serving port only 'http'",
    ];
    expect(lines(checked)).toEqual(
      rules.map(
        (rule) =>
          `spec FieldValueInvalid Invalid value: "object": invalid data, expected int, got float64 evaluating rule: ${rule}`,
      ),
    );
    expect(JSON.stringify(at(checked, ...containerPath, "ports"))).toBe(
      '[{"containerPort":8000,"name":"x"}]',
    );
  });

  it("that nobody reads are stored as they are", () => {
    const readinessProbe = { grpc: { port: 1 }, periodSeconds: float(10) };
    expect(lines(check(withContainer({ readinessProbe })))).toEqual([]);
  });

  it("are integers up to 2^63 - 1", () => {
    const seconds = (initialDelaySeconds: unknown) =>
      lines(check(withContainer({ readinessProbe: { grpc: { port: 1 }, initialDelaySeconds } })));
    const field = `${container0}.readinessProbe.initialDelaySeconds`;
    expect(seconds(2n ** 63n - 1n)).toEqual([]);
    const refused = [
      `<nil> FieldValueInvalid Invalid value: "": Checked value must be of type integer (default format) in ${field}`,
      NOT_CHECKED,
      `${field} FieldValueTypeInvalid Invalid value: "number": ${field} in body must be of type integer: "number"`,
    ];
    expect(seconds(2n ** 63n)).toEqual(refused);
    expect(seconds(1.5)).toEqual(refused);
    expect(seconds(float(2 ** 53))).toEqual(refused.slice(1));
  });

  it("from protobuf are doubles, and as good as integers", () => {
    const checked = check(withContainer({ ports: [{ containerPort: 8e3, name: "http" }] }));
    expect(lines(checked)).toEqual([]);
  });
});

describe("ports that are strings", () => {
  const probed = (port: unknown) => ({ readinessProbe: { httpGet: { port } } });
  const gang = (worker: Part) =>
    withMember(member({ role: "Leader" }), member({ role: "Worker" }, worker));

  it("are names on a Worker, digits too", () => {
    expect(check(gang(probed("8080"))).findings).toHaveLength(1);
    expect(
      check(gang({ ...probed("p"), ports: [{ containerPort: 1, name: "p" }] })).findings,
    ).toEqual([]);
  });

  it("may be empty on other roles", () => {
    expect(check(withContainer(probed(""))).findings).toEqual([]);
  });
});

describe("names that JavaScript knows", () => {
  it("are labels like any other", () => {
    const labels = { constructor: "a", toString: "b", hasOwnProperty: "c", length: "d" };
    const template = { ...(member().template as Part), metadata: { labels } };
    const checked = check(withMember(member({ template })));
    expect(lines(checked)).toEqual([]);
    expect(at(checked, ...memberPath, "template", "metadata", "labels")).toEqual(labels);
  });

  it("reach no prototype: __proto__ stays in a config and is unknown elsewhere", () => {
    const hostile = (json: string) => JSON.parse(json) as Part;
    const config = hostile('{"__proto__":{"polluted":true}}');
    const endpointPicker = {
      template: { spec: { containers: [{ name: "epp", image: "i" }] } },
      config,
    };
    const spec = {
      clusterName: "c",
      serving: { router: "EndpointPicker", endpointPicker },
      engines: [{ name: "e", members: [member()] }],
    };
    const checked = check(replica(spec));
    expect(lines(checked)).toEqual([]);
    expect(JSON.stringify(at(checked, "spec", "serving", "endpointPicker", "config"))).toBe(
      JSON.stringify(config),
    );
    const unknown = check(replica({ ...spec, ...hostile('{"__proto__":{}}') }));
    expect(
      check({
        ...unknown.object,
        spec: hostile(`{"__proto__":{"a":1},"clusterName":"c","engines":[]}`),
      }).unknownFields,
    ).toEqual(["spec.__proto__"]);
    expect(({} as Part).polluted).toBeUndefined();
  });

  it("never count as present", () => {
    expect(lines(check(replica({ toString: 1 } as Part)))).toEqual([
      NOT_CHECKED,
      "spec.clusterName FieldValueRequired Required value",
      "spec.engines FieldValueRequired Required value",
    ]);
  });
});

describe("text", () => {
  it("counts code points, not UTF-16 units", () => {
    const named = (name: string) =>
      check(replica({ clusterName: "c", engines: [{ name, members: [member()] }] }));
    expect(lines(named("😀".repeat(63)))).toEqual([]);
    expect(named("😀".repeat(64)).findings[0]?.type).toBe("FieldValueTooLong");
  });

  it("with half a surrogate pair is stored with U+FFFD", () => {
    const checked = check(
      replica({ clusterName: "a\ud800b", engines: [{ name: "e", members: [member()] }] }),
    );
    expect(at(checked, "spec", "clusterName")).toBe("a\ufffdb");
  });

  it("that is hostile to a backtracking pattern is judged at once", () => {
    const template = (key: string) => ({
      ...(member().template as Part),
      metadata: { labels: { [key]: "x" } },
    });
    const hostile = `${"a-".repeat(50_000)}!`;
    const checked = check(withMember(member({ template: template(hostile) })));
    expect(checked.findings.map(({ message }) => message)).toEqual([
      "Invalid value: member template.metadata.labels keys must be valid Kubernetes label keys",
      "Invalid value: member template.metadata.labels key prefixes must be DNS subdomains of at most 253 characters",
    ]);
  });
});

describe("what the schema accepts although a cluster would not", () => {
  it.each([
    [
      "engine names",
      replica({
        clusterName: "c",
        engines: ["My_Engine", "a/b", "-"].map((name) => ({ name, members: [member()] })),
      }),
    ],
    [
      "port names",
      withContainer({
        ports: [
          { containerPort: 1, name: "123" },
          { containerPort: 2, name: "a--b" },
        ],
      }),
    ],
    [
      "quantities",
      withContainer({ resources: { requests: { cpu: "lots", memory: "" }, limits: { cpu: -1 } } }),
    ],
    [
      "environment",
      withContainer({
        env: [{ name: "" }, { name: "A", value: "x", valueFrom: {} }, { name: "A" }],
      }),
    ],
    [
      "seconds beyond int32",
      withContainer({ readinessProbe: { grpc: { port: 1 }, periodSeconds: 2 ** 40 } }),
    ],
    ["a blank image", withContainer({ image: " " })],
    ["a template without a pod", withMember(member({ template: {} }))],
  ])("%s", (_, object) => {
    expect(lines(check(object))).toEqual([]);
  });
});

describe("any object", () => {
  const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>;
  const names = [
    "clusterName",
    "engines",
    "members",
    "template",
    "spec",
    "containers",
    "name",
    "ports",
    "role",
    "constructor",
    "__proto__",
    "length",
  ];
  const hostile = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      json,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 4 }),
    ),
  })).value;

  it("is judged without a throw, and its findings lead to a path", () => {
    fc.assert(
      fc.property(hostile, (spec) => {
        const checked = check(replica(spec as Part));
        for (const { field, path } of checked.findings) {
          expect(field === "<nil>" || path.length > 0).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("is left as it was, and stored the same when it is stored again", () => {
    fc.assert(
      fc.property(hostile, (spec) => {
        const before = JSON.stringify(spec);
        const stored = check(replica(spec as Part)).object;
        expect(JSON.stringify(spec)).toBe(before);
        const again = check(stored);
        expect(again.object).toEqual(stored);
        expect(again.unknownFields).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
