import { once } from "node:events";
import http, { type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "../../evaluator/engine/simulator/http-server.ts";
import type { SimulatedServer } from "../../evaluator/engine/simulator/server.ts";
import { DEFAULT_SETTINGS } from "../../evaluator/engine/simulator/state.ts";

/** Servers on free ports of this machine, all closed by `close`. */
export class Sockets {
  #open: (() => Promise<unknown>)[] = [];

  /** Starts a server that answers as it is told, and gives its origin. */
  async serve(answer: RequestListener): Promise<string> {
    const server = http.createServer(answer);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.#open.push(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Lets a simulated server answer on a free port, and gives its origin. */
  async simulate(server: SimulatedServer): Promise<string> {
    const address = { host: "127.0.0.1", port: 0 };
    const { origin, close } = await listen(server, address, DEFAULT_SETTINGS.mostBodyBytes);
    this.#open.push(close);
    return origin;
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((close) => close()));
  }
}
