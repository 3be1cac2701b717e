import "reflect-metadata";
import { createPrivateKey, webcrypto } from "node:crypto";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

export { ExtendedKeyUsage };

cryptoProvider.set(webcrypto as never);

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const notBefore = new Date(Date.now() - 3_600_000);
const notAfter = new Date(Date.now() + 86_400_000);

/** A certificate with its key, in PEM. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate authority that tests make their certificates from. */
export interface Authority {
  readonly certificate: string;
  issue(name: string, change?: Change): Promise<Pair>;
}

/** How a certificate may differ from a plain one. */
export interface Change {
  readonly expired?: boolean;
  /** An extended key usage, instead of none. */
  readonly usage?: ExtendedKeyUsage;
}

/** Makes a new authority with a key of its own. */
export async function createAuthority(name: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore,
    notAfter,
    keys: keys as never,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return issuer(authority, keys.privateKey, algorithm);
}

/** Takes an authority over whose certificate and RSA key are given in PEM, as Crossplane keeps its own. */
export async function loadAuthority({ certificate, key }: Pair): Promise<Authority> {
  const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const der = createPrivateKey(key).export({ type: "pkcs8", format: "der" });
  const signingKey = await webcrypto.subtle.importKey("pkcs8", der, rsa, false, ["sign"]);
  return issuer(new X509Certificate(certificate), signingKey, rsa);
}

function issuer(
  authority: X509Certificate,
  signingKey: webcrypto.CryptoKey,
  signingAlgorithm: Parameters<typeof X509CertificateGenerator.create>[0]["signingAlgorithm"],
): Authority {
  return {
    certificate: authority.toString("pem"),
    async issue(subject, { expired, usage } = {}) {
      const own = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
      const certificate = await X509CertificateGenerator.create({
        subject: `CN=${subject}`,
        issuer: authority.subject,
        notBefore,
        notAfter: expired === true ? new Date(Date.now() - 60_000) : notAfter,
        publicKey: own.publicKey as never,
        signingKey: signingKey as never,
        signingAlgorithm,
        extensions: [
          new SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }]),
          ...(usage === undefined ? [] : [new ExtendedKeyUsageExtension([usage])]),
        ],
      });
      const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", own.privateKey));
      const lines = key.toString("base64").match(/.{1,64}/g) ?? [];
      return {
        certificate: certificate.toString("pem"),
        key: `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`,
      };
    },
  };
}

/** Writes a set the way Kubernetes mounts a Secret: files behind a link that is swapped at once. */
export function mountSecret(directory: string, version: string, authority: string, pair: Pair) {
  const data = join(directory, version);
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "ca.crt"), authority);
  writeFileSync(join(data, "tls.crt"), pair.certificate);
  writeFileSync(join(data, "tls.key"), pair.key);
  symlinkSync(version, join(directory, "..data_tmp"));
  renameSync(join(directory, "..data_tmp"), join(directory, "..data"));
  for (const file of ["ca.crt", "tls.crt", "tls.key"]) {
    rmSync(join(directory, file), { force: true });
    symlinkSync(join("..data", file), join(directory, file));
  }
}
