import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SimulatedRequest } from "./answer.ts";
import type { SimulatedServer } from "./server.ts";

/** A simulated server that listens. */
export interface Listening {
  /** Such as `http://127.0.0.1:11435`. */
  readonly origin: string;
  /** Closes the socket and every connection, and ends the process that is simulated. */
  close(): Promise<void>;
}

/** Where to listen; port 0 takes any free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Lets a simulated server answer on a socket; rejects where the address can't be had. Of a body no
 * more than `mostBodyBytes` and one are kept.
 */
export async function listen(
  simulated: SimulatedServer,
  { host, port }: ListenAddress,
  mostBodyBytes: number,
): Promise<Listening> {
  const server = createServer((request, response) => {
    void answer(simulated, request, response, mostBodyBytes);
  });
  server.listen(port, host);
  await once(server, "listening");
  const bound = server.address() as AddressInfo;
  const shown = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  return {
    origin: `http://${shown}:${bound.port}`,
    async close() {
      server.close();
      simulated.restart();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function answer(
  simulated: SimulatedServer,
  request: IncomingMessage,
  response: ServerResponse,
  mostBodyBytes: number,
): Promise<void> {
  const left = new AbortController();
  response.on("close", () => left.abort());
  const body = await read(request, mostBodyBytes);
  if (body === "broken") return;
  const { method = "GET", url: target = "/", headers } = request;
  const found = await simulated.handle({
    method,
    target,
    headers: headers as SimulatedRequest["headers"],
    body,
    signal: left.signal,
  });
  if (found === undefined) {
    request.socket.destroy();
    return;
  }
  const bytes = Buffer.from(found.body);
  response.writeHead(found.status, { ...found.headers, "content-length": bytes.length });
  if (!found.cut) response.end(bytes);
  // The half has left before the connection breaks.
  else response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
}

/** A body, `undefined` where it is too large; read to its end all the same, so that its sender listens. */
async function read(
  request: IncomingMessage,
  mostBodyBytes: number,
): Promise<Uint8Array | undefined | "broken"> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length <= mostBodyBytes) chunks.push(chunk);
    }
  } catch {
    return "broken";
  }
  return length > mostBodyBytes ? undefined : Buffer.concat(chunks);
}
