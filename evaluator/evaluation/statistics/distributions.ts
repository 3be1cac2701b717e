import jstat from "jstat";

const { jStat } = jstat;

/** The quantile of the standard normal distribution at a probability between 0 and 1. */
export function normalQuantile(probability: number): number {
  return jStat.normal.inv(probability, 0, 1);
}

/** The quantile of the beta distribution at a probability between 0 and 1; both shapes above 0. */
export function betaQuantile(probability: number, alpha: number, beta: number): number {
  return jStat.beta.inv(probability, alpha, beta);
}

/**
 * The probability of at most so many heads among so many fair coins, by its identity with the
 * incomplete beta function (NIST DLMF 8.17.5), to within 10⁻⁷.
 */
export function fairTail(heads: number, coins: number): number {
  return heads >= coins ? 1 : jStat.ibeta(0.5, coins - heads, heads + 1);
}
