import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareSemvers, formatSemver, parseSemver, type Semver } from "./semver.ts";

function parse(text: string): Semver {
  const parsed = parseSemver(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.error}`);
  return parsed.version;
}

describe("parseSemver", () => {
  it.each([
    "0.0.0",
    "1.2.3",
    "1.2.3-rc.1",
    "1.2.3-alpha+build.01",
    "1.0.0--",
    "18446744073709551615.0.0",
  ])("reads %s", (text) => {
    expect(formatSemver(parse(text))).toBe(text);
  });

  it.each([
    "",
    "1",
    "1.2",
    "v1.2.3",
    "1.2.3.4",
    "01.2.3",
    "1.2.3-01",
    "1.2.3-",
    "1.2.3+",
    " 1.2.3",
    "1.2.3\n",
    "18446744073709551616.0.0",
    "1.2.3-ä",
    `1.2.3-${"a".repeat(300)}`,
  ])("refuses %j", (text) => {
    expect(parseSemver(text).ok).toBe(false);
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => typeof parseSemver(text).ok === "boolean"));
  });
});

describe("compareSemvers", () => {
  // The order of semver.org, point 11.
  const ordered = [
    "1.0.0-1",
    "1.0.0-2",
    "1.0.0-11",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.1.0",
    "2.0.0",
    "10.0.0",
  ];

  it("orders by precedence", () => {
    for (const [index, left] of ordered.entries()) {
      for (const [other, right] of ordered.entries()) {
        expect(compareSemvers(parse(left), parse(right)), `${left} and ${right}`).toBe(
          Math.sign(index - other),
        );
      }
    }
  });

  it("ignores build metadata", () => {
    expect(compareSemvers(parse("1.0.0+a"), parse("1.0.0+b"))).toBe(0);
  });

  it("is antisymmetric", () => {
    const identifier = fc.oneof(
      fc.nat(20).map(String),
      fc.stringMatching(/^[A-Za-z-][0-9A-Za-z-]{0,3}$/),
    );
    const version = fc
      .tuple(fc.nat(3), fc.nat(3), fc.nat(3), fc.array(identifier, { maxLength: 3 }))
      .map(([major, minor, patch, pre]) =>
        parse(`${major}.${minor}.${patch}${pre.length > 0 ? `-${pre.join(".")}` : ""}`),
      );
    fc.assert(
      fc.property(version, version, (left, right) => {
        const order = compareSemvers(left, right);
        expect(compareSemvers(right, left)).toBe(order === 0 ? 0 : -order);
        expect(parse(formatSemver(left))).toEqual(left);
      }),
    );
  });
});
