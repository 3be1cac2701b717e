import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Authority, createAuthority, type Pair } from "../test/server-certificates.ts";
import { readCertificates } from "./certificates.ts";

let directory: string;
let authority: Authority;
let pair: Pair;
let other: Pair;

beforeAll(async () => {
  authority = await createAuthority("authority");
  pair = await authority.issue("server");
  other = await authority.issue("other");
});

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sluice-certificates-"));
  write("ca.crt", authority.certificate);
  write("tls.crt", pair.certificate);
  write("tls.key", pair.key);
});

afterEach(() => rmSync(directory, { recursive: true }));

function write(file: string, text: string): void {
  writeFileSync(join(directory, file), text);
}

test("a set that fits together is read, with its expiry", () => {
  const set = readCertificates(directory);
  if (typeof set === "string") throw new Error(set);
  expect(set.privateKey.toString()).toBe(pair.key);
  expect(set.expires).toBeGreaterThan(1.7e9);
});

test("of several authorities all are read, and blocks of other kinds passed over", async () => {
  const second = await createAuthority("second");
  write("ca.crt", `# both\n${authority.certificate}\n${pair.key}\n${second.certificate}\n`);
  const set = readCertificates(directory);
  if (typeof set === "string") throw new Error(set);
  expect(set.authorities.map(({ subject }) => subject)).toEqual(["CN=authority", "CN=second"]);
});

const empty = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

test.each([
  ["a missing file", () => rmSync(join(directory, "tls.key")), "tls.key does not exist"],
  [
    "an authority that is none",
    () => write("ca.crt", empty),
    "ca.crt holds a certificate that is not valid",
  ],
  [
    "a second authority that is none",
    () => write("ca.crt", authority.certificate + empty),
    "ca.crt holds a certificate that is not valid",
  ],
  [
    "a key in place of the authority",
    () => write("ca.crt", pair.key),
    "ca.crt holds no certificate",
  ],
  [
    "a certificate that is none",
    () => write("tls.crt", empty),
    "tls.crt holds a certificate that is not valid",
  ],
  ["another encoding", () => write("ca.crt", "\x30\x82"), "ca.crt is not in PEM format"],
  ["half a file", () => write("ca.crt", authority.certificate.slice(0, 99)), "ca.crt is cut off"],
  [
    "a second, half certificate",
    () => write("tls.crt", pair.certificate + other.certificate.slice(0, 99)),
    "tls.crt is cut off",
  ],
  [
    "another pair's key",
    () => write("tls.key", other.key),
    "tls.key is not the private key of tls.crt",
  ],
  [
    "a huge file",
    () => write("tls.key", "x".repeat(1_048_577)),
    "tls.key is larger than 1048576 bytes",
  ],
])("%s is named", (_, spoil, problem) => {
  spoil();
  expect(readCertificates(directory)).toBe(join(directory, problem));
});
