import { requestUrlProblem } from "../cel/libraries/url-text.ts";
import { isBase64, isDate, isDateTime } from "../kube/string-formats.ts";
import { readDuration } from "./cel-times.ts";
import { isEmail } from "./mail-format.ts";
import { isCidr, isHostname, isIpv4, isIpv6, isMac } from "./network-formats.ts";

const RGB = "(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";
const CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
const SHORT_NAME = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

const shaped = (pattern: RegExp) => (text: string) => pattern.test(text);

// The formats of strings that the API server checks (kube-openapi `strfmt`), by their names without
// dashes. None of these patterns can backtrack far.
const CHECKS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", shaped(/^[0-9a-fA-F]{24}$/)],
  ["uri", (text) => requestUrlProblem(text) === undefined],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", shaped(uuid("[0-9a-f]", "[0-9a-f]"))],
  ["uuid3", shaped(uuid("3", "[0-9a-f]"))],
  ["uuid4", shaped(uuid("4", "[89ab]"))],
  ["uuid5", shaped(uuid("5", "[89ab]"))],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", shaped(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ["hexcolor", shaped(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  [
    "rgbcolor",
    shaped(
      new RegExp(
        `^rgb\\([\\t\\n\\f\\r ]*${[RGB, RGB, RGB].join("[\\t\\n\\f\\r ]*,[\\t\\n\\f\\r ]*")}[\\t\\n\\f\\r ]*\\)$`,
      ),
    ),
  ],
  ["byte", isBase64],
  ["password", () => true],
  ["date", isDate],
  ["duration", (text) => readDuration(text) !== undefined],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => text.length <= 63 && new RegExp(`^${SHORT_NAME}$`).test(text)],
  [
    "k8slongname",
    (text) => text.length <= 253 && new RegExp(`^${SHORT_NAME}(\\.${SHORT_NAME})*$`).test(text),
  ],
]);
const NUMERIC: Readonly<Record<string, ReadonlySet<unknown>>> = {
  integer: new Set(["int32", "int64"]),
  number: new Set(["float", "double"]),
};

/** The format that the API server applies to a schema of this type, none where it ignores the name. */
export function effectiveFormat(type: string | undefined, format: unknown): string | undefined {
  if (typeof format !== "string" || format === "") return undefined;
  if (type !== undefined && type !== "string") {
    return NUMERIC[type]?.has(format) ? format : undefined;
  }
  return CHECKS.has(format.replaceAll("-", "")) ? format : undefined;
}

/** Whether a string has a format that `effectiveFormat` let pass. */
export function matchesFormat(format: string, text: string): boolean {
  return CHECKS.get(format.replaceAll("-", ""))?.(text) ?? true;
}

function uuid(version: string, variant: string): RegExp {
  return new RegExp(
    `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`,
    "i",
  );
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\t\n\f\r -]+/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\t\n\f\r -]+/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits.slice(0, 12)].reduce(
    (total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit),
    0,
  );
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

/** The Luhn sum over what looks like a card's number, whatever stands between its digits. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!CARD.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
