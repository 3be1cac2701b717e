const FIRST_MILLISECONDS = 1000;
const LONGEST_MILLISECONDS = 300_000;

/**
 * How long to wait after so many failures in a row: twice as long each time, from one second to
 * `longest`, and up to half of it less by chance, so that many who failed together don't return
 * together.
 */
export function backoff(
  failures: number,
  random: () => number,
  longest = LONGEST_MILLISECONDS,
): number {
  const whole = Math.min(longest, FIRST_MILLISECONDS * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole * (1 - random() / 2));
}
