import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A program of a control plane, built from a Go module in a folder of its name. */
interface Source {
  /** The main package. */
  readonly package: string;
  /** What the linker writes into the program, `package.variable=value` each. */
  readonly variables: readonly string[];
  /** Where somebody may have it already: an environment variable, and the file in the folder it names. */
  readonly given: { readonly variable: string; readonly file?: string };
}

const KUBERNETES = "k8s.io/component-base/version";
const sources = {
  etcd: {
    package: "go.etcd.io/etcd/server/v3",
    variables: [],
    given: { variable: "KUBEBUILDER_ASSETS", file: "etcd" },
  },
  "kube-apiserver": {
    package: "k8s.io/kubernetes/cmd/kube-apiserver",
    variables: [
      `${KUBERNETES}.gitVersion=v1.37.2`,
      `${KUBERNETES}.gitMajor=1`,
      `${KUBERNETES}.gitMinor=37`,
    ],
    given: { variable: "KUBEBUILDER_ASSETS", file: "kube-apiserver" },
  },
  crossplane: {
    package: "github.com/crossplane/crossplane/v2/cmd/crossplane",
    variables: ["github.com/crossplane/crossplane-runtime/v2/pkg/version.version=v2.3.4"],
    given: { variable: "CROSSPLANE_BINARY" },
  },
  "provider-kubernetes": {
    package: "github.com/crossplane-contrib/provider-kubernetes/cmd/provider",
    variables: [],
    given: { variable: "PROVIDER_KUBERNETES_BINARY" },
  },
} as const satisfies Readonly<Record<string, Source>>;

/** The programs that suites may ask for. */
export type BinaryName = keyof typeof sources;

/** Every program, in the order in which they are built. */
export const binaryNames = Object.keys(sources) as readonly BinaryName[];

/** The folder of a program's Go module. */
function moduleOf(name: BinaryName): string {
  return fileURLToPath(new URL(`${name}/`, import.meta.url));
}

/**
 * Where a program is, or will be once it is built: where the environment says, else outside of the
 * tree under a name that changes with whatever it is built from.
 */
export function binaryPath(name: BinaryName): string {
  const { given }: Source = sources[name];
  const place = process.env[given.variable];
  const file = place === undefined || given.file === undefined ? place : join(place, given.file);
  if (file !== undefined && file !== "" && existsSync(file)) return file;
  const hash = createHash("sha256").update(JSON.stringify(sources[name]));
  for (const part of ["go.mod", "go.sum", "tools.go"]) {
    hash.update(readFileSync(join(moduleOf(name), part)));
  }
  return join(cacheDirectory(), `${name}-${hash.digest("hex").slice(0, 12)}`);
}

function cacheDirectory(): string {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  return join(cache, "sluice", "controlplane");
}

/** Modules that are only read for the definitions of their kinds: the version, and the folder with them. */
const definitionSources = {
  crossplane: { module: "github.com/crossplane/crossplane/v2@v2.3.4", folder: "cluster/crds" },
  "provider-kubernetes": {
    module: "github.com/crossplane-contrib/provider-kubernetes@v1.2.1",
    folder: "package/crds",
  },
  "gateway-api": { module: "sigs.k8s.io/gateway-api@v1.5.1", folder: "config/crd/standard" },
  "inference-extension": {
    module: "sigs.k8s.io/gateway-api-inference-extension@v1.5.0",
    folder: "config/crd/bases",
  },
  lws: { module: "sigs.k8s.io/lws@v0.8.0", folder: "config/crd/bases" },
} as const;

/** Whose definitions suites may ask for. */
export type DefinitionsName = keyof typeof definitionSources;

/** The folder with CRDs of a module, as files, once they are fetched. */
export function definitionsPath(name: DefinitionsName): string {
  const version = definitionSources[name].module.split("@").at(-1);
  return join(cacheDirectory(), `definitions-${name}-${version}`);
}

/** Why a program is missing and can't be built here; `undefined` where it is there or can be built. */
export function whyNotBuilt(): string | undefined {
  if (isComplete()) return undefined;
  const go = spawnSync("go", ["version"], { encoding: "utf8" });
  if (go.error !== undefined || go.status !== 0) {
    return "Go is not installed; install Go 1.26 or newer, or set KUBEBUILDER_ASSETS and CROSSPLANE_BINARY";
  }
  return undefined;
}

function isComplete(): boolean {
  const definitions = Object.keys(definitionSources) as DefinitionsName[];
  return (
    binaryNames.every((name) => existsSync(binaryPath(name))) &&
    definitions.every((name) => existsSync(definitionsPath(name)))
  );
}

/**
 * Builds every program that is missing, one after the other, since each takes all memory and cores
 * that it gets. Resolves to why one could not be built: what Go says of it, in its last lines.
 */
export async function buildBinaries(report: (line: string) => void): Promise<string | undefined> {
  for (const name of binaryNames) {
    const path = binaryPath(name);
    if (existsSync(path)) continue;
    report(`building ${name} from its Go module; the first time takes minutes`);
    const started = Date.now();
    const failure =
      (await runGo(name, ["mod", "download"])) ?? (await runGo(name, buildArguments(name, path)));
    if (failure !== undefined) return `${name} could not be built: ${failure}`;
    renameSync(`${path}.new`, path);
    report(`built ${name} in ${Math.round((Date.now() - started) / 1000)} s`);
  }
  for (const name of Object.keys(definitionSources) as DefinitionsName[]) {
    const failure = existsSync(definitionsPath(name)) ? undefined : fetchDefinitions(name);
    if (failure !== undefined) return `the definitions of ${name} could not be had: ${failure}`;
  }
  return undefined;
}

function fetchDefinitions(name: DefinitionsName): string | undefined {
  const { module, folder } = definitionSources[name];
  const fetched = spawnSync("go", ["mod", "download", "-json", module], {
    cwd: tmpdir(),
    encoding: "utf8",
  });
  if (fetched.status !== 0) return fetched.stderr.trim() || fetched.stdout.trim();
  const { Dir: directory } = JSON.parse(fetched.stdout) as { readonly Dir: string };
  const path = definitionsPath(name);
  cpSync(join(directory, folder), `${path}.new`, { recursive: true });
  renameSync(`${path}.new`, path);
  return undefined;
}

function buildArguments(name: BinaryName, path: string): readonly string[] {
  const { package: main, variables } = sources[name];
  const flags = ["-s", "-w", ...variables.map((variable) => `-X ${variable}`)].join(" ");
  mkdirSync(join(path, ".."), { recursive: true });
  return ["build", "-trimpath", "-ldflags", flags, "-o", `${path}.new`, main];
}

function runGo(name: BinaryName, arguments_: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn("go", arguments_, {
      cwd: moduleOf(name),
      env: { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-mod=mod -buildvcs=false" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-2_000);
    });
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => {
      resolve(code === 0 ? undefined : said.trim().split("\n").slice(-5).join("; "));
    });
  });
}
