import type { ParseArgsConfig } from "node:util";
import { isRegistryHost } from "../api/model-name.ts";
import type { RuntimeImage } from "../api/runtime-images.ts";
import { quote } from "../kube/quote.ts";
import { DEFAULT_SETTINGS, type Settings } from "./rollout/settings.ts";

/** How the operator is started; see `optionsHelp` for what each flag means to a user. */
export interface EvaluatorOptions {
  readonly settings: Settings;
  /** A kubeconfig's path; without one the pod's service account is taken. */
  readonly kubeconfig: string | undefined;
  /** Namespaces to look after; all where this is empty. */
  readonly namespaces: readonly string[];
  readonly workers: number;
  readonly leaderElection: { readonly namespace: string | undefined } | undefined;
  /** `host:port`, or `undefined` for none. */
  readonly probeAddress: string | undefined;
  readonly metrics:
    | {
        readonly address: string;
        /** Where the certificate, its key and perhaps a ca.crt are; `undefined` for plain HTTP. */
        readonly certificates: CertificateFiles | undefined;
      }
    | undefined;
  readonly debug: boolean;
  /** What a person should know of the flags and the environment; no value is quoted. */
  readonly warnings: readonly string[];
}

/** A directory, and the files in it. */
export interface CertificateFiles {
  readonly directory: string;
  readonly certificate: string;
  readonly key: string;
}

/** What `util.parseArgs` found for `optionFlags`. */
export type FlagValues = Readonly<Record<string, unknown>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** The operator's flags, those of upstream among them. */
export const optionFlags = {
  kubeconfig: { type: "string" },
  "watch-namespaces": { type: "string" },
  "max-concurrent-reconciles": { type: "string" },
  "max-concurrent-rollouts": { type: "string" },
  "ollaya-registry": { type: "string" },
  "ollaya-hf-endpoint": { type: "string" },
  "allowed-registries": { type: "string" },
  "allow-insecure-registries": { type: "boolean" },
  "allow-image-override": { type: "boolean" },
  "allow-unpinned-runtime-images": { type: "boolean" },
  "runtime-version-policy": { type: "string" },
  "runtime-images": { type: "string" },
  "leader-elect": { type: "boolean" },
  "leader-election-namespace": { type: "string" },
  "health-probe-bind-address": { type: "string" },
  "metrics-bind-address": { type: "string" },
  "metrics-secure": { type: "string" },
  "metrics-cert-path": { type: "string" },
  "metrics-cert-name": { type: "string" },
  "metrics-cert-key": { type: "string" },
  "enable-http2": { type: "boolean" },
  "webhook-cert-path": { type: "string" },
  "webhook-cert-name": { type: "string" },
  "webhook-cert-key": { type: "string" },
  debug: { type: "boolean", short: "d" },
} as const satisfies NonNullable<ParseArgsConfig["options"]>;

/** Describes `optionFlags` in the text of `--help`. */
export const optionsHelp = `  --kubeconfig FILE                  which cluster (default: the one this runs in; env KUBECONFIG)
  --watch-namespaces A,B             look after these namespaces alone (default: all)
  --max-concurrent-rollouts N        roll-outs at a time, first come first served (default 0: any)
  --max-concurrent-reconciles N      DecisionModels looked at at a time (default 4)
  --ollaya-registry URL              where models without a host come from (default
                                     https://ollaya.dev; env OLLAYA_REGISTRY)
  --ollaya-hf-endpoint URL           a mirror of Hugging Face for the weights
  --allowed-registries A,B           hosts that models may come from (default: that of
                                     --ollaya-registry)
  --allow-insecure-registries        let registries be asked without TLS
  --allow-image-override             let spec.image replace the engine's image
  --runtime-images FILE              more images of the engine, in YAML or JSON: a list of
                                     {version, device: cpu|cuda, image: NAME@sha256:DIGEST}
  --allow-unpinned-runtime-images    take versions of the engine without a known digest by their tag
  --runtime-version-policy P         Pinned keeps the engine of what serves, FollowOperator moves it
                                     to the default (default Pinned)
  --leader-elect                     of several operators let one work at a time
  --leader-election-namespace NS     where the Lease is (default: this pod's namespace)
  --health-probe-bind-address ADDR   /healthz and /readyz (default :8081; 0 turns them off)
  --metrics-bind-address ADDR        Prometheus /metrics (default 0: none)
  --metrics-secure=false             serve metrics without TLS
  --metrics-cert-path DIR            tls.crt and tls.key of the metrics; with a ca.crt there, only
                                     clients with a certificate that it signed are answered
  --metrics-cert-name FILE           the certificate's file there (default tls.crt)
  --metrics-cert-key FILE            the key's file there (default tls.key)
  --enable-http2, --webhook-cert-path, --webhook-cert-name, --webhook-cert-key
                                     known for upstream's sake, without effect: there are no
                                     webhooks, and HTTP/1.1 alone is spoken
  -d, --debug                        log every pass
`;

const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Thrown and caught in this file alone: which flag is wrong, its value and a remedy. */
class Wrong extends Error {}

/**
 * Reads flags and environment into options, or says which flag is wrong. `runtimeImages` is what the
 * file of `--runtime-images` holds, parsed, where one is given.
 */
export function readOptions(
  flags: FlagValues,
  env: Environment,
  runtimeImages: unknown,
): EvaluatorOptions | string {
  try {
    return optionsOf(flags, env, runtimeImages);
  } catch (error) {
    if (error instanceof Wrong) return error.message;
    throw error;
  }
}

function optionsOf(flags: FlagValues, env: Environment, images: unknown): EvaluatorOptions {
  const insecure = flags["allow-insecure-registries"] === true;
  const registry = origin(
    "--ollaya-registry",
    text(flags, "ollaya-registry") ?? env.OLLAYA_REGISTRY ?? DEFAULT_SETTINGS.registry,
    insecure,
  );
  const mirror = text(flags, "ollaya-hf-endpoint");
  const policy = text(flags, "runtime-version-policy") ?? "Pinned";
  if (policy !== "Pinned" && policy !== "FollowOperator") {
    throw new Wrong(`--runtime-version-policy is ${quote(policy)}; give Pinned or FollowOperator`);
  }
  const proxy = proxyOf(env);
  const settings: Settings = {
    registry,
    allowedRegistries: names(flags, "allowed-registries") ?? [new URL(registry).host],
    allowImageOverride: flags["allow-image-override"] === true,
    allowUnpinnedRuntimeImages: flags["allow-unpinned-runtime-images"] === true,
    runtimeVersionPolicy: policy,
    maxConcurrentRollouts: whole(flags, "max-concurrent-rollouts", 0, 0),
    runtimeImages: [...readRuntimeImages(images), ...DEFAULT_SETTINGS.runtimeImages],
    defaultRuntimeVersion: DEFAULT_SETTINGS.defaultRuntimeVersion,
    huggingFaceEndpoint:
      mirror === undefined ? undefined : url("--ollaya-hf-endpoint", mirror, insecure),
    proxy: proxy.variables,
  };
  for (const host of settings.allowedRegistries) {
    if (isRegistryHost(host)) continue;
    throw new Wrong(
      `--allowed-registries has ${quote(host)}; give hosts as models name them, such as registry.example.org:5000`,
    );
  }
  const namespaces = names(flags, "watch-namespaces") ?? [];
  for (const one of namespaces) {
    if (NAMESPACE.test(one)) continue;
    throw new Wrong(`--watch-namespaces has ${quote(one)}, which is no name of a namespace`);
  }
  return {
    settings,
    kubeconfig: text(flags, "kubeconfig") ?? env.KUBECONFIG,
    namespaces: [...new Set(namespaces)].sort(),
    workers: whole(flags, "max-concurrent-reconciles", 4, 1),
    leaderElection:
      flags["leader-elect"] === true
        ? { namespace: text(flags, "leader-election-namespace") ?? env.POD_NAMESPACE }
        : undefined,
    probeAddress: address(
      "--health-probe-bind-address",
      text(flags, "health-probe-bind-address") ?? ":8081",
    ),
    metrics: metricsOf(flags),
    debug: flags.debug === true,
    warnings: proxy.warnings,
  };
}

function metricsOf(flags: FlagValues): EvaluatorOptions["metrics"] {
  const bound = address("--metrics-bind-address", text(flags, "metrics-bind-address") ?? "0");
  const secure = text(flags, "metrics-secure") ?? "true";
  if (secure !== "true" && secure !== "false") {
    throw new Wrong(`--metrics-secure is ${quote(secure)}; give true or false`);
  }
  if (bound === undefined) return undefined;
  const certificates = text(flags, "metrics-cert-path");
  if (secure === "false") return { address: bound, certificates: undefined };
  if (certificates === undefined) {
    throw new Wrong(
      "--metrics-bind-address is set without --metrics-cert-path; name the directory of tls.crt and tls.key, or give --metrics-secure=false",
    );
  }
  return {
    address: bound,
    certificates: {
      directory: certificates,
      certificate: text(flags, "metrics-cert-name") ?? "tls.crt",
      key: text(flags, "metrics-cert-key") ?? "tls.key",
    },
  };
}

/** Reads a list of images, or throws what is wrong with it. */
function readRuntimeImages(value: unknown): readonly RuntimeImage[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    throw new Wrong("--runtime-images: the file must hold a list of {version, device, image}");
  }
  return value.map((one, index) => {
    const { version, device, image } = (one ?? {}) as Readonly<Record<string, unknown>>;
    const at = `--runtime-images: entry ${index + 1}`;
    if (typeof version !== "string" || !/^\d+\.\d+\.\d+$/.test(version)) {
      throw new Wrong(`${at}: version must be a text such as "0.12.0"`);
    }
    if (device !== "cpu" && device !== "cuda") {
      throw new Wrong(`${at}: device must be cpu or cuda`);
    }
    if (typeof image !== "string" || !/^[^\s@]+@sha256:[0-9a-f]{64}$/.test(image)) {
      throw new Wrong(
        `${at}: image must end in @sha256: and a digest of 64 hexadecimal digits; \`docker buildx imagetools inspect NAME:TAG\` shows it`,
      );
    }
    return { version, device, image };
  });
}

/**
 * What downloads need of a proxy. A value with an @ may hold a password, which would stand in every
 * Job for all to read: it is left out.
 */
function proxyOf(env: Environment): {
  readonly variables: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
} {
  const variables: Record<string, string> = {};
  const warnings: string[] = [];
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]) {
    for (const spelled of [name, name.toLowerCase()]) {
      const value = env[spelled];
      if (value === undefined || value === "") continue;
      if (name === "NO_PROXY" || !value.includes("@")) variables[spelled] = value;
      else {
        warnings.push(
          `${spelled} has a user in it and is not passed on to downloads: use a proxy without one`,
        );
      }
    }
  }
  return { variables, warnings };
}

function url(flag: string, value: string, insecure: boolean): string {
  const wrong = (remedy: string) => new Wrong(`${flag} can't be used: ${remedy}`);
  if (!URL.canParse(value)) throw wrong("give a whole URL, such as https://registry.example.org");
  const parsed = new URL(value);
  if (parsed.username !== "" || parsed.password !== "") throw wrong("leave the user out");
  if (/[?#]/.test(value)) throw wrong("leave the query and the fragment out");
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") throw wrong("use https://");
  if (parsed.protocol === "http:" && !insecure) {
    throw wrong("use https://, or give --allow-insecure-registries as well");
  }
  return value.replace(/\/+$/, "");
}

/** A registry by its origin alone: whatever else stood there would never be asked. */
function origin(flag: string, value: string, insecure: boolean): string {
  const parsed = new URL(url(flag, value, insecure));
  if (parsed.pathname === "/") return parsed.origin;
  throw new Wrong(`${flag} can't be used: leave the path ${parsed.pathname} out`);
}

/** `host:port` to listen on; `undefined` for `0`, which turns it off. */
function address(flag: string, value: string): string | undefined {
  if (value === "0" || value === "") return undefined;
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]*):([0-9]{1,5})$/.exec(value);
  if (match === null || Number(match[2]) > 65_535) {
    throw new Wrong(`${flag} is ${quote(value)}; give HOST:PORT or :PORT, or 0 for none`);
  }
  return match[1] === "" ? `0.0.0.0${value}` : value;
}

function whole(flags: FlagValues, name: string, otherwise: number, least: number): number {
  const value = text(flags, name) ?? String(otherwise);
  if (!/^[0-9]{1,6}$/.test(value) || Number(value) < least) {
    throw new Wrong(`--${name} is ${quote(value)}; give a whole number from ${least}`);
  }
  return Number(value);
}

function names(flags: FlagValues, name: string): readonly string[] | undefined {
  const value = text(flags, name);
  if (value === undefined) return undefined;
  const found = value.split(",").map((one) => one.trim());
  if (found.includes("")) {
    throw new Wrong(`--${name} is ${quote(value)}; give names with a comma between each two`);
  }
  return found;
}

function text(flags: FlagValues, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}
