// Formats of strings that the API server checks; it ignores all that are not in either list.
const CHECKED: ReadonlySet<string> = new Set(["date-time", "datetime", "password"]);
const UNKNOWN_HERE: ReadonlySet<string> = new Set(
  (
    "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 " +
    "creditcard ssn hexcolor rgbcolor byte date duration k8sshortname k8slongname"
  ).split(" "),
);
const NUMERIC: Readonly<Record<string, ReadonlySet<string>>> = {
  integer: new Set(["int32", "int64"]),
  number: new Set(["float", "double"]),
};

/**
 * The format that the API server would apply to a schema of this type: none where it ignores the
 * name, `"unknown"` where it has a check that is not known here.
 */
export function effectiveFormat(
  type: string | undefined,
  format: string | undefined,
): string | undefined | "unknown" {
  if (format === undefined) return undefined;
  if (type !== undefined && type !== "string") {
    return NUMERIC[type]?.has(format) ? format : undefined;
  }
  if (UNKNOWN_HERE.has(format.replaceAll("-", ""))) return "unknown";
  return CHECKED.has(format) ? format : undefined;
}

/** Whether a string has a format that `effectiveFormat` let pass. */
export function matchesFormat(format: string, text: string): boolean {
  return format === "date-time" || format === "datetime" ? isDateTime(text) : true;
}

// RFC 3339 with upper or lower case letters, as kube-openapi reads it; 24:00 and leap seconds fail.
function isDateTime(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})t(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(
    text.toLowerCase(),
  );
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map(Number);
  return isDate(year, month, day) && hour <= 23 && minute <= 59 && second <= 59;
}

function isDate(year: number, month: number, day: number): boolean {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day >= 1 && day <= (days[month - 1] ?? 0);
}
