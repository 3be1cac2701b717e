import { sha256Hex } from "./canonical.ts";

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LETTER_FIRST = /^[a-z]/;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
const PORT_NAME = /^(?!.*--)(?=.*[a-z])[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** The most characters of a DNS label (RFC 1123), which is also the most of a label value. */
const NAME_LIMIT = 63;

/** The hash and its dash at the end of a generated name. */
const SUFFIX_LENGTH = 6;

/** Tells whether a name is a DNS label: at most 63 lower-case letters, digits and inner dashes. */
export function isDnsLabel(name: string): boolean {
  return name.length <= NAME_LIMIT && DNS_LABEL.test(name);
}

/** Tells whether a name is a DNS subdomain: DNS labels joined by dots, at most 253 characters. */
export function isDnsSubdomain(name: string): boolean {
  return name.length <= 253 && DNS_SUBDOMAIN.test(name);
}

/** Tells whether text is a Kubernetes label value: empty, or at most 63 characters that begin and end alphanumeric. */
export function isLabelValue(text: string): boolean {
  return text.length <= NAME_LIMIT && LABEL_VALUE.test(text);
}

/** Tells whether text can name a container port (IANA service name): at most 15 characters, a letter among them. */
export function isPortName(text: string): boolean {
  return text.length <= 15 && PORT_NAME.test(text);
}

/**
 * Names a child of the named things: the parts joined by dashes, cut to `limit`, then a dash and 5
 * hexadecimal digits of the SHA-256 of the uncut, joined parts. What a DNS label can't hold is
 * replaced in the readable half only, so the hash still tells such names apart.
 */
export function childName(parts: readonly string[], limit = NAME_LIMIT): string {
  const full = parts.join("-");
  const readable = full
    .toLowerCase()
    .replace(/[^-a-z0-9]+/g, "-")
    .slice(0, limit - SUFFIX_LENGTH)
    .replace(/^-+|-+$/g, "");
  const suffix = sha256Hex(full, SUFFIX_LENGTH - 1);
  return readable === "" ? `x-${suffix}` : `${readable}-${suffix}`;
}

/** Names an object `<name>-<suffix>` (or `<name>`) where that is a DNS label, else its shortened and hashed form. */
export function suffixedName(name: string, suffix?: string): string {
  const parts = suffix === undefined ? [name] : [name, suffix];
  const plain = parts.join("-");
  return isDnsLabel(plain) ? plain : childName(parts);
}

/** Names a Service `<name>-<suffix>` like `suffixedName`, and by a letter first, as clusters require of Services. */
export function serviceName(name: string, suffix: string): string {
  const plain = suffixedName(name, suffix);
  return LETTER_FIRST.test(plain) ? plain : childName(["x", name, suffix]);
}

/** Passes on text that is a label value and shortens and hashes any other, so that distinct texts stay distinct. */
export function labelValue(text: string): string {
  return isLabelValue(text) ? text : childName([text]);
}
