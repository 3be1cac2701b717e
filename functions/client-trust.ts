import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";

/** OpenSSL's word for a certificate whose issuer has the name that it bears itself. */
const SELF_SIGNED = "DEPTH_ZERO_SELF_SIGNED_CERT";
/** `id-kp-clientAuth` of RFC 5280. */
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

/**
 * Tells whether a connection's client has shown a certificate of one of the authorities, valid at
 * `now`. OpenSSL has judged that already, but for one case: the client certificate that Crossplane's
 * core makes bears its issuer's own name and no key identifier, so OpenSSL takes it for one that
 * signed itself. There the signature, the dates and the key usage are checked here.
 */
export function isTrusted(
  socket: TLSSocket,
  authorities: readonly X509Certificate[],
  now: Date,
): boolean {
  const shown = socket.getPeerX509Certificate();
  // Whatever is made of a resumed session: without a certificate nobody comes in.
  if (shown === undefined) return false;
  if (socket.authorized) return true;
  // Node's types say Error; at run time it is OpenSSL's code.
  if (String(socket.authorizationError) !== SELF_SIGNED) return false;
  return (
    isCurrent(shown, now) &&
    mayAuthenticateClient(shown) &&
    authorities.some((authority) => issued(authority, shown, now))
  );
}

function issued(authority: X509Certificate, shown: X509Certificate, now: Date): boolean {
  return (
    authority.ca &&
    isCurrent(authority, now) &&
    shown.issuer === authority.subject &&
    // The authority's own certificate proves nothing: it is public.
    !shown.raw.equals(authority.raw) &&
    !shown.ca &&
    shown.verify(authority.publicKey)
  );
}

function isCurrent({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo);
}

/** Without an extended key usage a certificate may be used for anything. */
function mayAuthenticateClient(shown: X509Certificate): boolean {
  const usages = shown.keyUsage as readonly string[] | undefined;
  return usages === undefined || usages.includes(CLIENT_AUTH);
}
