import { describe, expect, test } from "vitest";
import { RUNTIME_IMAGES } from "../api/runtime-images.ts";
import { type EvaluatorOptions, readOptions } from "./options.ts";

function options(flags: Record<string, unknown>, env = {}, images?: unknown): EvaluatorOptions {
  const read = readOptions(flags, env, images);
  if (typeof read === "string") throw new Error(read);
  return read;
}

test("without a flag, what upstream's operator does", () => {
  const { settings, ...rest } = options({});
  expect(rest).toEqual({
    kubeconfig: undefined,
    namespaces: [],
    workers: 4,
    leaderElection: undefined,
    probeAddress: "0.0.0.0:8081",
    metrics: undefined,
    debug: false,
    warnings: [],
  });
  expect({ ...settings, runtimeImages: settings.runtimeImages.length }).toEqual({
    registry: "https://ollaya.dev",
    allowedRegistries: ["ollaya.dev"],
    allowImageOverride: false,
    allowUnpinnedRuntimeImages: false,
    runtimeVersionPolicy: "Pinned",
    maxConcurrentRollouts: 0,
    runtimeImages: RUNTIME_IMAGES.length,
    defaultRuntimeVersion: "0.12.0",
    huggingFaceEndpoint: undefined,
    proxy: {},
  });
});

test("with flags and environment", () => {
  const read = options(
    {
      "watch-namespaces": "b, a,b",
      "max-concurrent-reconciles": "8",
      "max-concurrent-rollouts": "2",
      "ollaya-registry": "https://models.example.org/",
      "leader-elect": true,
      "health-probe-bind-address": "[::1]:8000",
      "metrics-bind-address": ":8443",
      "metrics-cert-path": "/certs",
    },
    { POD_NAMESPACE: "sluice-system", OLLAYA_REGISTRY: "https://ignored.example.org" },
  );
  expect(read.namespaces).toEqual(["a", "b"]);
  expect(read.workers).toBe(8);
  expect(read.settings.maxConcurrentRollouts).toBe(2);
  expect(read.settings.registry).toBe("https://models.example.org");
  expect(read.settings.allowedRegistries).toEqual(["models.example.org"]);
  expect(read.leaderElection).toEqual({ namespace: "sluice-system" });
  expect(read.probeAddress).toBe("[::1]:8000");
  expect(read.metrics).toEqual({
    address: "0.0.0.0:8443",
    certificates: { directory: "/certs", certificate: "tls.crt", key: "tls.key" },
  });
});

test("a registry is taken by its origin, so that its host is the one that models are compared with", () => {
  const { settings } = options({ "ollaya-registry": "https://Registry.Example.org:443" });
  expect(settings.registry).toBe("https://registry.example.org");
  expect(settings.allowedRegistries).toEqual(["registry.example.org"]);
});

test("82: a proxy with a user in it is not passed on, and its value is not told", () => {
  const { settings, warnings } = options(
    {},
    {
      HTTP_PROXY: "http://a b:password@proxy.example.org",
      https_proxy: "http://proxy.example.org:3128",
      NO_PROXY: "10.0.0.0/8",
    },
  );
  expect(settings.proxy).toEqual({
    https_proxy: "http://proxy.example.org:3128",
    NO_PROXY: "10.0.0.0/8",
  });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("HTTP_PROXY");
  expect(warnings[0]).not.toContain("password");
});

describe("images of the engine", () => {
  const image = `registry.example.org/ollaya@sha256:${"a".repeat(64)}`;

  test("come before those that are known", () => {
    const own = { version: "0.12.0", device: "cpu", image };
    expect(options({}, {}, [own]).settings.runtimeImages[0]).toEqual(own);
  });

  test.each([
    ["no list", { version: "0.12.0" }, /must hold a list/],
    ["no version", [{ device: "cpu", image }], /entry 1: version must be/],
    ["another device", [{ version: "0.12.0", device: "tpu", image }], /device must be cpu or cuda/],
    [
      "no digest",
      [{ version: "0.12.0", device: "cpu", image: "ollaya:0.12.0" }],
      /must end in @sha256:.*imagetools inspect/,
    ],
    ["null", [null], /entry 1: version must be/],
  ])("with %s are refused", (_, images, message) => {
    expect(readOptions({}, {}, images)).toMatch(message);
  });
});

test.each([
  [
    { "ollaya-registry": "registry.example.org" },
    /--ollaya-registry can't be used: give a whole URL/,
  ],
  [{ "ollaya-registry": "http://registry.example.org" }, /--allow-insecure-registries/],
  [{ "ollaya-registry": "https://user:password@example.org" }, /leave the user out$/],
  [{ "ollaya-registry": "https://example.org/models" }, /leave the path \/models out/],
  [{ "allowed-registries": "https://example.org" }, /"https:\/\/example.org"; give hosts/],
  [{ "ollaya-hf-endpoint": "https://example.org?x=1" }, /leave the query and the fragment out/],
  [{ "ollaya-hf-endpoint": "ftp://example.org" }, /use https:/],
  [{ "runtime-version-policy": "Latest" }, /"Latest"; give Pinned or FollowOperator/],
  [{ "max-concurrent-reconciles": "0" }, /"0"; give a whole number from 1/],
  [{ "max-concurrent-rollouts": "many" }, /"many"; give a whole number from 0/],
  [{ "watch-namespaces": "a,,b" }, /names with a comma between each two/],
  [{ "watch-namespaces": "Team" }, /"Team", which is no name of a namespace/],
  [{ "health-probe-bind-address": "8081" }, /"8081"; give HOST:PORT or :PORT, or 0 for none/],
  [{ "metrics-bind-address": ":8443" }, /without --metrics-cert-path/],
  [{ "metrics-secure": "perhaps" }, /give true or false/],
])("%j is refused", (flags, message) => {
  expect(readOptions(flags, {}, undefined)).toMatch(message);
});
