import { type IncomingMessage, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";

/** How far a request came. */
export type Opened =
  /** An answer has begun; its body is unread. */
  | { readonly state: "answered"; readonly response: IncomingMessage }
  /** It can't have reached the server. */
  | { readonly state: "unsent"; readonly why: string }
  /** It may have reached the server, and nothing came back. */
  | { readonly state: "lost"; readonly why: string };

/** Sends one request and waits for the head of its answer; `why` is an error's code. Never rejects. */
export function open(
  options: RequestOptions,
  body: string | undefined,
  signal: AbortSignal,
): Promise<Opened> {
  if (signal.aborted) return Promise.resolve({ state: "unsent", why: "ABORTED" });
  const isPlain = options.protocol === "http:";
  return new Promise((resolve) => {
    let isConnected = false;
    const fail = ({ code = "BROKEN", name }: NodeJS.ErrnoException) => {
      const why = name === "AbortError" ? "ABORTED" : code;
      resolve({ state: isConnected ? "lost" : "unsent", why });
    };
    try {
      const sent = (isPlain ? requestHttp : requestHttps)({ ...options, signal });
      sent.on("socket", (socket) => {
        if (!socket.connecting) isConnected = true;
        else {
          socket.once(isPlain ? "connect" : "secureConnect", () => {
            isConnected = true;
          });
        }
      });
      sent.on("response", (response) => resolve({ state: "answered", response }));
      sent.on("error", fail);
      sent.end(body);
    } catch (error) {
      fail(error as NodeJS.ErrnoException);
    }
  });
}

/** Reads a body to its end, or says why it was not: it broke off, or has more bytes than `most`. */
export async function readBody(
  response: IncomingMessage,
  most: number,
): Promise<string | { readonly problem: "cut" | "too large" }> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      // Leaving the loop closes the connection, so that the rest is not waited for.
      if (length > most) return { problem: "too large" };
      chunks.push(chunk);
    }
  } catch {
    return { problem: "cut" };
  }
  return response.complete ? Buffer.concat(chunks).toString("utf8") : { problem: "cut" };
}
