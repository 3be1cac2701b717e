/** What a batch of calls cost, per call. */
export interface Cost {
  readonly wallMilliseconds: number;
  readonly cpuMilliseconds: number;
}

const BATCH_MILLISECONDS = 100;
const ROUNDS = 15;

/**
 * Measures several ways to do the same work against each other: batches take turns, so that what
 * else the machine does hits all alike, and each result is the median of its batches.
 */
export function compare<Name extends string>(
  ways: Readonly<Record<Name, () => void>>,
): Record<Name, Cost> {
  const names = Object.keys(ways) as Name[];
  const batches = new Map<Name, { size: number; costs: Cost[] }>();
  for (const name of names) {
    batches.set(name, { size: batchSize(ways[name]), costs: [] });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { size, costs }] of batches) costs.push(batch(ways[name], size));
  }
  const medians = [...batches].map(([name, { costs }]) => [
    name,
    {
      wallMilliseconds: quantile(
        costs.map((cost) => cost.wallMilliseconds),
        0.5,
      ),
      cpuMilliseconds: quantile(
        costs.map((cost) => cost.cpuMilliseconds),
        0.5,
      ),
    },
  ]);
  return Object.fromEntries(medians);
}

/** The value below which the given share of the numbers lies. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Warms up and finds how many calls take about one batch's time. */
function batchSize(work: () => void): number {
  let calls = 0;
  const started = performance.now();
  while (performance.now() - started < BATCH_MILLISECONDS * 10) {
    work();
    calls++;
  }
  return Math.max(1, Math.round(calls / 10));
}

function batch(work: () => void, size: number): Cost {
  const cpu = process.cpuUsage();
  const started = performance.now();
  for (let i = 0; i < size; i++) work();
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMilliseconds: wall / size, cpuMilliseconds: (user + system) / 1000 / size };
}
