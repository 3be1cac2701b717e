/** A semantic version, strict (semver.org 2.0.0): numbers without leading zeros, build kept as text. */
export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Numeric identifiers are numbers, all others text. */
  readonly prerelease: readonly (bigint | string)[];
  readonly build: string;
}

/** A version, or why the text is none. */
export type ParsedSemver =
  | { readonly ok: true; readonly version: Semver }
  | { readonly ok: false; readonly error: string };

const MAX_LENGTH = 256;
const MAX_NUMBER = 2n ** 64n - 1n;
const NUMBER = "(0|[1-9][0-9]*)";
const GRAMMAR = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}` +
    "(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?$",
);

/** Parses a strict semantic version; there is no `v` in front, and nothing is filled in. */
export function parseSemver(text: string): ParsedSemver {
  if (text.length > MAX_LENGTH) return { ok: false, error: `more than ${MAX_LENGTH} characters` };
  const match = GRAMMAR.exec(text);
  if (match === null) return { ok: false, error: "not a semantic version (MAJOR.MINOR.PATCH)" };
  const [, major = "0", minor = "0", patch = "0", prerelease, build = ""] = match;
  const identifiers: (bigint | string)[] = [];
  for (const identifier of prerelease?.split(".") ?? []) {
    if (!/^[0-9]+$/.test(identifier)) {
      identifiers.push(identifier);
      continue;
    }
    if (identifier.length > 1 && identifier.startsWith("0")) {
      return { ok: false, error: `the prerelease number ${identifier} has a leading zero` };
    }
    identifiers.push(BigInt(identifier));
  }
  const version: Semver = {
    major: BigInt(major),
    minor: BigInt(minor),
    patch: BigInt(patch),
    prerelease: identifiers,
    build,
  };
  const numbers = [version.major, version.minor, version.patch, ...identifiers];
  if (numbers.some((part) => typeof part === "bigint" && part > MAX_NUMBER)) {
    return { ok: false, error: "a number is beyond 64 bits" };
  }
  return { ok: true, version };
}

/** Orders two versions by precedence: build metadata never counts, a prerelease comes before its release. */
export function compareSemvers(left: Semver, right: Semver): -1 | 0 | 1 {
  return (
    compare(left.major, right.major) ||
    compare(left.minor, right.minor) ||
    compare(left.patch, right.patch) ||
    comparePrereleases(left.prerelease, right.prerelease)
  );
}

function comparePrereleases(
  left: readonly (bigint | string)[],
  right: readonly (bigint | string)[],
): -1 | 0 | 1 {
  if (left.length === 0 || right.length === 0) return compare(right.length, left.length);
  for (const [index, mine] of left.entries()) {
    const theirs = right[index];
    if (theirs === undefined) return 1;
    const order = compareIdentifiers(mine, theirs);
    if (order !== 0) return order;
  }
  return compare(left.length, right.length);
}

function compareIdentifiers(left: bigint | string, right: bigint | string): -1 | 0 | 1 {
  if (typeof left === "bigint") return typeof right === "bigint" ? compare(left, right) : -1;
  return typeof right === "bigint" ? 1 : compare(left, right);
}

function compare<T extends bigint | string | number>(left: T, right: T): -1 | 0 | 1 {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The version's text, which parses to an equal version. */
export function formatSemver(version: Semver): string {
  const prerelease = version.prerelease.length > 0 ? `-${version.prerelease.join(".")}` : "";
  const build = version.build === "" ? "" : `+${version.build}`;
  return `${version.major}.${version.minor}.${version.patch}${prerelease}${build}`;
}
