import { constants } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type TlsOptions } from "node:tls";
import { type Server, ServerCredentials } from "@grpc/grpc-js";
import type { CertificateSet } from "./certificates.ts";
import { isTrusted } from "./client-trust.ts";

/** A port where clients must show a certificate before gRPC hears of them. */
export interface TlsListener {
  readonly port: number;
  /** Uses another set for connections from now on; established ones go on. */
  use(set: CertificateSet): void;
  /** Takes no new connections. */
  close(): void;
}

/** A peer that does not finish its handshake holds a connection for so long at most. */
const HANDSHAKE_MILLISECONDS = 10_000;

/**
 * Listens with mutual TLS, 1.2 or newer, and hands trusted connections to a gRPC server. gRPC's own
 * listener leaves the client's certificate to OpenSSL alone, which refuses Crossplane's core: see
 * `isTrusted`. Rejects when the port can't be bound.
 */
export async function listenTls(
  server: Server,
  host: string,
  port: number,
  first: CertificateSet,
): Promise<TlsListener> {
  let { authorities } = first;
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = createServer(
    {
      ...contextOf(first),
      ALPNProtocols: ["h2"],
      handshakeTimeout: HANDSHAKE_MILLISECONDS,
      requestCert: true,
      // Every client must show a certificate all the same: who has none is cut off below.
      rejectUnauthorized: false,
    },
    (socket) => {
      socket.on("error", () => socket.destroy());
      if (isTrusted(socket, authorities, new Date())) injector.injectConnection(socket);
      else socket.destroy();
    },
  );
  listener.on("tlsClientError", (_error, socket) => socket.destroy());
  listener.listen(port, host);
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    use(set) {
      authorities = set.authorities;
      listener.setSecureContext(contextOf(set));
    },
    close() {
      listener.close();
    },
  };
}

function contextOf({ ca, certificate, privateKey }: CertificateSet): TlsOptions {
  return {
    ca,
    cert: certificate,
    key: privateKey,
    minVersion: "TLSv1.2",
    // Without tickets no session is resumed: each connection proves its certificate anew, so that
    // one that has expired since, or whose authority has gone, opens nothing.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}
