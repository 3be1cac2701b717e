import type { SourcedDataset } from "./dataset-source.ts";
import type { ConcludedRun } from "./run.ts";

/** Why a candidate is rejected by its evaluation. */
export type FailureReason =
  | "EvaluationFailed"
  | "CalibrationUnavailable"
  | "ClassificationUnavailable"
  | "DatasetInvalid";

/** What an evaluation waits for; its deadline runs meanwhile. */
export type HoldReason =
  | Extract<SourcedDataset, { state: "held" }>["reason"]
  | "DatasetInvalid"
  | "BaselineUnavailable";

/** What comes of an evaluation: each outcome has a path of its own through the rollout. */
export type Verdict =
  | {
      readonly outcome: "passed";
      readonly message: string;
      /** The relative gates that are set but had no stable revision to compare with. */
      readonly skipped: readonly string[];
    }
  /** Every gate is passed by the figures, but they rest on too little to be sure of it. */
  | { readonly outcome: "insufficient"; readonly message: string }
  | { readonly outcome: "failed"; readonly reason: FailureReason; readonly message: string }
  | { readonly outcome: "held"; readonly reason: HoldReason; readonly message: string }
  /** The run says nothing about the model and is repeated. */
  | { readonly outcome: "invalid"; readonly message: string };

/** The verdict on a dataset that does not decode: final, since the same bytes never will. */
export function undecodable(problems: readonly string[]): Verdict {
  const [first = "", ...more] = problems;
  const others = more.length === 0 ? "" : `; and ${more.length} more`;
  return { outcome: "failed", reason: "DatasetInvalid", message: `${first}${others}` };
}

/** The verdict on a dataset that can't be read yet. */
export function unsourced({
  reason,
  message,
}: Extract<SourcedDataset, { state: "held" }>): Verdict {
  return { outcome: "held", reason, message };
}

/** The verdict on a run without a measurement: a mended dataset releases a rejected one. */
export function unmeasured(run: Exclude<ConcludedRun, { state: "measured" }>): Verdict {
  return run.state === "rejected"
    ? { outcome: "held", reason: "DatasetInvalid", message: run.message }
    : { outcome: "invalid", message: run.message };
}
