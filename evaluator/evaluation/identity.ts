import { sha256Hex } from "../../kube/canonical.ts";
import type { DatasetSource } from "./dataset-source.ts";
import { type Fraction, formatFraction, parseDecimal, ZERO } from "./fraction.ts";

/**
 * The rules by which answers are scored and gated, as a number that changes when a result may.
 * 1 called an unanswered question perfectly calibrated and compared binary fractions.
 */
export const SCORER_VERSION = 2;

/** The most cases that a gate reads where its policy says nothing. */
export const DEFAULT_MAX_CASES = 500;

/** The most cases that a policy may have a gate read. */
export const MOST_CASES = 5000;

/** How far a score may be from the expected level where neither policy nor case say so. */
const DEFAULT_SCORE_TOLERANCE = "0.5";

/** The thresholds of an evaluation, decimals as the user wrote them; one left out gates nothing. */
export interface EvaluationPolicy {
  readonly minAccuracy: string;
  readonly maxAccuracyDrop?: string;
  readonly maxECE?: string;
  readonly maxECEIncrease?: string;
  readonly minMacroF1?: string;
  readonly maxMacroF1Drop?: string;
  readonly confidence?: string;
  readonly minCoverage?: string;
  readonly maxCases?: number;
  readonly scoreTolerance?: string;
  readonly dataset: DatasetSource;
}

/**
 * Sixteen hexadecimal digits that name a policy: a candidate that waits under another one is
 * evaluated again. Thresholds count as written, the tolerance by its value.
 */
export function policyHash(policy: EvaluationPolicy, scorerVersion = SCORER_VERSION): string {
  const { dataset } = policy;
  const parts = [
    policy.minAccuracy,
    policy.maxAccuracyDrop ?? "",
    policy.maxECE ?? "",
    policy.maxECEIncrease ?? "",
    `${dataset.kind === "ConfigMap" ? "cm" : "secret"}/${dataset.name}/${dataset.key}`,
    String(policy.maxCases ?? DEFAULT_MAX_CASES),
    toleranceText(policy.scoreTolerance),
    String(scorerVersion),
  ];
  // Only where set, so that policies which do not know them keep their hash.
  for (const name of ["minMacroF1", "maxMacroF1Drop", "confidence", "minCoverage"] as const) {
    if (policy[name] !== undefined) parts.push(`${name}=${policy[name]}`);
  }
  return sha256Hex(parts.join(SEPARATOR), 16);
}

const SEPARATOR = "\u001f";

/** The digest of a dataset: SHA-256 over its bytes, 64 hexadecimal digits. */
export function datasetDigest(bytes: Uint8Array): string {
  return sha256Hex(bytes);
}

declare const evaluationKeyBrand: unique symbol;

/** Names a run: two runs of one key give the same answers the same scores. */
export type EvaluationKey = string & { readonly [evaluationKeyBrand]: never };

/**
 * The key of a run of one revision over one dataset. Thresholds are not in it: a policy that only
 * moves them judges the same run again.
 */
export function evaluationKey(
  model: { readonly namespace: string; readonly name: string; readonly revision: string },
  digest: string,
  policy: EvaluationPolicy,
  scorerVersion = SCORER_VERSION,
): EvaluationKey {
  const { namespace, name, revision } = model;
  const cases = policy.maxCases ?? DEFAULT_MAX_CASES;
  const tolerance = toleranceText(policy.scoreTolerance);
  const parts = [namespace, name, revision, digest, cases, tolerance, `scorer-${scorerVersion}`];
  return parts.join("/") as EvaluationKey;
}

/** What a manual approval must name: a revision, and what it was evaluated by where it was. */
export function approvalId(
  revision: string,
  evaluated?: { readonly policyHash: string; readonly datasetDigest: string },
): string {
  const parts = [revision, evaluated?.policyHash ?? "", evaluated?.datasetDigest ?? ""];
  return sha256Hex(parts.join(SEPARATOR), 12);
}

/** How far a score may be off under a policy; nothing where its text is no decimal, which the API refuses. */
export function scoreTolerance({
  scoreTolerance = DEFAULT_SCORE_TOLERANCE,
}: EvaluationPolicy): Fraction {
  return parseDecimal(scoreTolerance) ?? ZERO;
}

/** The shortest text of a tolerance, so that `0.5`, `0.50` and none at all are one policy. */
function toleranceText(text = DEFAULT_SCORE_TOLERANCE): string {
  const value = parseDecimal(text);
  if (value === undefined) return text;
  const places = String(value.denominator).length - 1;
  return formatFraction(value, places)
    .replace(/(\.[0-9]*?)0+$/, "$1")
    .replace(/\.$/, "");
}

const MOST_SHOWN = 40;

/** A threshold as written, cut where nobody would read on: the API bounds no length. */
export function shortThreshold(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
