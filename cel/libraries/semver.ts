import { compareSemvers, parseSemver } from "../../kube/semver.ts";
import { SemverValue } from "../values.ts";
import { CelFailure, type Overload } from "./overload.ts";

function semver(text: string): SemverValue {
  const parsed = parseSemver(text);
  if (!parsed.ok) throw new CelFailure(parsed.error);
  return new SemverValue(parsed.version);
}

/**
 * Makes a strict version of a lax one as Kubernetes does: a leading `v`, leading zeros and missing
 * numbers are forgiven, but a short version takes no prerelease or build.
 */
function normalise(text: string): string {
  const [major = "", minor, ...patch] = text.replace(/^v/, "").split(".");
  const parts = [major, minor, patch.length > 0 ? patch.join(".") : undefined]
    .filter((part) => part !== undefined)
    .map((part) => (part.length > 1 ? part.replace(/^0+/, "").replace(/^(?![0-9])/, "0") : part));
  if (parts.length < 3 && /[-+]/.test(parts.at(-1) ?? "")) return "";
  while (parts.length < 3) parts.push("0");
  return parts.join(".");
}

const order = (left: SemverValue, right: SemverValue) =>
  compareSemvers(left.version, right.version);

/** The semantic version library of Kubernetes CEL. */
// biome-ignore format: a table
export const semvers: readonly Overload[] = [
  ["semver(string): Semver",             semver],
  ["semver(string, bool): Semver",       (text: string, lax: boolean) => semver(lax ? normalise(text) : text)],
  ["isSemver(string): bool",             (text: string) => parseSemver(text).ok],
  ["isSemver(string, bool): bool",       (text: string, lax: boolean) => parseSemver(lax ? normalise(text) : text).ok],
  ["Semver.major(): int",                (value: SemverValue) => value.version.major],
  ["Semver.minor(): int",                (value: SemverValue) => value.version.minor],
  ["Semver.patch(): int",                (value: SemverValue) => value.version.patch],
  ["Semver.compareTo(Semver): int",      (left: SemverValue, right: SemverValue) => BigInt(order(left, right))],
  ["Semver.isLessThan(Semver): bool",    (left: SemverValue, right: SemverValue) => order(left, right) < 0],
  ["Semver.isGreaterThan(Semver): bool", (left: SemverValue, right: SemverValue) => order(left, right) > 0],
];
