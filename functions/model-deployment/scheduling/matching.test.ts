import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DemandedRequest, PoolDevice } from "./fleet.ts";
import { matchMember } from "./matching.ts";

// A selector here is a letter, met by devices whose driver has it.
const meets = (selector: string, { driver }: { readonly driver: string }) =>
  driver.includes(selector);
const request = (count: number, letters = ""): DemandedRequest => ({
  name: "r",
  count,
  selectors: [...letters],
});
const devices = (deviceClassName: string, count: number, driver = ""): PoolDevice => ({
  claim: deviceClassName === "" ? "Synthetic" : "DRA",
  deviceClassName,
  count,
  device: { driver },
});
const match = (requests: readonly DemandedRequest[], ...held: readonly PoolDevice[]) => {
  const outcome = matchMember(requests, { devices: held, memory: 0 }, meets);
  return typeof outcome === "string" ? outcome : outcome.deviceClasses;
};

describe("matchMember", () => {
  it.each([
    ["nothing asked for", [], [devices("x", 1)], []],
    ["nothing there", [request(1)], [], "none"],
    ["one of many", [request(1)], [devices("x", 8)], ["x"]],
    ["more than there are", [request(9)], [devices("x", 8)], "none"],
    [
      "all selectors must hold",
      [request(1, "ab")],
      [devices("x", 1, "a"), devices("x", 1, "b")],
      "none",
    ],
    ["two entries of a class", [request(2)], [devices("x", 1), devices("x", 1)], ["x"]],
    ["no claim spans two classes", [request(2)], [devices("x", 1), devices("y", 1)], "none"],
    ["nor a class and what is synthetic", [request(2)], [devices("x", 1), devices("", 1)], "none"],
    ["the first class that has enough", [request(2)], [devices("x", 1), devices("y", 2)], ["y"]],
    [
      "the modest one leaves the large device",
      [request(1), request(1, "b")],
      [devices("x", 1, "b"), devices("x", 1)],
      ["x", "x"],
    ],
    [
      "the modest one leaves the class",
      [request(1), request(1, "b")],
      [devices("x", 1, "b"), devices("y", 1)],
      ["y", "x"],
    ],
    ["synthetic only", [request(1)], [devices("", 1)], [undefined]],
    [
      "synthetic beside a claim",
      [request(1, "a"), request(1, "b")],
      [devices("", 1, "a"), devices("x", 1, "b")],
      [undefined, "x"],
    ],
    [
      "rather a claim than none, whatever the order",
      [request(1)],
      [devices("", 1), devices("x", 1)],
      ["x"],
    ],
    [
      "the status order while something is claimed",
      [request(1), request(1, "b")],
      [devices("", 1), devices("x", 2, "b")],
      [undefined, "x"],
    ],
  ] as const)("%s", (_, requests, held, expected) => {
    expect(match(requests, ...held)).toEqual(expected);
  });

  it("gives up on what has too many ways, and says so", () => {
    // Each of fifteen classes has enough for one request, which only trying them all would tell.
    const held = Array.from({ length: 15 }, (_, at) => devices(`c${at}`, 3));
    const requests = Array.from({ length: 16 }, () => request(2));
    expect(match(requests, ...held)).toBe("unknown");
  });

  it("finds a match exactly when there is one", () => {
    const letters = fc.constantFrom("", "a", "b", "ab");
    const requests = fc.array(fc.record({ count: fc.integer({ min: 1, max: 3 }), letters }), {
      maxLength: 3,
    });
    const held = fc.array(
      fc.record({
        className: fc.constantFrom("x", "y", ""),
        count: fc.integer({ min: 0, max: 3 }),
        driver: letters,
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(requests, held, (asked, entries) => {
        const wanted = asked.map(({ count, letters }) => request(count, letters));
        const there = entries.map(({ className, count, driver }) =>
          devices(className, count, driver),
        );
        const found = matchMember(wanted, { devices: there, memory: 0 }, meets);
        const ways = everyWay(wanted, there);
        if (typeof found === "string") {
          expect(found).toBe("none");
          expect(ways).toEqual([]);
          return;
        }
        expect(ways).toContainEqual(found.deviceClasses);
        expect(found.claims).toBe(ways.some((way) => way.some((one) => one !== undefined)));
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});

/** Every way to give each request its devices one by one, as the classes that the requests get. */
function everyWay(
  requests: readonly DemandedRequest[],
  held: readonly PoolDevice[],
): readonly (readonly (string | undefined)[])[] {
  const ways: (string | undefined)[][] = [];
  const left = held.map(({ count }) => count);
  const give = (
    at: number,
    missing: number,
    from: number,
    group: string | undefined,
    way: (string | undefined)[],
  ) => {
    const wanted = requests[at];
    if (wanted === undefined) {
      ways.push(way);
      return;
    }
    for (let entry = from; entry < held.length; entry++) {
      const device = held[entry] as PoolDevice;
      const key = `${device.claim}/${device.deviceClassName}`;
      if ((left[entry] ?? 0) === 0 || (group !== undefined && key !== group)) continue;
      if (!wanted.selectors.every((selector) => meets(selector, device.device))) continue;
      left[entry] = (left[entry] ?? 0) - 1;
      if (missing > 1) give(at, missing - 1, entry, key, way);
      else {
        const name = device.claim === "DRA" ? device.deviceClassName : undefined;
        give(at + 1, requests[at + 1]?.count ?? 0, 0, undefined, [...way, name]);
      }
      left[entry] = (left[entry] ?? 0) + 1;
    }
  };
  give(0, requests[0]?.count ?? 0, 0, undefined, []);
  return ways;
}
