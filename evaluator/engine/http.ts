import http, { type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import https from "node:https";

/** The most bytes of an answer's body: 1 MiB. */
export const MOST_BODY_BYTES = 1_048_576;

const CONNECT_MILLISECONDS = 10_000;

/** One request; a body is JSON text. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the call to the last byte of the answer. */
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

/** An answer of any status, read to its end, or why there is none. Redirects are not followed. */
export type HttpOutcome =
  | {
      readonly state: "response";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
    }
  /** The body is longer than `MOST_BODY_BYTES`. */
  | { readonly state: "too large" }
  /** `problem` says in a few words what happened, without the URL. */
  | { readonly state: "failed"; readonly problem: string };

/** Whatever sends requests; it never rejects. */
export interface HttpSender {
  send(request: HttpRequest): Promise<HttpOutcome>;
}

/** Sends requests over connections that are kept for the next one. */
export class HttpClient implements HttpSender {
  readonly #plain: http.Agent;
  readonly #secure: https.Agent;

  /** Goes straight to the host, unless an environment is given that names a proxy for it. */
  constructor(proxyEnv?: Readonly<Record<string, string | undefined>>) {
    const options = {
      keepAlive: true,
      ...(proxyEnv === undefined ? {} : { proxyEnv: { ...proxyEnv } }),
    };
    this.#plain = new http.Agent(options);
    this.#secure = new https.Agent(options);
  }

  /** Sends one request. */
  async send(request: HttpRequest): Promise<HttpOutcome> {
    const deadline = performance.now() + request.milliseconds;
    const first = await this.#attempt(request, request.milliseconds);
    // The server closed a kept connection just as we used it, which says nothing about the request.
    if (first !== "stale") return first;
    const second = await this.#attempt(request, Math.max(1, deadline - performance.now()));
    return second === "stale" ? { state: "failed", problem: "connection broken" } : second;
  }

  /** Closes the connections that are kept. */
  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  /** A request that is not yet sent, `undefined` where Node refuses its headers. */
  #open({ method, url, headers, body }: HttpRequest, secure: boolean) {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const agent = secure ? this.#secure : this.#plain;
    try {
      return (secure ? https : http).request(url, {
        method,
        agent,
        headers: { accept: "application/json", ...type, ...headers },
      });
    } catch {
      return undefined;
    }
  }

  #attempt(request: HttpRequest, milliseconds: number): Promise<HttpOutcome | "stale"> {
    const { url, body, signal } = request;
    if (signal.aborted) return Promise.resolve({ state: "failed", problem: "cancelled" });
    const secure = url.protocol === "https:";
    const sent = this.#open(request, secure);
    if (sent === undefined) {
      return Promise.resolve({ state: "failed", problem: "a header holds what HTTP can't carry" });
    }
    return new Promise((resolve) => {
      let answered = false;
      const settle = (outcome: HttpOutcome | "stale") => {
        clearTimeout(whole);
        clearTimeout(connecting);
        signal.removeEventListener("abort", cancel);
        resolve(outcome);
      };
      const fail = (problem: string) => {
        settle({ state: "failed", problem });
        sent.destroy();
      };
      const cancel = () => fail("cancelled");
      const whole = setTimeout(() => fail("no complete answer in time"), milliseconds);
      const connecting = setTimeout(() => fail("no connection in time"), CONNECT_MILLISECONDS);
      signal.addEventListener("abort", cancel, { once: true });
      sent.on("socket", (socket) => {
        if (!socket.connecting) clearTimeout(connecting);
        else socket.once(secure ? "secureConnect" : "connect", () => clearTimeout(connecting));
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        const broken = error.code === "ECONNRESET" || error.code === "EPIPE";
        const stale = broken && sent.reusedSocket && !answered;
        settle(stale ? "stale" : { state: "failed", problem: error.code ?? "connection broken" });
      });
      sent.on("response", async (response) => {
        answered = true;
        settle(await read(response));
        // What was read to its end leaves the connection for the next request.
        if (!response.complete) sent.destroy();
      });
      sent.end(body);
    });
  }
}

async function read(response: IncomingMessage): Promise<HttpOutcome> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MOST_BODY_BYTES) return { state: "too large" };
      chunks.push(chunk);
    }
  } catch {
    return { state: "failed", problem: "the answer was cut off" };
  }
  const { statusCode: status = 0, headers } = response;
  return { state: "response", status, headers, body: Buffer.concat(chunks) };
}
