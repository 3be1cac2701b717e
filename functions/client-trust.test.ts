import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { createAuthority, type Pair } from "../test/server-certificates.ts";
import { isTrusted } from "./client-trust.ts";

/** Connects twice, the second time with the session of the first, and tells what `isTrusted` says. */
async function connectAndResume(maxVersion: "TLSv1.2" | "TLSv1.3", shows: boolean) {
  const authority = await createAuthority("authority");
  const own = await authority.issue("server");
  const client: Pair | undefined = shows ? await authority.issue("client") : undefined;
  const seen: (readonly [reused: boolean, trusted: boolean])[] = [];
  const server = createServer(
    {
      ca: authority.certificate,
      cert: own.certificate,
      key: own.key,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (socket: TLSSocket) => {
      seen.push([socket.isSessionReused(), isTrusted(socket, [], new Date())]);
      socket.end("x");
    },
  );
  server.listen(0, "localhost");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let session: Buffer | undefined;
  for (const _ of ["full handshake", "resumed"]) {
    const socket = connect({
      host: "localhost",
      port,
      ca: authority.certificate,
      maxVersion,
      ...(client && { cert: client.certificate, key: client.key }),
      ...(session && { session }),
    });
    socket.on("session", (told) => {
      session = told;
    });
    socket.resume();
    await once(socket, "close");
  }
  server.close();
  return seen;
}

test.each(["TLSv1.2", "TLSv1.3"] as const)(
  "a client without a certificate is not trusted when it resumes its %s session",
  async (version) => {
    const seen = await connectAndResume(version, false);
    expect(seen).toEqual([
      [false, false],
      [true, false],
    ]);
  },
);

test.each(["TLSv1.2", "TLSv1.3"] as const)(
  "a client with a certificate is trusted when it resumes its %s session",
  async (version) => {
    const seen = await connectAndResume(version, true);
    expect(seen).toEqual([
      [false, true],
      [true, true],
    ]);
  },
);
