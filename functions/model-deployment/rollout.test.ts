import { describe, expect, test } from "vitest";
import { chooseUpdates, type RollingReplica } from "./rollout.ts";

/** `r` ready, `u` unready; upper case on a cluster that is not Ready; `+` updated already. */
function replicas(notation: string): readonly RollingReplica[] {
  return notation.split(" ").map((text, at) => ({
    key: `${text}${at}`,
    ready: /r/i.test(text),
    clusterReady: text.toLowerCase() === text,
    outdated: !text.includes("+"),
  }));
}

const one = { maxUnavailable: 1, paused: false };

describe("a change of the template goes", () => {
  test.each([
    ["to one ready replica at a time", "r r r", one, ["r0"]],
    [
      "to as many as may be unavailable",
      "r r r",
      { maxUnavailable: 2, paused: false },
      ["r0", "r1"],
    ],
    ["to no further one while an updated one is not ready", "u+ r r", one, []],
    ["to the next one once it is", "r+ r r", one, ["r1"]],
    ["first to the unready, at no cost, and then no ready one", "r u u", one, ["u1", "u2"]],
    [
      "to unready ones and a ready one where two may be unavailable",
      "r u",
      { maxUnavailable: 2, paused: false },
      ["u1", "r0"],
    ],
    ["to no replica while paused", "r u", { maxUnavailable: 2, paused: true }, []],
    ["last to clusters that are not Ready", "R r r", one, ["r1"]],
    ["on without counting those on clusters that are not Ready", "U r r", one, ["r1"]],
    ["there too once no other is outdated, one at a time", "r+ R R", one, ["R1"]],
    ["there not beyond what may be unavailable", "r+ U+ R", one, []],
  ] as const)("%s", (_, notation, rules, expected) => {
    expect([...chooseUpdates(replicas(notation), rules, () => true)]).toEqual(expected);
  });

  test("past a replica that has no room to grow", () => {
    const fits = (key: string) => key !== "r0";
    expect([...chooseUpdates(replicas("r r"), one, fits)]).toEqual(["r1"]);
  });
});
