import { createHmac } from "node:crypto";
import type { CredentialReason } from "../../api/decision-model.ts";
import { type KubeObject, stringField } from "../../kube/object.ts";
import type { Credential } from "../rollout/world.ts";

/** The use of a Secret that a label of it allows, and what it is called when it can't be used. */
export interface Use<Reason extends CredentialReason> {
  readonly label: string;
  /** The field of the spec that names the Secret. */
  readonly path: string;
  readonly invalid: Reason;
}

/** What a spec names: a key of a Secret. */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** A credential as roll-outs may know it, and its value, which goes to servers alone. */
export interface ReadCredential<Reason extends CredentialReason> {
  readonly credential: Credential<Reason | "SecretNotAllowed">;
  readonly value: string | undefined;
}

/**
 * Takes a key out of a Secret, `undefined` where that does not exist. The checksum is keyed with the
 * Secret's UID, so that it can't be compared with a dictionary of keys; messages name the Secret alone.
 */
export function readCredential<Reason extends CredentialReason>(
  use: Use<Reason>,
  reference: SecretKey | undefined,
  secret: KubeObject | undefined,
): ReadCredential<Reason> {
  if (reference === undefined) return { credential: { state: "none" }, value: undefined };
  const unusable = (reason: Reason | "SecretNotAllowed", message: string) => ({
    credential: { state: "unusable" as const, reason, message: `${use.path}: ${message}` },
    value: undefined,
  });
  const named = `Secret ${reference.name}`;
  if (reference.optional === true) {
    return unusable(use.invalid, "optional is not supported: leave it out");
  }
  if (secret === undefined) {
    return unusable(
      use.invalid,
      `${named} does not exist: create it, with the key ${reference.key}`,
    );
  }
  if (stringField(secret, "metadata", "labels", use.label) !== "true") {
    const message = `${named} is not labelled for this use: add the label ${use.label}: "true"`;
    return unusable("SecretNotAllowed", message);
  }
  const encoded = stringField(secret, "data", reference.key);
  const value = Buffer.from(encoded ?? "", "base64")
    .toString("utf8")
    .trim();
  if (value === "") {
    return unusable(use.invalid, `${named} has no value under the key ${reference.key}: add one`);
  }
  // A header can't carry these, and what a server would say of it could show the key.
  if (/[^\x21-\x7e]/.test(value)) {
    return unusable(
      use.invalid,
      `${named} has a key ${reference.key} with white space or characters outside of ASCII inside: remove them`,
    );
  }
  const checksum = createHmac("sha256", secret.metadata?.uid ?? "")
    .update(Buffer.from(encoded ?? "", "base64"))
    .digest("hex")
    .slice(0, CHECKSUM_LENGTH);
  return { credential: { state: "usable", checksum }, value };
}

const CHECKSUM_LENGTH = 16;
