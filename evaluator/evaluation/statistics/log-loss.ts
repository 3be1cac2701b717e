import type { CalibrationPoint } from "../calibration.ts";
import { toNumber } from "../fraction.ts";

/** As scikit-learn, so that one sure mistake does not make the mean infinite. */
const SMALLEST = Number.EPSILON;

/**
 * The mean logarithmic loss (Good, Journal of the Royal Statistical Society B 14, 1952), in nats, of
 * the confidences as probabilities of being right, each kept 2⁻⁵² from 0 and 1. 0 of no points.
 */
export function logLoss(points: readonly CalibrationPoint[]): number {
  if (points.length === 0) return 0;
  const sum = points.reduce((total, { confidence, correct }) => {
    const sure = Math.min(1 - SMALLEST, Math.max(SMALLEST, toNumber(confidence)));
    return total - Math.log(correct ? sure : 1 - sure);
  }, 0);
  return sum / points.length;
}
