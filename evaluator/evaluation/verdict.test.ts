import { describe, expect, it } from "vitest";
import { undecodable, unmeasured, unsourced } from "./verdict.ts";

describe("without a measurement the verdict", () => {
  it("is final for a dataset that does not decode, and counts the problems", () => {
    expect(undecodable(["line 2: bad"])).toEqual({
      outcome: "failed",
      reason: "DatasetInvalid",
      message: "line 2: bad",
    });
    expect(undecodable(["line 2: bad", "line 3: bad", "line 9: bad"])).toMatchObject({
      message: "line 2: bad; and 2 more",
    });
  });

  it("29: is a hold for a dataset that can't be read yet", () => {
    const held = { state: "held", reason: "SecretNotAllowed", message: "label it" } as const;
    expect(unsourced(held)).toEqual({
      outcome: "held",
      reason: "SecretNotAllowed",
      message: "label it",
    });
  });

  it("31: is a hold for a case that the engine rejects", () => {
    expect(unmeasured({ state: "rejected", line: 7, message: "line 7" })).toEqual({
      outcome: "held",
      reason: "DatasetInvalid",
      message: "line 7",
    });
  });

  it("53: is none for a run that broke", () => {
    expect(unmeasured({ state: "broken", message: "reset" })).toEqual({
      outcome: "invalid",
      message: "reset",
    });
  });
});
