import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Instant } from "../../kube/instant.ts";
import { VirtualClock } from "../simulation/virtual-clock.ts";
import { type Worked, WorkQueue } from "./queue.ts";

const DONE: Worked = { state: "done" };
const FAILED: Worked = { state: "failed" };

/** A queue in virtual time, what was begun when, and how to end what is under way. */
function start(
  work: (key: string, run: number) => Promise<Worked> | Worked,
  {
    workers = 4,
    random = () => 0,
  }: { readonly workers?: number; readonly random?: () => number } = {},
) {
  const clock = new VirtualClock(0 as Instant);
  const begun: [number, string][] = [];
  const stop = new AbortController();
  const queue = new WorkQueue({
    workers,
    clock,
    random,
    work: async (key) => {
      begun.push([clock.now(), key]);
      return work(key, begun.filter(([, one]) => one === key).length);
    },
  });
  return { queue, clock, begun, stop, running: queue.run(stop.signal) };
}

const seconds = (begun: readonly (readonly [number, string])[], key: string) =>
  begun.filter(([, one]) => one === key).map(([at]) => at / 1000);

describe("a key", () => {
  test("is worked on once however often it is called for before", async () => {
    const { queue, clock, begun } = start(() => DONE, { workers: 1 });
    // The first call is answered at once, so that the others of `a` come while it is worked on.
    for (const key of ["a", "b", "a", "a", "b"]) queue.add(key);
    await clock.advanceTo(1000);
    expect(begun.map(([, key]) => key)).toEqual(["a", "b", "a"]);
  });

  test("that was called for before the queue ran is worked on when it runs", async () => {
    const clock = new VirtualClock(0 as Instant);
    const begun: string[] = [];
    const work = async (key: string) => {
      begun.push(key);
      return DONE;
    };
    const queue = new WorkQueue({ workers: 1, clock, random: () => 0, work });
    queue.add("a");
    queue.add("b", 500);
    await clock.advanceTo(400);
    expect(begun).toEqual([]);
    void queue.run(new AbortController().signal);
    await clock.advanceTo(1000);
    expect(begun).toEqual(["a", "b"]);
  });

  test("is never worked on twice at a time; what calls for it meanwhile counts after", async () => {
    const first = Promise.withResolvers<Worked>();
    const { queue, clock, begun } = start((_, run) => (run === 1 ? first.promise : DONE));
    queue.add("a");
    await clock.advanceTo(1000);
    queue.add("a");
    queue.add("a", 50);
    await clock.advanceTo(5000);
    expect(seconds(begun, "a")).toEqual([0]);
    first.resolve(DONE);
    await clock.advanceTo(6000);
    expect(seconds(begun, "a")).toEqual([0, 5]);
  });

  test.each<[string, readonly number[], readonly number[]]>([
    ["the earliest counts", [5000, 2000, 9000], [2]],
    ["now is earlier than any", [5000, 0], [0]],
    ["a later call adds nothing", [2000, 5000], [2]],
  ])("that is called for after a while: %s", async (_, waits, expected) => {
    const { queue, clock, begun } = start(() => DONE);
    for (const wait of waits) queue.add("a", wait);
    await clock.advanceTo(20_000);
    expect(seconds(begun, "a")).toEqual(expected);
  });

  test("that is done comes back when it says so, or when something calls for it before", async () => {
    const { queue, clock, begun } = start(() => ({ state: "done", again: 10_000 }));
    queue.add("a");
    await clock.advanceTo(14_000);
    queue.add("a");
    await clock.advanceTo(30_000);
    expect(seconds(begun, "a")).toEqual([0, 10, 14, 24]);
  });

  test("may be due later than timers of machines reach", async () => {
    const { queue, clock, begun } = start(() => DONE);
    const waits: number[] = [];
    const after = clock.after.bind(clock);
    clock.after = (milliseconds, signal) => {
      waits.push(milliseconds);
      return after(milliseconds, signal);
    };
    queue.add("a", 60 * 86_400_000);
    await clock.advanceTo(61 * 86_400_000);
    expect(seconds(begun, "a")).toEqual([60 * 86_400]);
    expect(Math.max(...waits)).toBeLessThan(2 ** 31);
  });

  test("that fails is tried ever more rarely, at most every 5 minutes, and as at first once it was done", async () => {
    const failing = start((_, run) => (run === 12 ? DONE : FAILED));
    failing.queue.add("a");
    await failing.clock.advanceTo(1_100_000);
    const times = seconds(failing.begun, "a");
    const waits = times.slice(1).map((at, index) => at - (times[index] as number));
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
    await failing.clock.advanceTo(2_000_000);
    failing.queue.add("a");
    await failing.clock.advanceTo(2_002_000);
    expect(seconds(failing.begun, "a").slice(12)).toEqual([2000, 2001]);
  });

  test("comes back up to half of it earlier by chance", async () => {
    const { queue, clock, begun } = start((_, run) => (run === 3 ? DONE : FAILED), {
      random: () => 0.5,
    });
    queue.add("a");
    await clock.advanceTo(10_000);
    expect(seconds(begun, "a")).toEqual([0, 0.75, 2.25]);
  });
});

describe("keys", () => {
  test("are worked on as many at a time as there are workers, in their order", async () => {
    const ends = new Map<string, (worked: Worked) => void>();
    const { queue, clock, begun } = start(
      (key) => new Promise((resolve) => ends.set(key, resolve)),
      { workers: 2 },
    );
    for (const key of ["a", "b", "c", "d"]) queue.add(key);
    await clock.advanceTo(1000);
    expect(begun.map(([, key]) => key)).toEqual(["a", "b"]);
    ends.get("b")?.(DONE);
    await clock.advanceTo(2000);
    expect(begun.map(([, key]) => key)).toEqual(["a", "b", "c"]);
  });

  test("take turns: one that always comes back at once holds nobody up", async () => {
    const turns: string[] = [];
    const { queue, clock, stop } = start(
      async (key) => {
        turns.push(key);
        if (turns.length > 20) stop.abort();
        return { state: "done", again: 0 };
      },
      { workers: 1 },
    );
    for (const key of ["a", "b", "c"]) queue.add(key);
    await clock.advanceTo(1000);
    expect(turns.slice(0, 9).join("")).toBe("abcabcabc");
  });

  test("H26: one that hangs delays no other", async () => {
    const stuck = new Promise<Worked>(() => undefined);
    const { queue, clock, begun } = start((key) =>
      key === "stuck" ? stuck : { state: "done", again: 1000 },
    );
    queue.add("stuck");
    for (let count = 0; count < 10; count++) queue.add(`fine${count}`);
    await clock.advanceTo(60_000);
    queue.add("stuck");
    await clock.advanceTo(120_000);
    expect(seconds(begun, "stuck")).toEqual([0]);
    for (let count = 0; count < 10; count++) {
      expect(seconds(begun, `fine${count}`)).toEqual([...Array(121).keys()]);
    }
  });

  test("H26: one that fails delays no other", async () => {
    const { queue, clock, begun } = start((key) =>
      key === "failing" ? FAILED : { state: "done", again: 1000 },
    );
    queue.add("failing");
    queue.add("fine");
    await clock.advanceTo(60_000);
    expect(seconds(begun, "failing")).toEqual([0, 1, 3, 7, 15, 31]);
    expect(seconds(begun, "fine")).toEqual([...Array(61).keys()]);
  });
});

describe("the end", () => {
  test("waits for what is under way, and begins nothing more", async () => {
    const first = Promise.withResolvers<Worked>();
    const { queue, clock, begun, stop, running } = start(() => first.promise, { workers: 1 });
    for (const key of ["a", "b"]) queue.add(key);
    queue.add("c", 5000);
    await clock.advanceTo(1000);
    stop.abort();
    queue.add("d");
    let hasEnded = false;
    void running.then(() => {
      hasEnded = true;
    });
    await clock.advanceTo(2000);
    expect(hasEnded).toBe(false);
    first.resolve({ state: "done", again: 100 });
    await running;
    await clock.advanceTo(10_000);
    expect(begun).toEqual([[0, "a"]]);
    expect(clock.next).toBeUndefined();
  });

  test("of nothing is at once, before it began too", async () => {
    const { stop, running, queue, clock } = start(() => DONE);
    queue.add("a", 1000);
    await clock.advanceTo(10);
    expect(clock.next).toBe(1000);
    stop.abort();
    await running;
    await clock.advanceTo(10);
    expect(clock.next).toBeUndefined();
    await queue.run(stop.signal);
  });
});

test("whatever is called for is worked on in time, if a worker is free", async () => {
  const call = fc.record({
    at: fc.nat(20_000),
    key: fc.constantFrom("a", "b", "c", "d", "e"),
    wait: fc.oneof(fc.constant(0), fc.nat(5000)),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.infiniteStream(fc.nat(3000)),
      async (calls, workers, durations) => {
        const underWay = new Set<string>();
        let most = 0;
        const work = async (key: string): Promise<Worked> => {
          expect(underWay).not.toContain(key);
          underWay.add(key);
          most = Math.max(most, underWay.size);
          const took = durations.next().value ?? 0;
          await new Promise<void>((resolve) => clock.call(took, resolve));
          underWay.delete(key);
          return took % 5 === 0 ? FAILED : DONE;
        };
        const { queue, clock, begun, stop, running } = start(work, { workers });
        for (const { at, key, wait } of calls) clock.call(at, () => queue.add(key, wait));
        await clock.advanceTo(3_600_000);
        stop.abort();
        await clock.advanceTo(3_700_000);
        await running;
        expect(most).toBeLessThanOrEqual(workers);
        for (const { at, key } of calls) {
          expect(begun.some(([when, one]) => one === key && when >= at)).toBe(true);
        }
        // With a worker for each key, none waits but for itself: the longest work takes 3 s.
        if (workers < 5) return;
        for (const { at, key, wait } of calls) {
          const inTime = ([when, one]: readonly [number, string]) =>
            one === key && when >= at && when <= at + Math.max(wait, 3000);
          expect(begun.some(inTime)).toBe(true);
        }
      },
    ),
    { seed: 26, numRuns: 300 },
  );
});
