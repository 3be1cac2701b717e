import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAuthority } from "../../test/server-certificates.ts";
import { until } from "../../test/support/api-server/passing.ts";
import { kubeconfigOf } from "../../test/support/api-server.ts";
import { StandingClock } from "../../test/support/engine-clock.ts";
import { ApiClient } from "./api-client.ts";
import { type Connection, type ConnectionOptions, openConnection } from "./connection.ts";

let folder: string;
let clock: StandingClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-connection-"));
  clock = new StandingClock();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  expect(clock.waiting).toBe(0);
});

function write(name: string, content: unknown): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

async function opened(options: Partial<ConnectionOptions>): Promise<Connection> {
  const connection = await openConnection({ clock, ...options });
  if (typeof connection === "string") throw new Error(connection);
  return connection;
}

/** The header that credentials send, or why there are none. */
async function authorization(connection: Connection): Promise<unknown> {
  const found = await connection.credentials();
  if (typeof found === "string") return found;
  return (found.options.headers as Readonly<Record<string, string>>).authorization;
}

const config = (user: object, cluster: object = { server: "https://10.0.0.1:6443" }) => ({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "c",
  contexts: [{ name: "c", context: { cluster: "k", user: "u", namespace: "models" } }],
  clusters: [{ name: "k", cluster }],
  users: [{ name: "u", user }],
});

describe("a kubeconfig", () => {
  test("names a server, a namespace and credentials", async () => {
    const kubeconfig = write("config", config({ token: "t\n" }));
    const connection = await opened({ kubeconfig });
    expect(connection.server.href).toBe("https://10.0.0.1:6443/");
    expect(connection.namespace).toBe("models");
    expect(await authorization(connection)).toBe("Bearer t");
  });

  test.each<[string, string | object, string]>([
    ["is YAML no more", "users:\n- token: secret-of-the-test\n  {", "near line 3"],
    ["is something else", "[]", "names no cluster"],
    ["is empty", "", "can't be read ("],
    ["has no current context", { ...config({}), "current-context": "" }, "names no cluster"],
    [
      "has no server",
      config({}, { server: "secret-of-the-test" }),
      "no URL as server of cluster k",
    ],
    [
      "would send credentials in the clear",
      config({ token: "secret-of-the-test" }, { server: "http://u:secret-of-the-test@h" }),
      "http://h, to which credentials would go in the clear: use https",
    ],
  ])("that %s", async (_, content, problem) => {
    const kubeconfig = write("config", content);
    const connection = await openConnection({ kubeconfig, clock });
    expect(connection).toContain(problem);
    expect(connection).toContain(kubeconfig);
    expect(connection).not.toContain("secret-of-the-test");
  });

  test("that is not there", async () => {
    const kubeconfig = join(folder, "none");
    expect(await openConnection({ kubeconfig, clock })).toContain("can't be read (ENOENT)");
  });

  test("is read anew when its credentials are refused, once for all who use them", async () => {
    const kubeconfig = write("config", kubeconfigOf("http://127.0.0.1:1", "old"));
    const connection = await opened({ kubeconfig });
    const old = await connection.credentials();
    write("config", kubeconfigOf("http://127.0.0.1:1", "new"));
    expect(await authorization(connection)).toBe("Bearer old");
    if (typeof old !== "string") connection.renew(old);
    expect(await authorization(connection)).toBe("Bearer new");
    write("config", kubeconfigOf("http://127.0.0.1:1", "newest"));
    if (typeof old !== "string") connection.renew(old);
    expect(await authorization(connection)).toBe("Bearer new");
  });
});

describe("a command that gives credentials", () => {
  const command = (script: string) => {
    const file = write("plugin.mjs", script);
    return config({ exec: { apiVersion: "v1", command: process.execPath, args: [file] } });
  };

  test("is run once for all who wait, and again when its credentials expire", async () => {
    const count = join(folder, "count");
    const script = `
      import { appendFileSync, readFileSync } from "node:fs";
      appendFileSync(${JSON.stringify(count)}, "x");
      const token = "run" + readFileSync(${JSON.stringify(count)}).length;
      const expirationTimestamp = token === "run1" ? "2020-01-01T00:00:00Z" : "2100-01-01T00:00:00Z";
      console.log(JSON.stringify({ status: { token, expirationTimestamp } }));`;
    const connection = await opened({ kubeconfig: write("config", command(script)) });
    const first = await Promise.all([authorization(connection), authorization(connection)]);
    expect(first).toEqual(["Bearer run1", "Bearer run1"]);
    expect(await authorization(connection)).toBe("Bearer run2");
    expect(await authorization(connection)).toBe("Bearer run2");
  });

  test.each([
    ["fails", 'console.error("secret-of-the-test"); process.exit(1);'],
    ["says what is no JSON", 'console.log("secret-of-the-test {");'],
  ])("that %s is not quoted", async (_, script) => {
    const connection = await opened({ kubeconfig: write("config", command(script)) });
    const said = await authorization(connection);
    expect(said).toMatch(/can't be had \((Syntax)?Error\): check them with/);
    expect(said).not.toContain("secret-of-the-test");
  });

  test("that hangs is given up after 30 s, and tried again by the next request", async () => {
    const began = join(folder, "began");
    const script = `
      import { existsSync, writeFileSync } from "node:fs";
      const file = ${JSON.stringify(began)};
      if (existsSync(file)) console.log(JSON.stringify({ status: { token: "t" } }));
      else { writeFileSync(file, ""); setTimeout(() => {}, 3000); }`;
    const connection = await opened({ kubeconfig: write("config", command(script)) });
    const waiting = connection.credentials();
    await until(() => existsSync(began));
    await clock.pass(30_000);
    expect(await waiting).toContain("did not come in time");
    const next = await connection.credentials();
    expect(next).toMatchObject({ options: { headers: { authorization: "Bearer t" } } });
  });
});

describe("a pod", () => {
  const account = "var/run/secrets/kubernetes.io/serviceaccount";
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  test("is known by its environment", async () => {
    expect(await openConnection({ clock })).toContain("give --kubeconfig a file");
  });

  test("has a service account, whose token may change", async () => {
    Object.assign(process.env, {
      KUBERNETES_SERVICE_HOST: "fd00::1",
      KUBERNETES_SERVICE_PORT: "443",
    });
    const token = (text: string) => write(`${account}/token`, text);
    token("first");
    write(`${account}/namespace`, "models");
    write(`${account}/ca.crt`, "");
    const connection = await opened({ root: folder });
    expect(connection.server.href).toBe("https://[fd00::1]/");
    expect(connection.namespace).toBe("models");
    const first = await connection.credentials();
    expect(await authorization(connection)).toBe("Bearer first");
    token("second\n");
    if (typeof first !== "string") connection.renew(first);
    expect(await authorization(connection)).toBe("Bearer second");
    rmSync(join(folder, account, "token"));
    const second = await connection.credentials();
    if (typeof second !== "string") connection.renew(second);
    expect(await authorization(connection)).toContain("can't be had (ENOENT)");
  });
});

describe("over TLS", () => {
  const servers: https.Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    }
  });

  async function serve(): Promise<{ readonly server: string; readonly ca: string }> {
    const authority = await createAuthority("test");
    const { certificate: cert, key } = await authority.issue("localhost");
    const tls = https.createServer({ cert, key }, (request, response) => {
      const metadata = { name: request.headers.authorization, resourceVersion: "1" };
      response.end(JSON.stringify({ metadata }));
    });
    servers.push(tls);
    tls.listen(0, "127.0.0.1");
    await once(tls, "listening");
    const { port } = tls.address() as AddressInfo;
    const ca = Buffer.from(authority.certificate).toString("base64");
    return { server: `https://127.0.0.1:${port}`, ca };
  }

  async function ask(cluster: object) {
    const kubeconfig = write("config", config({ token: "t" }, cluster));
    const connection = await opened({ kubeconfig });
    const { signal } = new AbortController();
    const client = new ApiClient({ connection, clock, random: () => 0, signal });
    const kind = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps" };
    return client.get(kind, "a", "b");
  }

  test("a server is trusted by the authority that the kubeconfig gives, under the name it gives", async () => {
    const { server, ca } = await serve();
    const trusted = { "certificate-authority-data": ca, "tls-server-name": "localhost" };
    expect(await ask({ server, ...trusted })).toMatchObject({
      ok: true,
      value: { metadata: { name: "Bearer t" } },
    });
    expect(await ask({ server, "insecure-skip-tls-verify": true })).toMatchObject({ ok: true });
  });

  test("no other is asked anything", async () => {
    const { server } = await serve();
    expect(await ask({ server, "tls-server-name": "localhost" })).toMatchObject({
      problem: { reason: "Unavailable", message: expect.stringContaining("is not trusted") },
    });
  });
});
