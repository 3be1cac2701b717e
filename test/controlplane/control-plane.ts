import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { findCondition } from "../../kube/conditions.ts";
import type { KubeObject } from "../../kube/object.ts";
import { type BinaryName, binaryPath, type DefinitionsName, definitionsPath } from "./binaries.ts";
import { Client, pathOf } from "./client.ts";

const TOKEN = "token-of-the-test";
const PATIENCE_MILLISECONDS = 120_000;

/** A running control plane: etcd and an API server, and whatever is started beside them. */
export class ControlPlane {
  /** Everything that it writes is below here. */
  readonly directory: string;
  readonly client: Client;
  readonly kubeconfig: string;
  readonly #processes: ChildProcess[];

  private constructor(
    directory: string,
    client: Client,
    kubeconfig: string,
    started: ChildProcess[],
  ) {
    this.directory = directory;
    this.client = client;
    this.kubeconfig = kubeconfig;
    this.#processes = started;
  }

  /** The kubeconfig's text. */
  get kubeconfigText(): string {
    return readFileSync(this.kubeconfig, "utf8");
  }

  /** Starts etcd and an API server on free ports of the loopback, and resolves when it is ready. */
  static async start(): Promise<ControlPlane> {
    const directory = mkdtempSync(join(tmpdir(), "sluice-control-plane-"));
    const processes: ChildProcess[] = [];
    try {
      const [clients, peers, secure] = await freePorts(3);
      processes.push(
        launch(directory, "etcd", [
          `--data-dir=${join(directory, "etcd")}`,
          `--listen-client-urls=http://127.0.0.1:${clients}`,
          `--advertise-client-urls=http://127.0.0.1:${clients}`,
          `--listen-peer-urls=http://127.0.0.1:${peers}`,
          "--unsafe-no-fsync",
          "--log-level=warn",
        ]),
      );
      const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
      const key = join(directory, "service-accounts.key");
      writeFileSync(key, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
      const tokens = join(directory, "tokens.csv");
      writeFileSync(tokens, `${TOKEN},admin,admin,system:masters\n`, { mode: 0o600 });
      await until("etcd takes connections", () => accepts(clients as number));
      const certificates = join(directory, "certificates");
      processes.push(
        launch(directory, "kube-apiserver", [
          `--etcd-servers=http://127.0.0.1:${clients}`,
          `--secure-port=${secure}`,
          "--bind-address=127.0.0.1",
          `--cert-dir=${certificates}`,
          `--service-account-key-file=${key}`,
          `--service-account-signing-key-file=${key}`,
          "--service-account-issuer=https://localhost",
          `--token-auth-file=${tokens}`,
          "--authorization-mode=RBAC",
          "--disable-admission-plugins=ServiceAccount",
          "--service-cluster-ip-range=10.96.0.0/24",
          "--allow-privileged=true",
        ]),
      );
      await until("the API server takes connections", () => accepts(secure as number));
      const certificate = readFileSync(join(certificates, "apiserver.crt"), "utf8");
      const client = new Client({ port: secure as number, token: TOKEN, certificate });
      await until(
        "the API server is ready",
        async () => (await client.get("/readyz")).status === 200,
      );
      const kubeconfig = join(directory, "kubeconfig");
      writeFileSync(kubeconfig, kubeconfigOf(secure as number, certificate), { mode: 0o600 });
      return new ControlPlane(directory, client, kubeconfig, processes);
    } catch (error) {
      await endAll(processes);
      throw new Error(`${(error as Error).message}; see the logs in ${directory}`, {
        cause: error,
      });
    }
  }

  /** Applies the CRDs of a module, those in files of the wanted names, and resolves when they are served. */
  async applyDefinitions(name: DefinitionsName, wanted = /./): Promise<void> {
    const folder = definitionsPath(name);
    for (const file of readdirSync(folder).filter((one) => wanted.test(one))) {
      for (const document of parseAllDocuments(readFileSync(join(folder, file), "utf8"))) {
        const object = document.toJS() as KubeObject;
        if (object.kind !== "CustomResourceDefinition") continue;
        const path = pathOf(object, "customresourcedefinitions");
        await this.client.apply(path, object);
        await until(`${object.metadata?.name} is established`, async () => {
          const { body } = await this.client.get(path);
          return findCondition(body, "Established")?.status === "True";
        });
      }
    }
  }

  /** Starts a program beside the API server; it ends with the control plane. */
  launch(
    name: BinaryName,
    arguments_: readonly string[],
    env: Readonly<Record<string, string>>,
  ): ChildProcess {
    const child = launch(this.directory, name, arguments_, {
      KUBECONFIG: this.kubeconfig,
      ...env,
    });
    this.#processes.push(child);
    return child;
  }

  /** Adds a process that somebody else started, to end with the control plane. */
  adopt(child: ChildProcess): void {
    endWithUs(child);
    this.#processes.push(child);
  }

  /** Ends all processes, the last one first; the logs stay when the tests have failed. */
  async stop(keepLogs = false): Promise<void> {
    await endAll(this.#processes);
    if (keepLogs) process.stderr.write(`the logs of the control plane are in ${this.directory}\n`);
    else rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Runs a program to its end and resolves to its exit code. */
export function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once("close", resolve));
}

/** Waits until something holds, looking a few times a second; throws after two minutes. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  milliseconds = PATIENCE_MILLISECONDS,
): Promise<void> {
  const end = Date.now() + milliseconds;
  let last: unknown;
  while (Date.now() < end) {
    try {
      if (await holds()) return;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  const why = last instanceof Error ? `: ${last.message}` : "";
  throw new Error(`waited ${milliseconds / 1000} s in vain until ${what}${why}`);
}

/** Finds ports of the loopback that nobody listens on. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function launch(
  directory: string,
  name: BinaryName,
  arguments_: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  mkdirSync(join(directory, "logs"), { recursive: true });
  const log = createWriteStream(join(directory, "logs", `${name}.log`), { flags: "a" });
  // Go programs honour proxies even for the loopback.
  const { http_proxy: _a, https_proxy: _b, HTTP_PROXY: _c, HTTPS_PROXY: _d, ...own } = process.env;
  const child = spawn(binaryPath(name), arguments_, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...own, ...env },
  });
  child.stdout?.pipe(log);
  child.stderr?.pipe(log);
  endWithUs(child);
  return child;
}

/** Sees to it that a process does not outlive the tests, however they end. */
function endWithUs(child: ChildProcess): void {
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("close", () => process.removeListener("exit", kill));
}

async function endAll(processes: readonly ChildProcess[]): Promise<void> {
  for (const child of [...processes].reverse()) {
    const end = ended(child);
    child.kill("SIGTERM");
    const killing = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await end;
    clearTimeout(killing);
  }
}

/** Whether somebody listens on a port of the loopback. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function kubeconfigOf(port: number, certificate: string): string {
  const data = Buffer.from(certificate).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "test",
        cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority-data": data },
      },
    ],
    users: [{ name: "admin", user: { token: TOKEN } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "admin" } }],
    "current-context": "test",
  });
}
