/** A part of a spec; the cases leave out or misspell what they please. */
type Part = Readonly<Record<string, unknown>>;

/** One spec under one rule: accepted, or refused with exactly these findings. */
export interface RuleCase {
  readonly title: string;
  readonly spec: Part;
  /** Each `field #rule`, or `field type: message` for what is no rule. */
  readonly findings: readonly string[];
}

/** The cases of a rule, by its number in the seed from 1 to 29. */
export interface RuleCases {
  readonly rule: number;
  readonly accepts: readonly RuleCase[];
  readonly rejects: readonly RuleCase[];
}

const port = (containerPort: unknown, name?: string): Part =>
  name === undefined ? { containerPort } : { containerPort, name };
const container = (name: string, ...ports: Part[]): Part =>
  ports.length === 0 ? { name, image: "i" } : { name, image: "i", ports };
const gpu = [{ name: "gpu", deviceClassName: "gpu.nvidia.com" }];
const member = (template: Part, more: Part = {}): Part => ({
  nodePoolName: "pool",
  deviceRequests: gpu,
  template,
  ...more,
});
const podOf = (...containers: Part[]): Part => ({ spec: { containers } });
const plain = podOf(container("engine"));
const engine = (name: string, more: Part = {}, ...members: Part[]): Part => ({
  name,
  members: members.length > 0 ? members : [member(plain)],
  ...more,
});
const spec = (serving: unknown, ...engines: Part[]): Part =>
  serving === undefined ? { clusterName: "c", engines } : { clusterName: "c", serving, engines };

const prefill = engine("p", { phase: "Prefill" });
const decode = engine("d", { phase: "Decode" });
const phaseless = engine("n");
const picker = { template: podOf(container("epp")) };
const disaggregated = { mode: "PrefillDecode", router: "EndpointPicker", endpointPicker: picker };

const one = (...containers: Part[]) =>
  spec(undefined, engine("e", {}, member(podOf(...containers))));
const served = (serving: Part, ...containers: Part[]) =>
  spec(serving, engine("e", {}, member(podOf(...containers))));
const gang = (leader: Part, worker: Part, ...order: ("l" | "w")[]): Part => {
  const both = { l: { role: "Leader", ...leader }, w: { role: "Worker", ...worker } };
  const members = (order.length > 0 ? order : (["l", "w"] as const)).map((which) => both[which]);
  return spec(undefined, engine("e", {}, ...members));
};
const onWorker = (...containers: Part[]) => gang(member(plain), member(podOf(...containers)));
const meta = (metadata: Part) => spec(undefined, engine("e", {}, member({ metadata, ...plain })));
const labels = (map: Part) => meta({ labels: map });
const annotations = (map: Part) => meta({ annotations: map });
const probe = (readinessProbe: Part, name = "engine", ...ports: Part[]): Part => ({
  ...container(name, ...ports),
  readinessProbe,
});
const pickerWith = (more: Part, name = "epp") =>
  spec(
    {
      router: "EndpointPicker",
      endpointPicker: { template: podOf({ ...container(name), ...more }) },
    },
    engine("e"),
  );
const withResources = (resources: Part) => one({ ...container("engine"), resources });

const ok = (title: string, of: Part): RuleCase => ({ title, spec: of, findings: [] });
const no = (title: string, of: Part, ...findings: string[]): RuleCase => ({
  title,
  spec: of,
  findings,
});

const member0 = "spec.engines[0].members[0]";
const metadata0 = `${member0}.template.metadata`;
const containers0 = `${member0}.template.spec.containers`;
const pickerContainers = "spec.serving.endpointPicker.template.spec.containers";
const long = (length: number) => "a".repeat(length);

/** At least three accepted and three refused specs for each of the 29 rules. */
export const ruleCases: readonly RuleCases[] = [
  {
    rule: 1,
    accepts: [
      ok("PrefillDecode with two engines", spec(disaggregated, prefill, decode)),
      ok("Unified with three engines", spec({}, phaseless, engine("m"), engine("o"))),
      ok("no serving, one engine", spec(undefined, phaseless)),
    ],
    rejects: [
      no("one engine", spec(disaggregated, prefill), "spec #1", "spec #3"),
      no("three engines", spec(disaggregated, prefill, decode, phaseless), "spec #1"),
      no(
        "three, two of them Prefill",
        spec(disaggregated, prefill, engine("q", { phase: "Prefill" }), decode),
        "spec #1",
        "spec #2",
      ),
    ],
  },
  {
    rule: 2,
    accepts: [
      ok("Prefill and Decode", spec(disaggregated, prefill, decode)),
      ok("Decode and Prefill", spec(disaggregated, decode, prefill)),
      ok("Unified without phases", spec({ mode: "Unified" }, phaseless)),
    ],
    rejects: [
      no("Decode alone has a phase", spec(disaggregated, phaseless, decode), "spec #2"),
      no(
        "two Decode",
        spec(disaggregated, decode, engine("q", { phase: "Decode" })),
        "spec #2",
        "spec #3",
      ),
      no(
        "two Prefill",
        spec(disaggregated, prefill, engine("q", { phase: "Prefill" })),
        "spec #2",
        "spec #3",
      ),
    ],
  },
  {
    rule: 3,
    accepts: [
      ok("Prefill and Decode", spec(disaggregated, prefill, decode)),
      ok("Decode and Prefill", spec(disaggregated, decode, prefill)),
      ok("no serving", spec(undefined, phaseless)),
    ],
    rejects: [
      no("Prefill alone has a phase", spec(disaggregated, prefill, phaseless), "spec #3"),
      no("no phase at all", spec(disaggregated, phaseless, engine("m")), "spec #2", "spec #3"),
      no(
        "a phase that is null",
        spec(disaggregated, prefill, engine("q", { phase: null })),
        "spec #3",
      ),
    ],
  },
  {
    rule: 4,
    accepts: [
      ok("no phase without serving", spec(undefined, phaseless)),
      ok("no phase with empty serving", spec({}, phaseless)),
      ok("phases under PrefillDecode", spec(disaggregated, prefill, decode)),
    ],
    rejects: [
      no("a phase without serving", spec(undefined, prefill), "spec #4"),
      no("a phase with empty serving", spec({}, decode), "spec #4"),
      no(
        "one of two with a phase under Unified",
        spec({ mode: "Unified" }, phaseless, decode),
        "spec #4",
      ),
    ],
  },
  {
    rule: 5,
    accepts: [
      ok("the engine declares it", one(container("engine", port(8000, "http")))),
      ok("nobody declares it", one(container("engine"), container("side"))),
      ok(
        "two on a Worker",
        onWorker(container("engine", port(8000)), container("side", port(8000))),
      ),
      ok("a template without spec", spec(undefined, engine("e", {}, member({})))),
    ],
    rejects: [
      no(
        "engine and peer",
        one(container("engine", port(8000)), container("proxy", port(8000))),
        "spec #5",
        "spec #6",
      ),
      no(
        "two peers",
        one(
          container("engine", port(8001, "http")),
          container("a", port(8000)),
          container("b", port(8000)),
        ),
        "spec #5",
      ),
      no(
        "both on serving.port",
        served({ port: 9000 }, container("engine", port(9000)), container("proxy", port(9000))),
        "spec #5",
        "spec #6",
      ),
    ],
  },
  {
    rule: 6,
    accepts: [
      ok(
        "the engine's http port elsewhere",
        one(container("engine", port(8001, "http")), container("proxy", port(8000))),
      ),
      ok(
        "serving.port",
        served(
          { port: 9000 },
          container("engine", port(8000, "http")),
          container("proxy", port(9000)),
        ),
      ),
      ok("a Worker's peer", onWorker(container("engine"), container("proxy", port(8000)))),
    ],
    rejects: [
      no(
        "engine without ports",
        one(container("engine"), container("proxy", port(8000))),
        "spec #6",
      ),
      no(
        "engine's port without a name",
        one(container("engine", port(8001)), container("proxy", port(8000))),
        "spec #6",
      ),
      no(
        "engine's port with another name",
        one(container("engine", port(8001, "api")), container("proxy", port(8000))),
        "spec #6",
      ),
    ],
  },
  {
    rule: 7,
    accepts: [
      ok("http on serving.port", served({ port: 9000 }, container("engine", port(9000, "http")))),
      ok("http on 8000", one(container("engine", port(8000, "http")))),
      ok(
        "a peer declares it",
        one(container("proxy", port(8000)), container("engine", port(8001, "http"))),
      ),
    ],
    rejects: [
      no("http elsewhere, alone", one(container("engine", port(8001, "http"))), "spec #7"),
      no(
        "http on 8000, serving.port 9000",
        served({ port: 9000 }, container("engine", port(8000, "http"))),
        "spec #7",
      ),
      no(
        "a peer elsewhere",
        one(container("engine", port(8001, "http")), container("proxy", port(8002))),
        "spec #7",
      ),
    ],
  },
  {
    rule: 8,
    accepts: [
      ok("without a name", one(container("engine", port(8000)))),
      ok("named http", one(container("engine", port(8000, "http")))),
      ok(
        "a peer may name it anything",
        one(container("engine", port(8001, "http")), container("proxy", port(8000, "api"))),
      ),
    ],
    rejects: [
      no("named api", one(container("engine", port(8000, "api"))), "spec #8"),
      no(
        "serving.port named grpc",
        served({ port: 9000 }, container("engine", port(9000, "grpc"))),
        "spec #8",
      ),
      no(
        "on a Leader",
        gang(member(podOf(container("engine", port(8000, "metrics")))), member(plain)),
        "spec #8",
      ),
    ],
  },
  {
    rule: 9,
    accepts: [
      ok(
        "router and picker",
        spec({ router: "EndpointPicker", endpointPicker: picker }, phaseless),
      ),
      ok("neither", spec({ mode: "Unified" }, phaseless)),
      ok("a picker that is null", spec({ endpointPicker: null }, phaseless)),
    ],
    rejects: [
      no("picker alone", spec({ endpointPicker: picker }, phaseless), "spec.serving #9"),
      no(
        "picker and port",
        spec({ port: 8000, endpointPicker: picker }, phaseless),
        "spec.serving #9",
      ),
      no(
        "under PrefillDecode",
        spec({ mode: "PrefillDecode", endpointPicker: picker }, prefill, decode),
        "spec.serving #9",
        "spec.serving #11",
      ),
    ],
  },
  {
    rule: 10,
    accepts: [
      ok("neither", spec({}, phaseless)),
      ok("both", spec({ router: "EndpointPicker", endpointPicker: picker }, phaseless)),
      ok("a router that is null", spec({ router: null }, phaseless)),
    ],
    rejects: [
      no("router alone", spec({ router: "EndpointPicker" }, phaseless), "spec.serving #10"),
      no(
        "router and port",
        spec({ router: "EndpointPicker", port: 1 }, phaseless),
        "spec.serving #10",
      ),
      no(
        "under PrefillDecode",
        spec({ mode: "PrefillDecode", router: "EndpointPicker" }, prefill, decode),
        "spec.serving #10",
      ),
    ],
  },
  {
    rule: 11,
    accepts: [
      ok("PrefillDecode with router and picker", spec(disaggregated, prefill, decode)),
      ok("Unified", spec({ mode: "Unified" }, phaseless)),
      ok("a mode that is null becomes Unified", spec({ mode: null }, phaseless)),
    ],
    rejects: [
      no("mode alone", spec({ mode: "PrefillDecode" }, prefill, decode), "spec.serving #11"),
      no(
        "mode and port",
        spec({ mode: "PrefillDecode", port: 9000 }, prefill, decode),
        "spec.serving #11",
      ),
      no(
        "picker without router",
        spec({ mode: "PrefillDecode", endpointPicker: picker }, decode, prefill),
        "spec.serving #9",
        "spec.serving #11",
      ),
    ],
  },
  {
    rule: 12,
    accepts: [
      ok("epp", pickerWith({})),
      ok("epp with arguments", pickerWith({ args: ["--v=2"] })),
      ok("epp with an environment", pickerWith({ env: [{ name: "A", value: "b" }] })),
    ],
    rejects: [
      no("picker", pickerWith({}, "picker"), `${pickerContainers} #12`),
      no("EPP", pickerWith({}, "EPP"), `${pickerContainers} #12`),
      no("engine", pickerWith({}, "engine"), `${pickerContainers} #12`),
    ],
  },
  {
    rule: 13,
    accepts: [
      ok("a number of cpus", pickerWith({ resources: { requests: { cpu: 1 } } })),
      ok(
        "all three limits",
        pickerWith({ resources: { limits: { cpu: "1", memory: "1Gi", "ephemeral-storage": 5 } } }),
      ),
      ok("empty maps", pickerWith({ resources: { requests: {}, limits: {} } })),
    ],
    rejects: [
      no(
        "a device",
        pickerWith({ resources: { limits: { "nvidia.com/gpu": 1 } } }),
        `${pickerContainers}[0].resources #13`,
      ),
      no(
        "huge pages",
        pickerWith({ resources: { requests: { "hugepages-2Mi": "1Gi" } } }),
        `${pickerContainers}[0].resources #13`,
      ),
      no(
        "a name that JavaScript knows",
        pickerWith({ resources: { requests: { cpu: 1 }, limits: { constructor: 1 } } }),
        `${pickerContainers}[0].resources #13`,
      ),
    ],
  },
  {
    rule: 14,
    accepts: [
      ok("no role means Standalone", spec(undefined, engine("e", {}, member(plain)))),
      ok("Leader and Worker", gang(member(plain), member(plain))),
      ok("Worker and Leader", gang(member(plain), member(plain), "w", "l")),
    ],
    rejects: [
      no("Leader alone", gang(member(plain), {}, "l"), "spec.engines[0] #14"),
      no("Worker alone", gang({}, member(plain), "w"), "spec.engines[0] #14"),
      no(
        "Standalone and Worker",
        spec(undefined, engine("e", {}, member(plain), member(plain, { role: "Worker" }))),
        "spec.engines[0] #14",
      ),
      no(
        "two Standalone",
        spec(undefined, engine("e", {}, member(plain), member(plain))),
        "spec.engines[0] #14",
      ),
      no("two Leaders", gang(member(plain), {}, "l", "l"), "spec.engines[0] #14"),
    ],
  },
  {
    rule: 15,
    accepts: [
      ok("Standalone", spec(undefined, engine("e"))),
      ok("the Worker alone", gang(member(plain, { deviceRequests: null }), member(plain))),
      ok("the Leader alone", gang(member(plain), { nodePoolName: "p", template: plain })),
    ],
    rejects: [
      no(
        "Standalone without",
        spec(undefined, engine("e", {}, { nodePoolName: "p", template: plain })),
        "spec.engines[0] #15",
      ),
      no(
        "a null counts as none",
        spec(undefined, engine("e", {}, member(plain, { deviceRequests: null }))),
        "spec.engines[0] #15",
      ),
      no(
        "neither of a gang, in the second engine",
        spec(
          undefined,
          engine("a"),
          engine(
            "b",
            {},
            { role: "Leader", nodePoolName: "p", template: plain },
            { role: "Worker", nodePoolName: "p", template: plain },
          ),
        ),
        "spec.engines[1] #15",
      ),
    ],
  },
  {
    rule: 16,
    accepts: [
      ok("a Worker of three nodes", gang(member(plain), member(plain, { worker: { nodes: 3 } }))),
      ok("a Worker without a size", gang(member(plain), member(plain))),
      ok("null on a Leader", gang(member(plain, { worker: null }), member(plain))),
    ],
    rejects: [
      no(
        "a Leader",
        gang(member(plain, { worker: { nodes: 1 } }), member(plain)),
        `${member0} #16`,
      ),
      no(
        "Standalone",
        spec(
          undefined,
          engine("e", {}, member(plain, { role: "Standalone", worker: { nodes: 1 } })),
        ),
        `${member0} #16`,
      ),
      no(
        "no role",
        spec(undefined, engine("e", {}, member(plain, { worker: { nodes: 63 } }))),
        `${member0} #16`,
      ),
    ],
  },
  {
    rule: 17,
    accepts: [
      ok(
        "a name that the engine declares",
        onWorker(probe({ tcpSocket: { port: "rpc" } }, "engine", port(50051, "rpc"))),
      ),
      ok("a number", onWorker(probe({ httpGet: { port: 8080 } }))),
      ok(
        "a Leader's http",
        gang(member(podOf(probe({ httpGet: { port: "http" } }))), member(plain)),
      ),
      ok(
        "a container beside a Worker's engine",
        onWorker(container("engine"), probe({ httpGet: { port: "x" } }, "side")),
      ),
    ],
    rejects: [
      no(
        "a name that nobody declares",
        onWorker(probe({ httpGet: { port: "http" } })),
        "spec.engines[0].members[1] #17",
      ),
      no(
        "a number in quotes is a name",
        onWorker(probe({ tcpSocket: { port: "8080" } }, "engine", port(8080))),
        "spec.engines[0].members[1] #17",
      ),
      no(
        "a name that only a peer declares",
        onWorker(probe({ httpGet: { port: "rpc" } }), container("side", port(1, "rpc"))),
        "spec.engines[0].members[1] #17",
      ),
      no(
        "an empty name",
        onWorker(probe({ httpGet: { port: "" } }, "engine", port(1))),
        "spec.engines[0].members[1] #17",
      ),
    ],
  },
  {
    rule: 18,
    accepts: [
      ok("another prefix", labels({ "a.io/x": "y" })),
      ok("the prefix without a slash", labels({ "modelplane.ai": "y" })),
      ok("a longer domain", labels({ "my.modelplane.ai/x": "y" })),
      ok("no labels", meta({ labels: {} })),
    ],
    rejects: [
      no("a key of ours", labels({ "modelplane.ai/serving": "y" }), `${metadata0} #18`),
      no(
        "a key that is ours by its prefix alone",
        labels({ a: "b", "modelplane.ai/x": "" }),
        `${metadata0} #18`,
      ),
      no(
        "nothing behind the prefix",
        labels({ "modelplane.ai/": "y" }),
        `${metadata0} #18`,
        `${metadata0} #19`,
      ),
    ],
  },
  {
    rule: 19,
    accepts: [
      ok("with a prefix", labels({ "example.com/role": "y" })),
      ok(
        "names that JavaScript knows",
        labels({ constructor: "a", toString: "b", hasOwnProperty: "c", length: "d" }),
      ),
      ok("63 characters", labels({ [long(63)]: "y" })),
      ok("__proto__ is not a valid key, but _ inside is", labels({ a__proto__b: "y" })),
    ],
    rejects: [
      no("a prefix that is no domain", labels({ "Bad_Prefix/x": "y" }), `${metadata0} #19`),
      no("a dash in front", labels({ "-x": "y" }), `${metadata0} #19`),
      no("64 characters", labels({ [long(64)]: "y" }), `${metadata0} #19`),
      no("two slashes", labels({ "a/b/c": "y" }), `${metadata0} #19`),
      no(
        "one of many, whatever the order",
        labels({ a: "b", "x ": "y", c: "d" }),
        `${metadata0} #19`,
      ),
    ],
  },
  {
    rule: 20,
    accepts: [
      ok("a short prefix", labels({ "a.b/c": "y" })),
      ok("a prefix of 253 characters", labels({ [`${long(253)}/c`]: "y" })),
      ok("no prefix", labels({ c: "y" })),
    ],
    rejects: [
      no("254 characters", labels({ [`${long(254)}/c`]: "y" }), `${metadata0} #20`),
      no(
        "254 characters with dots",
        labels({ [`${"a.".repeat(126)}aa/c`]: "y" }),
        `${metadata0} #20`,
      ),
      no(
        "300 characters beside a good one",
        labels({ a: "b", [`${long(300)}/c`]: "" }),
        `${metadata0} #20`,
      ),
    ],
  },
  {
    rule: 21,
    accepts: [
      ok("empty", labels({ a: "" })),
      ok("a version", labels({ a: "v1.2" })),
      ok("63 characters of every kind", labels({ a: `A-_.${long(58)}9` })),
    ],
    rejects: [
      no("a dash in front", labels({ a: "-x" }), `${metadata0} #21`),
      no("a space", labels({ a: "a b" }), `${metadata0} #21`),
      no("63 code points of another alphabet", labels({ a: "é".repeat(63) }), `${metadata0} #21`),
      no("63 code points in 126 UTF-16 units", labels({ a: "😀".repeat(63) }), `${metadata0} #21`),
    ],
  },
  {
    rule: 22,
    accepts: [
      ok("with a prefix", annotations({ "example.com/c": "any\nvalue" })),
      ok("our prefix is free here", annotations({ "modelplane.ai/x": "" })),
      ok("a name that JavaScript knows", annotations({ constructor: "x", valueOf: "y" })),
    ],
    rejects: [
      no("two slashes", annotations({ "a/b/c": "" }), `${metadata0} #22`),
      no(
        "an upper case prefix, which Kubernetes itself would take",
        annotations({ "A/b": "" }),
        `${metadata0} #22`,
      ),
      no("an empty key", annotations({ "": "" }), `${metadata0} #22`),
    ],
  },
  {
    rule: 23,
    accepts: [
      ok("a short prefix", annotations({ "a/c": "" })),
      ok("a prefix of 253 characters", annotations({ [`${long(253)}/c`]: "" })),
      ok("no annotations", meta({ annotations: {} })),
    ],
    rejects: [
      no("254 characters", annotations({ [`${long(254)}/c`]: "" }), `${metadata0} #23`),
      no("300 characters", annotations({ [`${long(300)}/c`]: "" }), `${metadata0} #23`),
      no(
        "254 beside 253",
        annotations({ [`${long(253)}/c`]: "", [`${long(254)}/c`]: "" }),
        `${metadata0} #23`,
      ),
    ],
  },
  {
    rule: 24,
    accepts: [
      ok("engine", one(container("engine"))),
      ok("engine and proxy", one(container("engine"), container("proxy"))),
      ok("proxy and engine", one(container("proxy"), container("engine"))),
    ],
    rejects: [
      no("another name", one(container("vllm")), `${containers0} #24`),
      no("two others", one(container("a"), container("b")), `${containers0} #24`),
      no(
        "twice",
        one(container("engine"), container("engine")),
        `${containers0} #24`,
        `${containers0}[1] FieldValueDuplicate: Duplicate value: {"name":"engine"}`,
      ),
      no(
        "in capitals",
        one(container("Engine")),
        `${containers0} #24`,
        `${containers0}[0].name FieldValueInvalid: Invalid value: "Engine": ${containers0}[0].name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'`,
      ),
    ],
  },
  {
    rule: 25,
    accepts: [
      ok("memory", withResources({ requests: { memory: "1Gi" } })),
      ok("numbers", withResources({ limits: { cpu: 2, "ephemeral-storage": 0 } })),
      ok("nothing", withResources({})),
    ],
    rejects: [
      no(
        "huge pages",
        withResources({ limits: { "hugepages-2Mi": "1Gi" } }),
        `${containers0}[0].resources #25`,
      ),
      no(
        "a device",
        withResources({ requests: { cpu: 1, "amd.com/gpu": "1" } }),
        `${containers0}[0].resources #25`,
      ),
      no(
        "a name that JavaScript knows",
        withResources({ requests: { toString: 1 } }),
        `${containers0}[0].resources #25`,
      ),
    ],
  },
  {
    rule: 26,
    accepts: [
      ok("httpGet", one(probe({ httpGet: { port: 1 } }))),
      ok("tcpSocket", one(probe({ tcpSocket: { port: 1 }, grpc: null }))),
      ok("grpc; exec is dropped", one(probe({ grpc: { port: 1 }, exec: { command: ["x"] } }))),
    ],
    rejects: [
      no("none", one(probe({})), `${containers0}[0].readinessProbe #26`),
      no(
        "two",
        one(probe({ httpGet: { port: 1 }, grpc: { port: 1 } })),
        `${containers0}[0].readinessProbe #26`,
      ),
      no(
        "exec, which is dropped",
        one(probe({ exec: { command: ["x"] }, periodSeconds: 1 })),
        `${containers0}[0].readinessProbe #26`,
      ),
      no(
        "all three",
        one(probe({ httpGet: { port: 1 }, tcpSocket: { port: 1 }, grpc: { port: 1 } })),
        `${containers0}[0].readinessProbe #26`,
      ),
    ],
  },
  {
    rule: 27,
    accepts: [
      ok("a name", one(probe({ httpGet: { port: "http" } }))),
      ok("a number", one(probe({ httpGet: { port: 65535 } }))),
      ok("an empty name, outside a Worker", one(probe({ httpGet: { port: "" } }))),
    ],
    rejects: [
      no("0", one(probe({ httpGet: { port: 0 } })), `${containers0}[0].readinessProbe.httpGet #27`),
      no(
        "70000",
        one(probe({ httpGet: { port: 70000 } })),
        `${containers0}[0].readinessProbe.httpGet #27`,
      ),
      no(
        "-1",
        one(probe({ httpGet: { port: -1 } })),
        `${containers0}[0].readinessProbe.httpGet #27`,
      ),
    ],
  },
  {
    rule: 28,
    accepts: [
      ok("a name", one(probe({ tcpSocket: { port: "rpc" } }))),
      ok("1", one(probe({ tcpSocket: { port: 1 } }))),
      ok("a number in quotes", one(probe({ tcpSocket: { port: "70000" } }))),
    ],
    rejects: [
      no(
        "-1",
        one(probe({ tcpSocket: { port: -1 } })),
        `${containers0}[0].readinessProbe.tcpSocket #28`,
      ),
      no(
        "65536",
        one(probe({ tcpSocket: { port: 65536 } })),
        `${containers0}[0].readinessProbe.tcpSocket #28`,
      ),
      no(
        "2^53 - 1",
        one(probe({ tcpSocket: { port: 2 ** 53 - 1 } })),
        `${containers0}[0].readinessProbe.tcpSocket #28`,
      ),
    ],
  },
  {
    rule: 29,
    accepts: [
      ok("two names", one(container("engine", port(8000, "http"), port(9000, "metrics")))),
      ok("no names", one(container("engine", port(9000), port(9001)))),
      ok(
        "the same name in two containers",
        one(container("engine", port(9000, "m")), container("side", port(9001, "m"))),
      ),
    ],
    rejects: [
      no(
        "twice",
        one(container("engine", port(9000, "m"), port(9001, "m"))),
        `${containers0}[0].ports #29`,
      ),
      no(
        "twice among others",
        one(container("engine", port(9000, "m"), port(9001), port(9002, "n"), port(9003, "m"))),
        `${containers0}[0].ports #29`,
      ),
      no(
        "in a container beside the engine",
        one(container("engine"), container("side", port(1, "m"), port(2, "m"))),
        `${containers0}[1].ports #29`,
      ),
    ],
  },
];
