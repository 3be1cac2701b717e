import type { StandingClock } from "../engine-clock.ts";

/** So many turns of the event loop are far more than an exchange over a socket of this machine takes. */
const TURNS = 40;

/** Lets time of a standing clock pass until a promise settles, with room for real sockets between its steps. */
export async function passUntil<Value>(
  clock: StandingClock,
  promise: Promise<Value>,
  step = 500,
): Promise<Value> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    for (let turn = 0; turn < TURNS && !isSettled; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (!isSettled) await clock.pass(step);
  }
  return settled;
}

/** Waits in real time until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Lets so much time of a standing clock pass, with room for real sockets between its steps. */
export async function passSlowly(
  clock: StandingClock,
  milliseconds: number,
  step = 500,
): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += step) {
    await clock.pass(Math.min(step, milliseconds - passed));
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}
