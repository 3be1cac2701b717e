import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { type KubeObject, listField, stringField } from "../../kube/object.ts";
import { loadAuthority } from "../server-certificates.ts";
import { definitionsPath } from "./binaries.ts";
import { type ControlPlane, ended, freePorts, until } from "./control-plane.ts";

/** The directory of the project. */
export const root = fileURLToPath(new URL("../../", import.meta.url));
const SYSTEM = "crossplane-system";
const XRDS = "/apis/apiextensions.crossplane.io/v2/compositeresourcedefinitions";

/** Reads the objects of a YAML file of the project. */
export function readObjects(path: string): readonly KubeObject[] {
  return parseAllDocuments(readFileSync(join(root, path), "utf8")).map(
    (document) => document.toJS() as KubeObject,
  );
}

/** The files of the examples with objects to apply or to read, below `examples/`. */
export const exampleFiles = readdirSync(join(root, "examples"))
  .sort()
  .flatMap((name) => ["xr.yaml", "required.yaml"].map((file) => `${name}/${file}`))
  .filter((file) => existsSync(join(root, "examples", file)));

/** The plural of every kind that the project ships as an XRD. */
export const plurals = readdirSync(join(root, "package/apis")).sort();

/** Starts Crossplane's core on a control plane, and resolves when it serves XRDs. */
export async function startCrossplane(plane: ControlPlane): Promise<void> {
  const { client, directory } = plane;
  await client.createNamespace(SYSTEM);
  await client.apply(`/api/v1/namespaces/${SYSTEM}/serviceaccounts/crossplane`, {
    ...named("v1", "ServiceAccount", "crossplane"),
  });
  const env = {
    POD_NAMESPACE: SYSTEM,
    ENABLE_WEBHOOKS: "false",
    TLS_CA_SECRET_NAME: "crossplane-root-ca",
    TLS_CLIENT_SECRET_NAME: "crossplane-tls-client",
    CRDS_PATH: definitionsPath("crossplane"),
  };
  // It races the definitions that it has just made, and then does at the second try.
  let code: number | null = 1;
  for (let tries = 0; tries < 5 && code !== 0; tries++) {
    code = await ended(plane.launch("crossplane", ["core", "init", "--activation=*"], env));
  }
  if (code !== 0) throw new Error(`crossplane core init failed; see ${directory}/logs`);
  const own = join(directory, "crossplane-certificates");
  mkdirSync(own);
  const secret = await client.get(`/api/v1/namespaces/${SYSTEM}/secrets/crossplane-tls-client`);
  for (const key of ["ca.crt", "tls.crt", "tls.key"]) {
    writeFileSync(join(own, key), decoded(secret.body, key), { mode: 0o600 });
  }
  const [metrics, health] = await freePorts(2);
  plane.launch(
    "crossplane",
    [
      "core",
      "start",
      "--debug",
      "--enable-webhooks=false",
      "--package-runtime=Function=External;Provider=External",
      `--xpkg-cache-dir=${join(directory, "packages")}`,
      // A replica of a dozen Objects changes more often than the default allows while they are made,
      // and Crossplane would then look at it once a minute for five minutes.
      "--circuit-breaker-burst=1000",
      `--metrics-port=${metrics}`,
      `--health-probe-port=${health}`,
    ],
    { POD_NAMESPACE: SYSTEM, TLS_CLIENT_CERTS_DIR: own },
  );
  await allowEverything(plane);
  await plane.applyDefinitions("provider-kubernetes", /^kubernetes\.m\./);
}

/** Applies the XRDs and Compositions of the project, and resolves when the XRDs are established. */
export async function installApis({ client }: ControlPlane): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const plural of plurals) {
    const [definition] = readObjects(`package/apis/${plural}/definition.yaml`);
    const applied = await client.apply(`${XRDS}/${plural}.modelplane.ai`, definition as KubeObject);
    warnings.push(...applied.warnings);
  }
  for (const plural of plurals) {
    await until(`${plural} are established`, async () => {
      const { body } = await client.get(`${XRDS}/${plural}.modelplane.ai`);
      return conditionOf(body, "Established") === "True";
    });
    const [composition] = readObjects(`package/apis/${plural}/composition.yaml`);
    const path = `/apis/apiextensions.crossplane.io/v1/compositions/${plural}.modelplane.ai`;
    warnings.push(...(await client.apply(path, composition as KubeObject)).warnings);
  }
  return warnings;
}

/** A function server of ours that Crossplane calls. */
export interface FunctionProcess {
  readonly port: number;
  /** Ends it with a signal, and resolves when it is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/**
 * Starts the function server with a certificate of Crossplane's own authority, and tells Crossplane
 * where it is, as its package manager would. A port of an earlier one may be given, to replace it.
 */
export async function startFunction(
  plane: ControlPlane,
  before?: number,
): Promise<FunctionProcess> {
  const { client, directory } = plane;
  const certificates = join(directory, "function-certificates");
  mkdirSync(certificates, { recursive: true });
  const authority = await client.get(`/api/v1/namespaces/${SYSTEM}/secrets/crossplane-root-ca`);
  const ca = {
    certificate: decoded(authority.body, "tls.crt"),
    key: decoded(authority.body, "tls.key"),
  };
  const pair = await (await loadAuthority(ca)).issue("function-sluice");
  writeFileSync(join(certificates, "ca.crt"), ca.certificate);
  writeFileSync(join(certificates, "tls.crt"), pair.certificate);
  writeFileSync(join(certificates, "tls.key"), pair.key, { mode: 0o600 });
  const [free] = await freePorts(1);
  const port = before ?? (free as number);
  const child = spawn(
    process.execPath,
    ["functions/main.ts", "--address", `127.0.0.1:${port}`, "--metrics-address", "127.0.0.1:0"],
    {
      cwd: root,
      env: { ...process.env, TLS_SERVER_CERTS_DIR: certificates },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  child.stderr?.pipe(createWriteStream(join(directory, "logs", "function.log"), { flags: "a" }));
  plane.adopt(child);
  await serves(child);
  await bindFunction(plane, port);
  return {
    port,
    async kill(signal) {
      child.kill(signal);
      await ended(child);
    },
  };
}

/** Waits until a function server says that it serves. */
export async function serves(child: ChildProcess): Promise<void> {
  let said = "";
  for await (const [chunk] of lines(child)) {
    said += String(chunk);
    if (said.includes("function-sluice serves")) return;
  }
  throw new Error(`the function did not start: ${said}`);
}

async function* lines(child: ChildProcess): AsyncGenerator<unknown[]> {
  while (child.exitCode === null && child.stderr !== null) yield await once(child.stderr, "data");
}

async function bindFunction({ client }: ControlPlane, port: number): Promise<void> {
  const path = "/apis/pkg.crossplane.io/v1/functionrevisions/function-sluice-1";
  await client.apply(path, {
    apiVersion: "pkg.crossplane.io/v1",
    kind: "FunctionRevision",
    metadata: {
      name: "function-sluice-1",
      labels: { "pkg.crossplane.io/package": "function-sluice" },
      annotations: { "crossplane.io/paused": "true" },
    },
    spec: { desiredState: "Active", image: "example.org/function-sluice:v1", revision: 1 },
  });
  await client.merge(`${path}/status`, {
    status: {
      endpoint: `dns:///localhost:${port}`,
      capabilities: ["composition", "operation"],
    },
  });
}

/** Lets Crossplane do everything: its RBAC manager, which would see to that, does not run here. */
async function allowEverything({ client }: ControlPlane): Promise<void> {
  await client.apply("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/crossplane", {
    ...named("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "crossplane"),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "crossplane", namespace: SYSTEM }],
  });
}

/** The status of a condition. */
export function conditionOf(object: KubeObject, type: string): string | undefined {
  const found = listField(object, "status", "conditions").find(
    (condition) => stringField(condition, "type") === type,
  );
  return stringField(found, "status");
}

const named = (apiVersion: string, kind: string, name: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name },
});

function decoded(secret: KubeObject, key: string): string {
  return Buffer.from(stringField(secret, "data", key) ?? "", "base64").toString("utf8");
}
