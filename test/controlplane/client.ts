import { request } from "node:https";
import { type KubeObject, stringField } from "../../kube/object.ts";

/** How to reach an API server. */
export interface Access {
  readonly port: number;
  readonly token: string;
  /** The certificate that it shows, in PEM. */
  readonly certificate: string;
}

/** An answer of an API server. */
export interface Answer {
  readonly status: number;
  readonly body: KubeObject;
  /** The texts of its Warning headers. */
  readonly warnings: readonly string[];
}

/** A small client of an API server, for tests: paths and bodies are the caller's. */
export class Client {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  get(path: string): Promise<Answer> {
    return this.#send("GET", path);
  }

  create(path: string, object: unknown): Promise<Answer> {
    return this.#send("POST", path, object, "application/json");
  }

  delete(path: string): Promise<Answer> {
    return this.#send("DELETE", path);
  }

  merge(path: string, patch: unknown): Promise<Answer> {
    return this.#send("PATCH", path, patch, "application/merge-patch+json");
  }

  /** Applies an object server side, as kubectl does with `--server-side --force-conflicts`. */
  async apply(path: string, object: KubeObject): Promise<Answer> {
    const query = `${path.includes("?") ? "&" : "?"}fieldManager=test&force=true`;
    const answer = await this.#send("PATCH", path + query, object, "application/apply-patch+yaml");
    if (answer.status >= 300) {
      throw new Error(`${path}: ${answer.status} ${stringField(answer.body, "message")}`);
    }
    return answer;
  }

  /** Applies an object server side by a path with its own query, and gives the answer whatever it is. */
  applyAsIs(path: string, object: KubeObject): Promise<Answer> {
    return this.#send("PATCH", path, object, "application/apply-patch+yaml");
  }

  /** Makes a namespace, if it is not there. */
  async createNamespace(name: string): Promise<void> {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await this.apply(`/api/v1/namespaces/${name}`, object);
  }

  #send(method: string, path: string, body?: unknown, type?: string): Promise<Answer> {
    const { port, token, certificate } = this.#access;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port,
          path,
          method,
          ca: certificate,
          headers: {
            authorization: `Bearer ${token}`,
            ...(type === undefined ? {} : { "content-type": type }),
          },
          timeout: 30_000,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString("utf8");
            const warnings = [response.headers.warning ?? []].flat();
            resolve({ status: response.statusCode ?? 0, body: parsed(text), warnings });
          });
        },
      );
      sent.on("error", reject);
      sent.on("timeout", () => sent.destroy(new Error(`${method} ${path} took too long`)));
      sent.end(payload);
    });
  }
}

function parsed(text: string): KubeObject {
  try {
    return JSON.parse(text) as KubeObject;
  } catch {
    return { apiVersion: "v1", kind: "Text", text };
  }
}

/** The path of an object, or of its kind's list without a name. */
export function pathOf(
  { apiVersion, metadata }: Pick<KubeObject, "apiVersion" | "metadata">,
  plural: string,
  name = metadata?.name,
): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const namespace = metadata?.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
  return `${root}${namespace}/${plural}${name === undefined || name === "" ? "" : `/${name}`}`;
}
