import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext } from "node:tls";

/** One consistent set of what a server with mutual TLS needs, in PEM. */
export interface CertificateSet {
  readonly ca: Buffer;
  /** Every certificate of `ca`, one at least. */
  readonly authorities: readonly X509Certificate[];
  readonly certificate: Buffer;
  readonly privateKey: Buffer;
  /** When the server's certificate expires, in seconds since 1970. */
  readonly expires: number;
}

const FILES = { ca: "ca.crt", certificate: "tls.crt", privateKey: "tls.key" } as const;
const LARGEST_FILE = 1024 * 1024;
const CERTIFICATE =
  /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]*-----END (?:TRUSTED )?CERTIFICATE-----/g;

/**
 * Reads tls.crt, tls.key and ca.crt of a directory and checks that they belong together, or says
 * which file is wrong; never what is in it.
 */
export function readCertificates(directory: string): CertificateSet | string {
  const ca = readPem(directory, FILES.ca);
  if (typeof ca === "string") return ca;
  const certificate = readPem(directory, FILES.certificate);
  if (typeof certificate === "string") return certificate;
  const privateKey = readPem(directory, FILES.privateKey);
  if (typeof privateKey === "string") return privateKey;
  const authorities = parseCertificates(ca);
  if (typeof authorities === "string") return `${join(directory, FILES.ca)} ${authorities}`;
  const chain = parseCertificates(certificate);
  if (typeof chain === "string") return `${join(directory, FILES.certificate)} ${chain}`;
  const [own] = chain;
  try {
    createSecureContext({ ca, cert: certificate, key: privateKey });
  } catch {
    return `${join(directory, FILES.privateKey)} is not the private key of ${FILES.certificate}`;
  }
  return { ca, authorities, certificate, privateKey, expires: Date.parse(own.validTo) / 1000 };
}

function readPem(directory: string, file: string): Buffer | string {
  const path = join(directory, file);
  try {
    if (statSync(path).size > LARGEST_FILE) return `${path} is larger than ${LARGEST_FILE} bytes`;
    const bytes = readFileSync(path);
    // A file that is still being written has begun a block and not ended it.
    const begun = count(bytes, "-----BEGIN ");
    if (begun === 0) return `${path} is not in PEM format`;
    return begun === count(bytes, "-----END ") ? bytes : `${path} is cut off`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? `${path} does not exist` : `${path} can't be read (${code})`;
  }
}

function count(bytes: Buffer, text: string): number {
  return bytes.toString("latin1").split(text).length - 1;
}

/** Every certificate of a PEM file, or what is wrong with it; blocks of other kinds are passed over. */
function parseCertificates(pem: Buffer): readonly [X509Certificate, ...X509Certificate[]] | string {
  const blocks = pem.toString("latin1").match(CERTIFICATE) ?? [];
  try {
    const [first, ...others] = blocks.map((block) => new X509Certificate(block));
    return first === undefined ? "holds no certificate" : [first, ...others];
  } catch {
    return "holds a certificate that is not valid";
  }
}

/** What a watcher tells its owner. */
export interface CertificateEvents {
  reloaded(set: CertificateSet): void;
  /** The files changed and are not usable; the last good set stays in use. */
  unusable(problem: string): void;
}

/**
 * Watches a directory's certificates. The files are polled, since a Secret mount swaps a symbolic
 * link above them, and a set is told only when it fits together: a pair that is half-written would
 * refuse every connection.
 */
export class CertificateWatcher {
  private current: CertificateSet;
  private problem: string | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly directory: string;
  private readonly events: CertificateEvents;

  constructor(
    directory: string,
    first: CertificateSet,
    milliseconds: number,
    events: CertificateEvents,
  ) {
    this.directory = directory;
    this.current = first;
    this.events = events;
    this.timer = setInterval(() => this.poll(), milliseconds).unref();
  }

  /** Stops polling. */
  close(): void {
    clearInterval(this.timer);
  }

  /** Looks at the files once. */
  poll(): void {
    const found = readCertificates(this.directory);
    if (typeof found === "string") {
      if (found !== this.problem) this.events.unusable(found);
      this.problem = found;
      return;
    }
    this.problem = undefined;
    if (equalSets(found, this.current)) return;
    this.current = found;
    this.events.reloaded(found);
  }
}

function equalSets(a: CertificateSet, b: CertificateSet): boolean {
  return (
    a.ca.equals(b.ca) && a.certificate.equals(b.certificate) && a.privateKey.equals(b.privateKey)
  );
}
