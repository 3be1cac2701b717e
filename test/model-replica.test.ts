import { describe, expect, test } from "vitest";
import type { Composition } from "../functions/composition/composition.ts";
import { childName } from "../kube/names.ts";
import type { KubeObject } from "../kube/object.ts";
import { handler } from "./support/handler.ts";
import {
  cluster,
  condition,
  ENGINE,
  GPU,
  gang,
  healthy,
  manifest,
  replica,
  request,
  standalone,
  written,
} from "./support/replica.ts";

const compose = (
  xr: KubeObject,
  ...rest: [found?: KubeObject, observed?: Map<string, KubeObject>]
) => handler.compose(request(xr, ...rest));

// biome-ignore lint/suspicious/noExplicitAny: manifests are read deep and by hand in these tests
const at = (composition: Composition, key: string) => manifest(composition, key) as any;

const dynamo = () => cluster({ spec: { stack: "Dynamo" } });

describe("a Standalone engine", () => {
  const composition = compose(replica());

  test("becomes these objects on the cluster, none of them ready yet", () => {
    expect(composition.resources.map(({ key }) => key).sort()).toEqual([
      "epp",
      "epp-config",
      "epp-role",
      "epp-rolebinding",
      "epp-service",
      "epp-serviceaccount",
      "inference-pool",
      "model-route",
      "model-serving-main",
      "namespace",
      "resource-claim-main-standalone-67083",
    ]);
    expect(composition.resources.filter(({ ready }) => ready)).toEqual([]);
    expect(composition.ready).toBeUndefined();
  });

  test("every object goes through the cluster's provider config and is named by Crossplane", () => {
    for (const { object } of composition.resources) {
      expect(object).toMatchObject({
        apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
        kind: "Object",
        spec: {
          providerConfigRef: { kind: "ClusterProviderConfig", name: "east-kubeconfig-1a2b3" },
        },
      });
      expect(object.metadata).toBeUndefined();
    }
  });

  test("the namespace mirrors the XR's and outlives the replica", () => {
    expect(at(composition, "namespace").metadata).toEqual({
      name: "mp-ml-team-51733",
      labels: { "modelplane.ai/namespace": "ml-team" },
    });
    const other = compose(replica({}, { metadata: { name: "other", namespace: "ml-team" } }));
    const namespaceOf = (each: Composition) =>
      each.resources.find(({ key }) => key === "namespace")?.object;
    expect(namespaceOf(composition)).toEqual(namespaceOf(other));
    expect(namespaceOf(composition)?.spec).toMatchObject({
      managementPolicies: ["Observe", "Create", "Update"],
    });
  });

  test("the Deployment has upstream's name, selector and pod", () => {
    const deployment = at(composition, "model-serving-main");
    expect(deployment.metadata.name).toBe("r-main-bb4e3");
    expect(deployment.spec).toEqual({
      replicas: 1,
      selector: { matchLabels: { "modelplane.ai/workload": "r-main-bb4e3" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      template: {
        metadata: {
          labels: {
            "modelplane.ai/engine": "main",
            "modelplane.ai/role": "Standalone",
            "modelplane.ai/serving": "r",
            "modelplane.ai/workload": "r-main-bb4e3",
          },
        },
        spec: {
          containers: [
            {
              ...ENGINE,
              args: [],
              ports: [{ name: "http", containerPort: 8000 }],
              readinessProbe: {
                httpGet: { path: "/health", port: 8000 },
                initialDelaySeconds: 30,
                periodSeconds: 10,
                timeoutSeconds: 5,
              },
              resources: { claims: [{ name: "devices" }] },
              volumeMounts: [{ name: "dshm", mountPath: "/dev/shm" }],
            },
          ],
          nodeSelector: { "modelplane.ai/pool": "h100" },
          resourceClaims: [
            { name: "devices", resourceClaimTemplateName: "r-main-standalone-devices-67083-27cec" },
          ],
          tolerations: [
            { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" },
            { key: "amd.com/gpu", operator: "Exists", effect: "NoSchedule" },
          ],
          volumes: [{ name: "dshm", emptyDir: { medium: "Memory" } }],
        },
      },
    });
  });

  test("runs as a Deployment on the Dynamo stack too", () => {
    expect(at(compose(replica(), dynamo()), "model-serving-main").kind).toBe("Deployment");
  });

  test("the first event says what is composed, and is not repeated", () => {
    expect(composition.results).toEqual([
      { severity: "Normal", message: "Composing registry.example/engine:1 on east" },
    ]);
    const again = handler.compose(request(written(replica(), composition)));
    expect(again.results).toEqual([]);
  });

  test("a second engine has a Deployment and a selector of its own", () => {
    const both = compose(
      replica({
        engines: [
          { name: "a", copies: 1, members: [standalone()] },
          { name: "b", copies: 3, members: [standalone()] },
        ],
      }),
    );
    expect(at(both, "model-serving-a").spec.selector).not.toEqual(
      at(both, "model-serving-b").spec.selector,
    );
    expect(at(both, "model-serving-b").spec.replicas).toBe(3);
    expect(at(both, "inference-pool").spec.selector.matchLabels).toEqual({
      "modelplane.ai/serving": "r",
    });
  });
});

describe("device claims", () => {
  const claims = (deviceRequests: readonly unknown[]) =>
    compose(
      replica({
        engines: [{ name: "main", copies: 1, members: [standalone({ deviceRequests })] }],
      }),
    );

  test("are asked for in the v1 shape, and once by the engine", () => {
    const composition = claims([
      { ...GPU, count: 8, selectors: [{ cel: 'device.driver == "gpu.nvidia.com"' }] },
      { name: "nic", deviceClassName: "rdma.example.org", count: 1 },
    ]);
    const key = composition.resources.map((each) => each.key).find((each) => /claim/.test(each));
    const template = at(composition, key ?? "");
    expect(template.apiVersion).toBe("resource.k8s.io/v1");
    expect(template.spec.spec.devices.requests).toEqual([
      {
        name: "gpu",
        exactly: {
          deviceClassName: "gpu.nvidia.com",
          count: 8,
          selectors: [{ cel: { expression: 'device.driver == "gpu.nvidia.com"' } }],
        },
      },
      { name: "nic", exactly: { deviceClassName: "rdma.example.org", count: 1 } },
    ]);
    const pod = at(composition, "model-serving-main").spec.template.spec;
    expect(pod.resourceClaims).toHaveLength(1);
    expect(pod.containers[0].resources).toEqual({ claims: [{ name: "devices" }] });
  });

  test("changed requests take a new template; the old one stays until the engine is updated", () => {
    const xr = replica();
    const before = compose(xr);
    const changed = replica({
      engines: [
        {
          name: "main",
          copies: 1,
          members: [standalone({ deviceRequests: [{ ...GPU, count: 2 }] })],
        },
      ],
    });
    const running = healthy(before);
    const rolling = handler.compose(request(changed, cluster(), running));
    const keys = rolling.resources.map(({ key }) => key).filter((key) => /claim/.test(key));
    expect(keys).toHaveLength(2);
    expect(keys).toContain("resource-claim-main-standalone-67083");
    expect(condition(rolling, "ModelReady")).toMatchObject({
      status: "False",
      message: expect.stringContaining("does not carry this spec yet"),
    });
    const done = handler.compose(request(changed, cluster(), healthy(rolling)));
    expect(done.resources.map(({ key }) => key)).not.toContain(
      "resource-claim-main-standalone-67083",
    );
  });

  test("upstream's unhashed template keeps its name while it asks for the same", () => {
    const first = compose(replica());
    const observed = healthy(first);
    const hashed = observed.get("resource-claim-main-standalone-67083") as KubeObject;
    observed.delete("resource-claim-main-standalone-67083");
    const unhashed = structuredClone(hashed) as unknown as {
      spec: { forProvider: { manifest: { metadata: { name: string } } } };
    };
    unhashed.spec.forProvider.manifest.metadata.name = "r-main-standalone-devices-f456f";
    observed.set("resource-claim-main-standalone", unhashed as unknown as KubeObject);
    const next = handler.compose(request(replica(), cluster(), observed));
    expect(next.resources.map(({ key }) => key)).toContain("resource-claim-main-standalone");
    const pod = at(next, "model-serving-main").spec.template.spec;
    expect(pod.resourceClaims[0].resourceClaimTemplateName).toBe("r-main-standalone-devices-f456f");
  });

  test("an unhashed template that is being deleted is not taken up again", () => {
    const observed = healthy(compose(replica()));
    const hashed = observed.get("resource-claim-main-standalone-67083") as KubeObject;
    observed.delete("resource-claim-main-standalone-67083");
    observed.set("resource-claim-main-standalone", {
      ...hashed,
      metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
    const next = handler.compose(request(replica(), cluster(), observed));
    expect(next.resources.map(({ key }) => key)).toContain("resource-claim-main-standalone-67083");
    expect(next.resources.map(({ key }) => key)).not.toContain("resource-claim-main-standalone");
  });

  test("a claimless leader gets no claim and no template, but its pool and tolerations", () => {
    const { deviceRequests: _, ...claimless } = standalone({
      role: "Leader",
      nodePoolName: "head",
    });
    const composition = compose(
      replica({
        engines: [
          {
            name: "main",
            copies: 1,
            members: [claimless, standalone({ role: "Worker", nodePoolName: "frontier" })],
          },
        ],
      }),
    );
    const { leaderTemplate, workerTemplate } = at(composition, "model-serving-main").spec
      .leaderWorkerTemplate;
    expect(leaderTemplate.spec.resourceClaims).toBeUndefined();
    expect(leaderTemplate.spec.tolerations).toHaveLength(2);
    expect(leaderTemplate.spec.nodeSelector).toEqual({ "modelplane.ai/pool": "head" });
    expect(workerTemplate.spec.nodeSelector).toEqual({ "modelplane.ai/pool": "frontier" });
    expect(composition.resources.filter(({ key }) => /claim/.test(key))).toHaveLength(1);
  });
});

describe("a gang", () => {
  const engines = [
    {
      name: "r1",
      copies: 2,
      members: [
        standalone({
          role: "Leader",
          template: {
            spec: {
              containers: [
                {
                  ...ENGINE,
                  command: ["bash", "-c", "ray start --head && exec serve $(MODELPLANE_RANK)"],
                  env: [{ name: "OWN", value: "$(MODELPLANE_LEADER_ADDRESS)" }],
                },
              ],
            },
          },
        }),
        standalone({ role: "Worker", worker: { nodes: 3 } }),
      ],
    },
  ];

  test("is a LeaderWorkerSet on the Standard stack; only the leader serves and is probed", () => {
    const set = at(compose(replica({ engines })), "model-serving-r1");
    expect(set.kind).toBe("LeaderWorkerSet");
    expect(set.spec.replicas).toBe(2);
    expect(set.spec.leaderWorkerTemplate.size).toBe(4);
    const { leaderTemplate, workerTemplate } = set.spec.leaderWorkerTemplate;
    expect(leaderTemplate.metadata.labels).toMatchObject({
      "modelplane.ai/serving": "r",
      "modelplane.ai/lws-role": "leader",
    });
    expect(workerTemplate.metadata.labels).toEqual({
      "modelplane.ai/engine": "r1",
      "modelplane.ai/role": "Worker",
    });
    const [leader] = leaderTemplate.spec.containers;
    expect(leader.readinessProbe.httpGet.port).toBe(8000);
    expect(leader.command[2]).toBe("ray start --head && exec serve $(MODELPLANE_RANK)");
    expect(leader.args).toBeUndefined();
    expect(leader.env).toEqual([
      { name: "MODELPLANE_LEADER_ADDRESS", value: "$(LWS_LEADER_ADDRESS)" },
      { name: "MODELPLANE_RANK", value: "$(LWS_WORKER_INDEX)" },
      { name: "OWN", value: "$(MODELPLANE_LEADER_ADDRESS)" },
    ]);
    const [worker] = workerTemplate.spec.containers;
    expect(worker.readinessProbe).toBeUndefined();
    expect(worker.ports).toBeUndefined();
    expect(worker.volumeMounts).toEqual([{ name: "dshm", mountPath: "/dev/shm" }]);
  });

  test("has one worker where none are counted", () => {
    const members = [standalone({ role: "Leader" }), standalone({ role: "Worker" })];
    const set = at(
      compose(replica({ engines: [{ name: "m", copies: 1, members }] })),
      "model-serving-m",
    );
    expect(set.spec.leaderWorkerTemplate.size).toBe(2);
  });

  test("may list its Worker first", () => {
    const reversed = engines.map((engine) => ({
      ...engine,
      members: [...engine.members].reverse(),
    }));
    expect(at(compose(replica({ engines: reversed })), "model-serving-r1")).toEqual(
      at(compose(replica({ engines })), "model-serving-r1"),
    );
  });

  test("is a PodCliqueSet on the Dynamo stack, with gangs that are scheduled one by one", () => {
    const set = at(compose(replica({ engines }), dynamo()), "model-serving-r1");
    expect(set.kind).toBe("PodCliqueSet");
    expect(set.metadata.name.length).toBeLessThanOrEqual(24);
    expect(set.spec.replicas).toBe(1);
    expect(set.spec.template.podCliqueScalingGroups).toEqual([
      { name: "gang", cliqueNames: ["leader", "worker"], replicas: 2, minAvailable: 1 },
    ]);
    const [leader, worker] = set.spec.template.cliques;
    expect(leader.spec).toMatchObject({ roleName: "leader", replicas: 1, minAvailable: 1 });
    expect(worker.spec).toMatchObject({ roleName: "worker", replicas: 3, minAvailable: 3 });
    expect(leader.labels).toMatchObject({
      "kai.scheduler/queue": "modelplane",
      "modelplane.ai/clique-role": "leader",
      "modelplane.ai/serving": "r",
    });
    expect(worker.labels).toEqual({
      "kai.scheduler/queue": "modelplane",
      "modelplane.ai/engine": "r1",
      "modelplane.ai/role": "Worker",
    });
    expect(leader.spec.podSpec.schedulerName).toBe("kai-scheduler");
    expect(leader.spec.podSpec.containers[0].env.map(({ name }: { name: string }) => name)).toEqual(
      ["MODELPLANE_LEADER_ADDRESS", "OWN"],
    );
  });

  test("keeps the user's metadata on each member's own pods", () => {
    const members = [
      standalone({
        role: "Leader",
        template: {
          metadata: { labels: { "team.example/a": "1" }, annotations: { note: "leader" } },
          spec: { containers: [ENGINE] },
        },
      }),
      standalone({ role: "Worker" }),
    ];
    const xr = replica({ engines: [{ name: "m", copies: 1, members }] });
    const { leaderTemplate, workerTemplate } = at(compose(xr), "model-serving-m").spec
      .leaderWorkerTemplate;
    expect(leaderTemplate.metadata.labels["team.example/a"]).toBe("1");
    expect(leaderTemplate.metadata.annotations).toEqual({ note: "leader" });
    expect(workerTemplate.metadata.annotations).toBeUndefined();
    const [leader, worker] = at(compose(xr, dynamo()), "model-serving-m").spec.template.cliques;
    expect(leader.annotations).toEqual({ note: "leader" });
    expect(worker.annotations).toBeUndefined();
  });
});

describe("a model cache", () => {
  const cached = (engines: readonly unknown[]) =>
    replica({ modelCacheRef: { name: "qwen" }, engines });
  const one = [{ name: "main", copies: 1, members: [standalone()] }];
  const two = [{ name: "main", copies: 1, members: gang() }];
  const names = (container: { env?: readonly { name: string }[] }) =>
    (container.env ?? []).map(({ name }) => name);
  const modelExpress = [
    "HF_HUB_CACHE",
    "MX_SERVER_ADDRESS",
    "MODEL_EXPRESS_URL",
    "MX_MODEL_REVISION",
    "MX_P2P_METADATA",
    "POD_NAME",
    "POD_UID",
    "POD_NAMESPACE",
  ];

  test("is mounted read-write from the claim of its name and namespace", () => {
    const pod = at(compose(cached(one)), "model-serving-main").spec.template.spec;
    expect(pod.volumes).toContainEqual({
      name: "model-cache",
      persistentVolumeClaim: { claimName: "modelcache-ml-team-qwen-17db2" },
    });
    expect(pod.containers[0].volumeMounts).toContainEqual({
      name: "model-cache",
      mountPath: "/mnt/models",
    });
    expect(names(pod.containers[0])).toEqual(["HF_HUB_CACHE"]);
    expect(pod.containers[0].args).toEqual([]);
    expect(pod.containers[0].securityContext).toBeUndefined();
  });

  test("is another claim in another namespace", () => {
    expect(childName(["modelcache", "a", "qwen"])).not.toBe(childName(["modelcache", "b", "qwen"]));
  });

  test("adds ModelExpress on the Dynamo stack to a Deployment and to both cliques", () => {
    const pod = at(compose(cached(one), dynamo()), "model-serving-main").spec.template.spec;
    expect(names(pod.containers[0])).toEqual(modelExpress);
    expect(pod.containers[0].securityContext).toEqual({ capabilities: { add: ["IPC_LOCK"] } });
    const { cliques } = at(compose(cached(two), dynamo()), "model-serving-main").spec.template;
    for (const { spec } of cliques) {
      const [container] = spec.podSpec.containers;
      expect(names(container)).toEqual(["MODELPLANE_LEADER_ADDRESS", ...modelExpress]);
      expect(container.securityContext.capabilities.add).toEqual(["IPC_LOCK"]);
      expect(container.volumeMounts).toHaveLength(2);
    }
  });

  test("adds no ModelExpress to a LeaderWorkerSet", () => {
    const { leaderTemplate } = at(compose(cached(two)), "model-serving-main").spec
      .leaderWorkerTemplate;
    expect(names(leaderTemplate.spec.containers[0])).toEqual([
      "MODELPLANE_LEADER_ADDRESS",
      "MODELPLANE_RANK",
      "HF_HUB_CACHE",
    ]);
  });

  test("the user's variables come after, and replace ours by name", () => {
    const env = [
      { name: "HF_HUB_CACHE", value: "/own" },
      { name: "X", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
    ];
    const member = standalone({ template: { spec: { containers: [{ ...ENGINE, env }] } } });
    const composition = compose(cached([{ name: "main", copies: 1, members: [member] }]));
    const [container] = at(composition, "model-serving-main").spec.template.spec.containers;
    expect(container.env).toEqual(env);
  });
});

describe("containers, ports and probes", () => {
  const withContainers = (containers: readonly unknown[], serving?: unknown) =>
    compose(
      replica({
        ...(serving === undefined ? {} : { serving }),
        engines: [
          {
            name: "main",
            copies: 1,
            members: [standalone({ template: { spec: { containers } } })],
          },
        ],
      }),
    );
  const containersOf = (composition: Composition) =>
    at(composition, "model-serving-main").spec.template.spec.containers;

  test("a proxy in front owns the serving port; the engine is probed on its own", () => {
    const composition = withContainers([
      { ...ENGINE, ports: [{ name: "http", containerPort: 8001 }] },
      { name: "proxy", image: "registry.example/proxy:1", ports: [{ containerPort: 8000 }] },
    ]);
    const [engine, proxy] = containersOf(composition);
    expect(engine.ports).toEqual([{ name: "http", containerPort: 8001 }]);
    expect(engine.readinessProbe.httpGet).toEqual({ path: "/health", port: 8001 });
    expect(proxy).toEqual({
      name: "proxy",
      image: "registry.example/proxy:1",
      ports: [{ containerPort: 8000 }],
    });
    expect(at(composition, "inference-pool").spec.targetPorts).toEqual([{ number: 8000 }]);
  });

  test("serving.port moves the engine's port, its probe and the pool", () => {
    const composition = withContainers([ENGINE], { mode: "Unified", port: 9000 });
    const [engine] = containersOf(composition);
    expect(engine.ports).toEqual([{ name: "http", containerPort: 9000 }]);
    expect(engine.readinessProbe.httpGet.port).toBe(9000);
    expect(at(composition, "inference-pool").spec.targetPorts).toEqual([{ number: 9000 }]);
  });

  test("an unnamed serving port is named; other ports are kept", () => {
    const [engine] = containersOf(
      withContainers([
        { ...ENGINE, ports: [{ containerPort: 8000 }, { name: "metrics", containerPort: 9100 }] },
      ]),
    );
    expect(engine.ports).toEqual([
      { name: "http", containerPort: 8000 },
      { name: "metrics", containerPort: 9100 },
    ]);
  });

  test("a user's probe replaces the default whole", () => {
    const readinessProbe = { tcpSocket: { port: "http" }, periodSeconds: 3 };
    const [engine] = containersOf(withContainers([{ ...ENGINE, readinessProbe }]));
    expect(engine.readinessProbe).toEqual(readinessProbe);
  });

  test("the engine's resources stand beside its claim", () => {
    const resources = { requests: { cpu: 4 }, limits: { memory: "64Gi" } };
    const [engine] = containersOf(withContainers([{ ...ENGINE, resources }]));
    expect(engine.resources).toEqual({ ...resources, claims: [{ name: "devices" }] });
  });

  test("pull secrets are copied", () => {
    const spec = { containers: [ENGINE], imagePullSecrets: [{ name: "pull" }] };
    const composition = compose(
      replica({
        engines: [{ name: "main", copies: 1, members: [standalone({ template: { spec } })] }],
      }),
    );
    expect(at(composition, "model-serving-main").spec.template.spec.imagePullSecrets).toEqual([
      { name: "pull" },
    ]);
  });
});

describe("routing", () => {
  const picker = {
    template: { spec: { containers: [{ name: "epp", image: "registry.example/p:1" }] } },
  };
  const disaggregated = (change: Record<string, unknown> = {}) =>
    replica({
      serving: {
        mode: "PrefillDecode",
        router: "EndpointPicker",
        endpointPicker: { ...picker, ...change },
      },
      engines: [
        { name: "alpha", phase: "Decode", copies: 4, members: [standalone()] },
        { name: "beta", phase: "Prefill", copies: 2, members: gang() },
      ],
    });

  test("the route matches whole path elements and never times out", () => {
    const { spec } = at(compose(replica()), "model-route");
    expect(spec.parentRefs).toEqual([{ name: "cluster-gateway", namespace: "modelplane-system" }]);
    expect(spec.rules).toEqual([
      {
        matches: [{ path: { type: "PathPrefix", value: "/ml-team/r" } }],
        filters: [
          {
            type: "URLRewrite",
            urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } },
          },
        ],
        backendRefs: [
          { group: "inference.networking.k8s.io", kind: "InferencePool", name: "r-pool" },
        ],
        timeouts: { request: "0s" },
      },
    ]);
  });

  test("one copy and two have the same surface", () => {
    const surface = (copies: number) => {
      const composition = compose(
        replica({ engines: [{ name: "main", copies, members: [standalone()] }] }),
      );
      return ["inference-pool", "model-route", "epp-service"].map((key) => at(composition, key));
    };
    expect(surface(1)).toEqual(surface(2));
  });

  test("the default picker fails open, with its own access and configuration", () => {
    const composition = compose(replica());
    expect(at(composition, "inference-pool").spec.endpointPickerRef).toEqual({
      name: "r-epp",
      port: { number: 9002 },
      failureMode: "FailOpen",
    });
    expect(at(composition, "epp-rolebinding").subjects).toEqual([
      { kind: "ServiceAccount", name: "r-epp", namespace: "mp-ml-team-51733" },
    ]);
    expect(at(composition, "epp-service").spec.ports[0]).toMatchObject({
      name: "grpc-ext-proc",
      port: 9002,
      appProtocol: "http2",
    });
  });

  test("the default picker's image and the group of its configuration are pinned", () => {
    const composition = compose(replica());
    const [container] = at(composition, "epp").spec.template.spec.containers;
    expect(container.image).toBe("ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.9.0");
    const config = JSON.parse(at(composition, "epp-config").data["epp-config.yaml"]);
    expect(config.apiVersion).toBe("llm-d.ai/v1alpha1");
  });

  test("prefill and decode are told apart by phase, on serving pods only, and fail closed", () => {
    const composition = compose(disaggregated());
    const alpha = at(composition, "model-serving-alpha").spec.template.metadata.labels;
    const { leaderTemplate, workerTemplate } = at(composition, "model-serving-beta").spec
      .leaderWorkerTemplate;
    expect(alpha).toMatchObject({
      "llm-d.ai/role": "decode",
      "llm-d.ai/inference-serving": "true",
      app: "r",
    });
    expect(leaderTemplate.metadata.labels["llm-d.ai/role"]).toBe("prefill");
    expect(workerTemplate.metadata.labels["llm-d.ai/role"]).toBeUndefined();
    expect(at(composition, "inference-pool").spec.endpointPickerRef.failureMode).toBe("FailClose");
    expect(at(composition, "inference-pool").spec.targetPorts).toEqual([{ number: 8000 }]);
  });

  test("nothing is added to a disaggregated engine that its user did not declare", () => {
    const pod = at(compose(disaggregated()), "model-serving-alpha").spec.template.spec;
    expect(pod.containers).toHaveLength(1);
    expect(pod.containers[0].env).toBeUndefined();
  });

  test("a user's configuration replaces the default, and a change of it rolls the picker", () => {
    const composed = (config: unknown) => compose(disaggregated({ config }));
    const one = composed({ kind: "EndpointPickerConfig", plugins: [] });
    const other = composed({ kind: "EndpointPickerConfig", plugins: [{ type: "x" }] });
    const checksum = (composition: Composition) =>
      at(composition, "epp").spec.template.metadata.annotations[
        "modelplane.ai/epp-config-checksum"
      ];
    expect(JSON.parse(at(one, "epp-config").data["epp-config.yaml"])).toEqual({
      kind: "EndpointPickerConfig",
      plugins: [],
    });
    expect(checksum(one)).toMatch(/^[0-9a-f]{64}$/);
    expect(checksum(one)).not.toBe(checksum(other));
  });

  test("the labels of the XR tell pods of engine and picker apart", () => {
    const labels = { "modelplane.ai/deployment": "chat", "modelplane.ai/replica-index": "2" };
    const composition = compose(
      replica({}, { metadata: { name: "chat-1a2b3", namespace: "ml-team", labels } }),
    );
    for (const key of ["model-serving-main", "epp"]) {
      expect(at(composition, key).spec.template.metadata.labels).toMatchObject({
        "modelplane.ai/deployment": "chat",
        "modelplane.ai/replica": "2",
      });
    }
  });
});

describe("names", () => {
  const composed = (name: string, engine = "main") =>
    compose(
      replica(
        { engines: [{ name: engine, copies: 1, members: gang() }] },
        { metadata: { name, namespace: "ml-team" } },
      ),
    );
  const long = "team-recommendations-personalised-ranking-large-language-model";
  const engine = "engine-name-that-is-itself-sixty-three-characters-long-abcdefgh1";

  test.each([
    [`${long}a`, engine],
    ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa--x.v2", "main"],
    ["7b", "My_Engine"],
    ["r", "a/b"],
    ["r", "-"],
  ])("of replica %s and engine %s are all good names", (name, engineName) => {
    const composition = composed(name, engineName.slice(0, 63));
    const objects = composition.resources.map(({ key }) => at(composition, key));
    for (const { kind, metadata } of objects) {
      expect(metadata.name, kind).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
      if (kind === "Service") expect(metadata.name).toMatch(/^[a-z]/);
      if (kind === "LeaderWorkerSet") expect(metadata.name.length).toBeLessThanOrEqual(54);
    }
    const { labels } = at(composition, `model-serving-${engineName.slice(0, 63)}`).spec
      .leaderWorkerTemplate.leaderTemplate.metadata;
    for (const value of Object.values(labels)) {
      expect(value).toMatch(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/);
    }
  });

  test("of replicas that differ in the last character never meet", () => {
    const namesOf = (composition: Composition) =>
      composition.resources
        .filter(({ key }) => key !== "namespace")
        .map(({ key }) => `${at(composition, key).kind}/${at(composition, key).metadata.name}`);
    const both = [...namesOf(composed(`${long}a`)), ...namesOf(composed(`${long}b`))];
    expect(new Set(both).size).toBe(both.length);
  });
});
