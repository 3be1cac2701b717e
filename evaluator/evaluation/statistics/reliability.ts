import { type CalibrationPoint, equalWidthBin } from "../calibration.ts";
import { toNumber } from "../fraction.ts";
import { type Bootstrap, bootstrapInterval } from "./bootstrap.ts";
import type { Interval } from "./intervals.ts";
import { quantile } from "./quantile.ts";

/** How confidences are put into bins: ten of a tenth each, or ten with about as many points each. */
export type Binning = "equal width" | "equal mass";

/** A bin of a reliability table (Murphy and Winkler, Applied Statistics 26, 1977). */
export interface ReliabilityBin {
  /** The confidences that belong to it. */
  readonly range: Interval;
  readonly count: number;
  /** The mean confidence, and the share that was right; both 0 where the bin is empty. */
  readonly confidence: number;
  readonly accuracy: number;
}

/** Confidence against accuracy, bin by bin, and how far apart they are. */
export interface Reliability {
  readonly bins: readonly ReliabilityBin[];
  /**
   * The expected calibration error: the mean distance of confidence and accuracy over the bins, each
   * weighed by its points (Naeini, Cooper and Hauskrecht, AAAI 2015); over bins of equal mass
   * (Nguyen and O'Connor, EMNLP 2015). 0 of no points.
   */
  readonly error: number;
  /** By a bootstrap over cases in the bins of all points; left out without a point. */
  readonly interval?: Interval;
}

const BINS = 10;

/** A point in its bin. */
interface Placed {
  readonly bin: number;
  readonly confidence: number;
  readonly correct: boolean;
}

/** Compares confidence with accuracy over points that are grouped by case, empty groups included. */
export function reliability(
  cases: readonly (readonly CalibrationPoint[])[],
  binning: Binning,
  bootstrap: Bootstrap,
): Reliability {
  const edges = binning === "equal width" ? EQUAL_WIDTH : equalMass(cases.flat());
  const placed = cases.map((points) => points.map((point) => place(point, binning, edges)));
  const all = placed.flat();
  const bins = edges.slice(1).map((high, bin) => {
    return tabulate(
      all.filter((point) => point.bin === bin),
      { low: edges[bin] ?? 0, high },
    );
  });
  const error = calibrationError(placed);
  if (all.length === 0) return { bins, error };
  return { bins, error, interval: bootstrapInterval(placed, calibrationError, bootstrap) };
}

const EQUAL_WIDTH = Array.from({ length: BINS + 1 }, (_, edge) => edge / BINS);

/** The deciles of the confidences, so that equal ones are in one bin; some bins may stay empty. */
function equalMass(points: readonly CalibrationPoint[]): readonly number[] {
  if (points.length === 0) return EQUAL_WIDTH;
  const ascending = points.map(({ confidence }) => toNumber(confidence)).sort((a, b) => a - b);
  return EQUAL_WIDTH.map((share) => quantile(ascending, share));
}

/** A lower edge is in its bin of equal width as in the gates' figure; an upper one in its bin of equal mass. */
function place(
  { confidence, correct }: CalibrationPoint,
  binning: Binning,
  edges: readonly number[],
): Placed {
  const value = toNumber(confidence);
  const bin =
    binning === "equal width"
      ? equalWidthBin(confidence)
      : edges.slice(1, BINS).filter((edge) => edge < value).length;
  return { bin, confidence: value, correct };
}

function tabulate(points: readonly Placed[], range: Interval): ReliabilityBin {
  const count = points.length;
  const confidence = points.reduce((sum, point) => sum + point.confidence, 0);
  const correct = points.filter((point) => point.correct).length;
  if (count === 0) return { range, count, confidence: 0, accuracy: 0 };
  return { range, count, confidence: confidence / count, accuracy: correct / count };
}

function calibrationError(cases: readonly (readonly Placed[])[]): number {
  const gaps = new Float64Array(BINS);
  let count = 0;
  for (const points of cases) {
    count += points.length;
    for (const { bin, confidence, correct } of points) {
      gaps[bin] = (gaps[bin] ?? 0) + (correct ? 1 : 0) - confidence;
    }
  }
  const distance = gaps.reduce((sum, gap) => sum + Math.abs(gap), 0);
  return count === 0 ? 0 : distance / count;
}
