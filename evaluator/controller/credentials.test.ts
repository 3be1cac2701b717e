import { createHash, createHmac } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { readCredential, type SecretKey } from "./credentials.ts";

const USE = {
  label: "decisionmodel.io/api-key",
  path: "spec.auth.apiKeySecretRef",
  invalid: "APIKeyInvalid",
} as const;
const REFERENCE: SecretKey = { name: "engine", key: "token" };
const KEY = "sk-4f7b2c9e8a1d6035";
const encoded = (text: string) => Buffer.from(text).toString("base64");

function secret(
  data: Readonly<Record<string, string>> | undefined,
  labels: Readonly<Record<string, string>> = { [USE.label]: "true" },
  uid = "secret-uid",
): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "engine", uid, labels },
    ...(data === undefined ? {} : { data }),
  };
}

const read = (object: KubeObject | undefined, reference: SecretKey | undefined = REFERENCE) =>
  readCredential(USE, reference, object);

describe("a key", () => {
  it("is none where the spec names none", () => {
    expect(readCredential(USE, undefined, undefined)).toEqual({
      credential: { state: "none" },
      value: undefined,
    });
  });

  test.each([KEY, `${KEY}\n`, `  ${KEY}\r\n`])(
    "is used without the white space around it: %j",
    (text) => {
      expect(read(secret({ token: encoded(text) }))).toMatchObject({
        credential: { state: "usable" },
        value: KEY,
      });
    },
  );

  test.each<readonly [string, KubeObject | undefined, SecretKey, string, string]>([
    [
      "optional",
      secret({ token: encoded(KEY) }),
      { ...REFERENCE, optional: true },
      "APIKeyInvalid",
      "optional is not supported: leave it out",
    ],
    [
      "in no Secret",
      undefined,
      REFERENCE,
      "APIKeyInvalid",
      "Secret engine does not exist: create it, with the key token",
    ],
    [
      "of a Secret for nothing",
      secret({ token: encoded(KEY) }, {}),
      REFERENCE,
      "SecretNotAllowed",
      'Secret engine is not labelled for this use: add the label decisionmodel.io/api-key: "true"',
    ],
    [
      "of a Secret for other things",
      secret({ token: encoded(KEY) }, { "decisionmodel.io/download-token": "true" }),
      REFERENCE,
      "SecretNotAllowed",
      "is not labelled for this use",
    ],
    [
      "of a Secret that says no",
      secret({ token: encoded(KEY) }, { [USE.label]: "yes" }),
      REFERENCE,
      "SecretNotAllowed",
      "is not labelled for this use",
    ],
    [
      "that is not there",
      secret({ other: encoded(KEY) }),
      REFERENCE,
      "APIKeyInvalid",
      "Secret engine has no value under the key token: add one",
    ],
    [
      "of an empty Secret",
      secret(undefined),
      REFERENCE,
      "APIKeyInvalid",
      "has no value under the key token",
    ],
    [
      "that is empty",
      secret({ token: "" }),
      REFERENCE,
      "APIKeyInvalid",
      "has no value under the key token",
    ],
    [
      "of white space alone",
      secret({ token: encoded(" \n") }),
      REFERENCE,
      "APIKeyInvalid",
      "has no value under the key token",
    ],
    [
      "with white space inside",
      secret({ token: encoded(`${KEY} ${KEY}`) }),
      REFERENCE,
      "APIKeyInvalid",
      "with white space or characters outside of ASCII inside: remove them",
    ],
    [
      "that splits a header",
      secret({ token: encoded(`${KEY}\r\nHost: x`) }),
      REFERENCE,
      "APIKeyInvalid",
      "remove them",
    ],
    [
      "in other letters",
      secret({ token: encoded("schlüssel") }),
      REFERENCE,
      "APIKeyInvalid",
      "remove them",
    ],
  ])("74: %s can't be used", (_, object, reference, reason, message) => {
    const { credential, value } = read(object, reference);
    expect(credential).toEqual({
      state: "unusable",
      reason,
      message: expect.stringContaining(message),
    });
    expect(credential).toHaveProperty(
      "message",
      expect.stringMatching(/^spec\.auth\.apiKeySecretRef: /),
    );
    expect(value).toBeUndefined();
  });
});

describe("80: what roll-outs know of a key", () => {
  const checksum = (text: string, uid?: string) => {
    const { credential } = read(secret({ token: encoded(text) }, undefined, uid));
    return credential.state === "usable" ? credential.checksum : credential.state;
  };

  it("changes with its value", () => {
    expect(checksum(KEY)).toBe(checksum(KEY));
    expect(checksum(KEY)).not.toBe(checksum(`${KEY}1`));
  });

  it("can't be looked up, since it is another in every Secret", () => {
    expect(checksum(KEY)).not.toBe(checksum(KEY, "another-uid"));
    expect(createHash("sha256").update(KEY).digest("hex")).not.toContain(checksum(KEY));
    expect(checksum(KEY)).toBe(
      createHmac("sha256", "secret-uid").update(KEY).digest("hex").slice(0, 16),
    );
  });

  test.each([{ token: encoded(`${KEY} inside`) }, { token: encoded(KEY) }])(
    "holds nothing of it: %j",
    (data) => {
      for (const object of [secret(data), secret(data, {})]) {
        const said = JSON.stringify(read(object).credential);
        for (const form of [KEY, KEY.slice(0, 8), encoded(KEY).slice(0, 8)])
          expect(said).not.toContain(form);
      }
    },
  );
});
