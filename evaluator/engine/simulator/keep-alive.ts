const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const GO_DURATION = /^([-+])?((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|ms|s|m|h))+$/;

/**
 * A `keep_alive` in milliseconds: seconds as a number or a text, or a Go duration such as `1h30m`.
 * Infinity stands for ever, which any negative value means; `undefined` for what is none of these.
 */
export function parseKeepAlive(value: unknown): number | undefined {
  if (typeof value === "number") return forever(value * 1000);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (/^[-+]?[0-9]+(\.[0-9]+)?$/.test(text)) return forever(Number(text) * 1000);
  if (!GO_DURATION.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, number, unit = ""] of text.matchAll(/([0-9.]+)([a-zµ]+)/g)) {
    milliseconds += Number(number) * (UNITS[unit] ?? 0);
  }
  return forever(text.startsWith("-") ? -milliseconds : milliseconds);
}

/** Beyond this many milliseconds, some thousand years, no date has a text. */
const LONGEST = 1e14;

function forever(milliseconds: number): number | undefined {
  if (Number.isNaN(milliseconds)) return undefined;
  return milliseconds < 0 || milliseconds > LONGEST ? Number.POSITIVE_INFINITY : milliseconds;
}
