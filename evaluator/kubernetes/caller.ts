import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import { unlessAborted } from "./cancellation.ts";
import type { Clock } from "./clock.ts";
import type { Connection, Credentials } from "./connection.ts";
import { open, readBody } from "./exchange.ts";
import { parseJson } from "./received.ts";

/** What calls are made with. */
export interface CallerOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Ends whatever is under way. */
  readonly signal: AbortSignal;
}

/** One request of an API. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query, if it has one. */
  readonly path: string;
  readonly body?: object;
  /** The content type of the body, JSON where it is left out. */
  readonly type?: string;
  /** How many bytes the answer may have. */
  readonly most: number;
  /** Of a call whose answer is a stream without end: ends it. */
  readonly stream?: AbortSignal;
}

/** What a call came to; `why` says a little of it and holds nothing of a credential. */
export type Outcome =
  /** `body` is its JSON, `undefined` where it is none. */
  | {
      readonly state: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: unknown;
      readonly credentials: Credentials;
    }
  /** The stream of a success, unread. */
  | {
      readonly state: "streaming";
      readonly response: IncomingMessage;
      readonly credentials: Credentials;
    }
  /**
   * Not `answered`: the server was not reached, or may have been and no whole answer came, or one of
   * too many bytes.
   */
  | { readonly state: "unsent" | "lost" | "oversized"; readonly why: string };

const REQUEST_MILLISECONDS = 30_000;
const MOST_READS = 3;
const JSON_TYPE = "application/json";
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/;

/**
 * Makes calls within 30 s each: with fresh credentials where those were refused, after a pause where
 * the server asks for one, and reads again where their answer was lost.
 */
export class Caller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** Makes a call; the 30 s of a stream end when it begins. */
  async perform(call: Call): Promise<Outcome> {
    const { clock, signal: stop } = this.#options;
    const ended = new AbortController();
    const late = new AbortController();
    const until = clock.now() + REQUEST_MILLISECONDS;
    void clock.after(REQUEST_MILLISECONDS, ended.signal).then(() => {
      if (!ended.signal.aborted) late.abort();
    });
    const signals = call.stream === undefined ? [] : [call.stream];
    const signal = AbortSignal.any([stop, late.signal, ...signals]);
    try {
      for (let attempt = 1; ; attempt++) {
        const outcome = await this.#attempt(call, signal);
        const wait = this.#pause(call, outcome, attempt);
        if (wait === undefined || clock.now() + wait >= until) return outcome;
        await clock.after(wait, signal);
        if (signal.aborted) return outcome;
      }
    } finally {
      ended.abort();
    }
  }

  /** How long to wait before a call is made again, if it is. */
  #pause(call: Call, outcome: Outcome, attempt: number): number | undefined {
    const { connection, random } = this.#options;
    if (outcome.state === "answered") {
      const { status, headers, credentials } = outcome;
      if (status === 401 && attempt === 1) {
        connection.renew(credentials);
        return 0;
      }
      const asked = headers["retry-after"];
      if (status === 429 || (status === 503 && asked !== undefined)) {
        const seconds = /^\d{1,9}$/.test(asked ?? "") ? Number(asked) : 0;
        return Math.max(1, seconds) * 1000 * (1 + random() / 4);
      }
    }
    // One that can't be reached is left to whoever asks: they ask ever more rarely.
    const isRead = call.method === "GET" && call.stream === undefined;
    const mayMend =
      outcome.state === "lost" || (outcome.state === "answered" && outcome.status >= 500);
    if (!isRead || !mayMend || attempt >= MOST_READS) return undefined;
    return 250 * 2 ** attempt * (1 - random() / 2);
  }

  async #attempt(call: Call, signal: AbortSignal): Promise<Outcome> {
    const credentials = await unlessAborted(this.#options.connection.credentials(), signal);
    if (credentials === undefined) return { state: "unsent", why: this.#interruption() };
    if (typeof credentials === "string") return { state: "unsent", why: credentials };
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const opened = await open(this.#addressed(call, credentials.options, body), body, signal);
    if (opened.state !== "answered") {
      return { state: opened.state, why: this.#why(opened, signal) };
    }
    const { response } = opened;
    const { statusCode: status = 0, headers } = response;
    if (call.stream !== undefined && status === 200) {
      return { state: "streaming", response, credentials };
    }
    const read = await readBody(response, call.most);
    if (typeof read === "string") {
      return { state: "answered", status, headers, body: parseJson(read), credentials };
    }
    if (read.problem === "too large") {
      return { state: "oversized", why: `the answer has more than ${call.most} bytes` };
    }
    const why = signal.aborted ? this.#interruption() : "the answer was cut off";
    return { state: "lost", why };
  }

  #interruption(): string {
    return this.#options.signal.aborted ? "it was stopped" : "no whole answer came within 30 s";
  }

  #why(
    { state, why }: { readonly state: "unsent" | "lost"; readonly why: string },
    signal: AbortSignal,
  ): string {
    const { origin } = this.#options.connection.server;
    if (signal.aborted) return this.#interruption();
    if (state === "lost") return `the connection broke before an answer came (${why})`;
    return UNTRUSTED.test(why)
      ? `the certificate of ${origin} is not trusted (${why}): check certificate-authority-data`
      : `${origin} can't be reached (${why}): check the server of the kubeconfig and the network`;
  }

  #addressed(call: Call, options: RequestOptions, body: string | undefined): RequestOptions {
    const { server } = this.#options.connection;
    const headers = {
      ...options.headers,
      accept: JSON_TYPE,
      "user-agent": "sluice-evaluator",
      // Without a length Node sends the body of a DELETE as none.
      ...(body === undefined
        ? {}
        : { "content-type": call.type ?? JSON_TYPE, "content-length": Buffer.byteLength(body) }),
    };
    return {
      ...options,
      protocol: server.protocol,
      host: server.hostname.replace(/^\[|\]$/g, ""),
      port: server.port === "" ? (server.protocol === "http:" ? 80 : 443) : server.port,
      method: call.method,
      path: `${server.pathname.replace(/\/+$/, "")}${call.path}`,
      headers,
    };
  }
}
