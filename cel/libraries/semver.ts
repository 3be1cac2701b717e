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
  ["string_to_semver",        "semver(string): Semver",                 semver],
  ["string_bool_to_semver",   "semver(string, bool): Semver",           (text: string, lax: boolean) => semver(lax ? normalise(text) : text)],
  ["is_semver_string",        "isSemver(string): bool",                 (text: string) => parseSemver(text).ok],
  ["is_semver_string_bool",   "isSemver(string, bool): bool",           (text: string, lax: boolean) => parseSemver(lax ? normalise(text) : text).ok],
  ["semver_major",            "Semver->major(): int",                   (value: SemverValue) => BigInt.asIntN(64, value.version.major)],
  ["semver_minor",            "Semver->minor(): int",                   (value: SemverValue) => BigInt.asIntN(64, value.version.minor)],
  ["semver_patch",            "Semver->patch(): int",                   (value: SemverValue) => BigInt.asIntN(64, value.version.patch)],
  ["semver_compare_to",       "Semver->compareTo(Semver): int",         (left: SemverValue, right: SemverValue) => BigInt(order(left, right))],
  ["semver_is_less_than",     "Semver->isLessThan(Semver): bool",       (left: SemverValue, right: SemverValue) => order(left, right) < 0],
  ["semver_is_greater_than",  "Semver->isGreaterThan(Semver): bool",    (left: SemverValue, right: SemverValue) => order(left, right) > 0],
];
