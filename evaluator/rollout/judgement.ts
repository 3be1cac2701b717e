import type { Revision } from "../../api/gen/decisionmodels.ts";
import { after, formatInstant, type Instant } from "../../kube/instant.ts";
import type { Dataset } from "../evaluation/dataset.ts";
import { type Baseline, comparesWithStable, judge } from "../evaluation/gates.ts";
import { type EvaluationPolicy, evaluationKey, scoreTolerance } from "../evaluation/identity.ts";
import type { ConcludedRun } from "../evaluation/run.ts";
import { type EvaluationRecord, evaluationRecord } from "../evaluation/status.ts";
import { undecodable, unmeasured, unsourced, type Verdict } from "../evaluation/verdict.ts";
import type { Server } from "./decision.ts";
import type { Pass } from "./pass.ts";
import { recreates } from "./policy.ts";
import { LIMITS } from "./settings.ts";

/** What is to be judged: a candidate whose pods are ready, until a moment. */
export interface Trial {
  readonly policy: EvaluationPolicy;
  readonly candidate: Revision;
  readonly servers: readonly Server[];
  readonly deadline: Instant;
}

/** A verdict, and what the status says of the measurement that it rests on, if there was one. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly record: EvaluationRecord | undefined;
}

/**
 * Judges a candidate by its answers to the dataset, and by the stable revision's where the policy
 * compares; wants what is missing to be run, and returns nothing while it runs.
 */
export function judgement(pass: Pass, trial: Trial): Judgement | undefined {
  const { dataset } = pass.world;
  if (dataset === undefined) return undefined;
  if (dataset.state === "held") return { verdict: unsourced(dataset), record: undefined };
  if (!dataset.decoded.ok) {
    return { verdict: undecodable(dataset.decoded.problems), record: undefined };
  }
  const own = run(pass, trial, dataset.decoded.dataset, trial.candidate, trial.servers);
  if (own === undefined) return undefined;
  if (own.outcome.state !== "measured") {
    return { verdict: unmeasured(own.outcome), record: undefined };
  }
  const stable = measureStable(pass, trial, dataset.decoded.dataset);
  if (stable === undefined) return undefined;
  const { baseline } = stable;
  const { measurement } = own.outcome;
  const { policy, candidate } = trial;
  const verdict = judge(policy, measurement, baseline);
  const completedAt = formatInstant(Math.max(own.at, stable.at) as Instant);
  const record = evaluationRecord({
    revision: candidate.hash,
    policy,
    datasetDigest: dataset.digest,
    measurement,
    baseline,
    verdict,
    completedAt,
  });
  return { verdict, record };
}

/** The stable revision's measurement where gates compare with it; it is stopped under Recreate. */
function measureStable(
  pass: Pass,
  trial: Trial,
  dataset: Dataset,
): { readonly baseline: Baseline; readonly at: Instant } | undefined {
  const stable = pass.status.stableRevision;
  const none = { baseline: { state: "none" as const }, at: 0 as Instant };
  if (stable === undefined || recreates(pass.spec) || !comparesWithStable(trial.policy)) {
    return none;
  }
  const unavailable = (message: string) => ({
    baseline: { state: "unavailable" as const, message },
    at: 0 as Instant,
  });
  const servers = pass.gated.get(stable.hash)?.ready ?? [];
  const result = run(pass, trial, dataset, stable, servers);
  if (result === undefined) {
    return servers.length === 0 ? unavailable("none of its pods has the model ready") : undefined;
  }
  const { outcome, at } = result;
  return outcome.state === "measured"
    ? { baseline: { state: "measured", measurement: outcome.measurement }, at }
    : unavailable(outcome.message);
}

/** Wants a revision to answer the dataset, again after answers that say nothing, and returns what came of it. */
function run(
  pass: Pass,
  { policy, deadline }: Trial,
  dataset: Dataset,
  revision: Revision,
  servers: readonly Server[],
): { readonly outcome: ConcludedRun; readonly at: Instant } | undefined {
  const { namespace = "", name = "" } = pass.model.metadata;
  const key = evaluationKey({ namespace, name, revision: revision.hash }, dataset.digest, policy);
  const id = `evaluate/${key}`;
  const state = pass.world.runs.get(id);
  const latest = state?.latest;
  const outcome = latest?.result.type === "Evaluate" ? latest.result.outcome : undefined;
  const due = latest === undefined ? pass.now : after(latest.at, LIMITS.probe);
  const repeats = outcome?.state === "broken" && due <= pass.now;
  if (state !== undefined || servers.length > 0) {
    const since = repeats ? pass.now : latest?.at;
    pass.want({
      id,
      work: {
        type: "Evaluate",
        servers,
        model: revision.model,
        cases: dataset.cases,
        tolerance: scoreTolerance(policy),
        parallelism: pass.spec.rollout?.evaluation?.parallelism ?? LIMITS.parallelism,
        deadline,
      },
      ...(since === undefined ? {} : { since }),
    });
  }
  return outcome === undefined || latest === undefined ? undefined : { outcome, at: latest.at };
}
