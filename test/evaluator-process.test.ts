import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../evaluator/engine/clock.ts";
import { catalog } from "../evaluator/engine/simulator/catalog.ts";
import { type Listening, listen } from "../evaluator/engine/simulator/http-server.ts";
import { ApiStore } from "../evaluator/simulation/api-store.ts";
import { SimulatedCluster } from "../evaluator/simulation/cluster.ts";
import { BUILT_IN, DECISION_MODEL } from "../evaluator/simulation/kinds.ts";
import { VirtualClock } from "../evaluator/simulation/virtual-clock.ts";
import { allDefinitions } from "../functions/shipped.ts";
import { findCondition } from "../kube/conditions.ts";
import type { Instant } from "../kube/instant.ts";
import { type KubeObject, stringField } from "../kube/object.ts";
import { createAuthority } from "./server-certificates.ts";
import { HttpApiServer } from "./support/api-server/http.ts";
import { simulatedServer } from "./support/simulated-server.ts";

const entrypoint = fileURLToPath(new URL("../evaluator/main.ts", import.meta.url));
const TOKEN = "token-of-the-evaluator";
const MOST_BYTES = 8_388_608;
/** Where pods have their servers: the loopback has addresses enough for one each. */
const addressOf = (count: number) => `127.77.0.${count}`;

/** A cluster on sockets of this machine that the evaluator can be pointed at. */
class SocketCluster {
  readonly clock = new VirtualClock(Date.now() as Instant);
  readonly directory = mkdtempSync(join(tmpdir(), "sluice-evaluator-"));
  readonly store = new ApiStore({
    kinds: [...BUILT_IN, DECISION_MODEL],
    definitions: allDefinitions(),
    now: () => this.clock.now(),
  });
  readonly api = new HttpApiServer({
    store: this.store,
    kinds: [...BUILT_IN, DECISION_MODEL],
    token: () => TOKEN,
  });
  registry!: Listening;
  readonly #engines: Promise<Listening>[] = [];
  readonly #children: ChildProcess[] = [];
  readonly #time = setInterval(() => void this.clock.advanceTo(Date.now()), 20);

  constructor() {
    new SimulatedCluster(this.store, this.clock, {
      startMilliseconds: () => 50,
      exit: () => ({ milliseconds: 50, code: 0, message: "" }),
      started: (_, address) => {
        const server = simulatedServer(systemClock, {
          keepAlive: Number.POSITIVE_INFINITY,
          stored: catalog.map((model) => ({ ...model, loadMilliseconds: 10 })),
        });
        this.#engines.push(listen(server, { host: address, port: 11_435 }, MOST_BYTES));
      },
      address: addressOf,
    });
  }

  async start(): Promise<void> {
    await this.api.listen();
    const registry = simulatedServer(systemClock, {
      registry: ({ model, tag }) =>
        catalog.find(({ name }) => name.model === model && name.tag === tag),
    });
    this.registry = await listen(registry, { host: "127.0.0.1", port: 0 }, MOST_BYTES);
    writeFileSync(join(this.directory, "kubeconfig"), this.api.kubeconfig);
  }

  /** Starts an evaluator; `logged` is every line that it has logged so far. */
  evaluate(...flags: string[]) {
    const own = [
      `--kubeconfig=${join(this.directory, "kubeconfig")}`,
      `--ollaya-registry=${this.registry.origin}`,
      "--allow-insecure-registries",
      "--health-probe-bind-address=0",
    ];
    const child = spawn(process.execPath, [entrypoint, ...own, ...flags], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#children.push(child);
    const logged: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => logged.push(line));
    return { child, logged, exit: once(child, "close").then(([code, signal]) => code ?? signal) };
  }

  apply(model: string): void {
    const metadata = { name: "triage", namespace: "default" };
    const found = this.store.get(DECISION_MODEL, "default", "triage");
    if (found.ok) {
      const how = { part: "object", type: "merge" } as const;
      this.store.patch(DECISION_MODEL, metadata, { spec: { model } }, how);
      return;
    }
    const { apiVersion, kind } = DECISION_MODEL;
    this.store.create(DECISION_MODEL, { apiVersion, kind, metadata, spec: { model } });
  }

  get model(): KubeObject | undefined {
    const found = this.store.get(DECISION_MODEL, "default", "triage");
    return found.ok ? found.value : undefined;
  }

  /** Waits until a model is the stable revision, and serves. */
  async untilStable(model: string): Promise<void> {
    const isStable = () =>
      stringField(this.model?.status, "stableRevision", "model") === model &&
      findCondition(this.model, "Ready")?.status === "True";
    while (!isStable()) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async stop(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    clearInterval(this.#time);
    await this.api.close();
    await this.registry.close();
    for (const engine of this.#engines) await (await engine).close();
    rmSync(this.directory, { recursive: true });
  }
}

let cluster: SocketCluster;
beforeEach(async () => {
  cluster = new SocketCluster();
  await cluster.start();
});
afterEach(() => cluster.stop());

/** Only Linux has all of 127.0.0.0/8 on its loopback. */
const onLinux = test.skipIf(process.platform !== "linux");

onLinux(
  "the evaluator's process promotes over sockets, is killed in the middle, and goes on",
  async () => {
    cluster.apply("laya:en");
    const first = cluster.evaluate();
    await cluster.untilStable("laya:en");
    cluster.apply("nli:latest");
    first.child.kill("SIGKILL");
    expect(await first.exit).toBe("SIGKILL");
    const second = cluster.evaluate();
    await cluster.untilStable("nli:latest");
    second.child.kill("SIGTERM");
    expect(await second.exit).toBe(0);
    const told = [...first.logged, ...second.logged].join("\n");
    expect(told).toContain("the evaluator works");
    expect(told).not.toContain(TOKEN);
  },
);

onLinux(
  "of two evaluators with a Lease one works, and the other takes over once it is gone",
  async () => {
    const flags = ["--leader-elect", "--leader-election-namespace=default"];
    const first = cluster.evaluate(...flags);
    while (!first.logged.join().includes("works")) await new Promise((go) => setTimeout(go, 20));
    const second = cluster.evaluate(...flags);
    cluster.apply("laya:en");
    await cluster.untilStable("laya:en");
    expect(second.logged.join()).not.toContain("works");
    first.child.kill("SIGKILL");
    cluster.apply("nli:latest");
    await cluster.untilStable("nli:latest");
    expect(second.logged.join()).toContain("works");
  },
);

onLinux(
  "metrics over TLS are for those who show a certificate of the authority beside them",
  async () => {
    const authority = await createAuthority("metrics");
    const own = await authority.issue("evaluator");
    writeFileSync(join(cluster.directory, "ca.crt"), authority.certificate);
    writeFileSync(join(cluster.directory, "tls.crt"), own.certificate);
    writeFileSync(join(cluster.directory, "tls.key"), own.key, { mode: 0o600 });
    const port = await freePort();
    const { logged } = cluster.evaluate(
      `--metrics-bind-address=127.0.0.1:${port}`,
      `--metrics-cert-path=${cluster.directory}`,
    );
    while (!logged.join().includes("works")) await new Promise((go) => setTimeout(go, 20));
    const read = (shown: object) =>
      new Promise<string>((resolve, reject) => {
        const options = { port, host: "127.0.0.1", path: "/metrics", rejectUnauthorized: false };
        const sent = get({ ...options, ...shown }, (response) => {
          let text = "";
          response.on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () => resolve(text));
        });
        sent.on("error", reject);
      });
    await expect(read({})).rejects.toThrow();
    const client = await authority.issue("prometheus");
    expect(await read({ cert: client.certificate, key: client.key })).toContain(
      "decisionmodel_phase",
    );
  },
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

onLinux("an evaluator without a cluster says why and ends", async () => {
  const port = await freePort();
  const failed = cluster.evaluate("--kubeconfig=/nowhere/kubeconfig");
  expect(await failed.exit).toBe(1);
  expect(failed.logged.join()).toContain("can't be read");
  const taken = cluster.evaluate(`--health-probe-bind-address=127.0.0.1:${cluster.api.port}`);
  expect(await taken.exit).toBe(1);
  expect(taken.logged.join()).toContain("EADDRINUSE");
  const probed = cluster.evaluate(`--health-probe-bind-address=127.0.0.1:${port}`);
  while (!probed.logged.join().includes("works")) await new Promise((go) => setTimeout(go, 20));
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect(answer.status).toBe(200);
});
