import { describe, expect, test } from "vitest";
import type { DecisionModelStatus } from "../../api/gen/decisionmodels.ts";
import { NOW, passOver, revision } from "../../test/support/decision-model.ts";
import { credentialsFail } from "./credentials.ts";
import type { World } from "./world.ts";

const apiKey = {
  state: "unusable",
  reason: "APIKeyInvalid",
  message: "Secret engine does not exist",
} as const;
const downloadToken = {
  state: "unusable",
  reason: "DownloadTokenInvalid",
  message: "Secret weights has no key",
} as const;
const usable = { state: "usable", checksum: "c0ffee" } as const;

function judged(world: Partial<World>, status: DecisionModelStatus = {}) {
  const pass = passOver({ world, status });
  const fails = credentialsFail(pass);
  const { wakeAt } = pass.decision();
  return {
    fails,
    phase: pass.phase,
    degraded: pass.degraded?.reason,
    blocked: pass.blocked?.reason,
    wait: wakeAt && (wakeAt - NOW) / 1000,
  };
}

describe("74: a Secret that can't be used", () => {
  const serves: DecisionModelStatus = { phase: "Ready", stableRevision: revision("stable") };
  test.each<readonly [string, Partial<World>, DecisionModelStatus, object]>([
    [
      "is none where none is named",
      {},
      {},
      { fails: false, phase: undefined, degraded: undefined, wait: undefined },
    ],
    [
      "is none of those that can",
      { apiKey: usable, downloadToken: usable },
      {},
      { fails: false, degraded: undefined },
    ],
    [
      "keeps a first revision from beginning",
      { apiKey },
      {},
      {
        fails: true,
        phase: "Degraded",
        degraded: "APIKeyInvalid",
        blocked: "APIKeyInvalid",
        wait: 60,
      },
    ],
    [
      "so does one for downloads",
      { apiKey: usable, downloadToken },
      {},
      { fails: true, phase: "Degraded", degraded: "DownloadTokenInvalid" },
    ],
    ["is first that of the servers", { apiKey, downloadToken }, {}, { degraded: "APIKeyInvalid" }],
    [
      "leaves what serves as it is",
      { apiKey },
      serves,
      { fails: true, phase: "Ready", degraded: "APIKeyInvalid", blocked: undefined, wait: 60 },
    ],
    [
      "has a roll-out that queued give its place up",
      { apiKey },
      { ...serves, phase: "Pending" },
      { fails: true, phase: "Degraded" },
    ],
    [
      "leaves a candidate where it is",
      { downloadToken },
      { ...serves, phase: "Caching", candidateRevision: revision("candidate") },
      { fails: true, phase: "Caching" },
    ],
  ])("%s", (_, world, status, expected) => {
    expect(judged(world, status)).toMatchObject(expected);
  });
});
