import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Instant } from "../../kube/instant.ts";
import { ApiStore } from "../simulation/api-store.ts";
import { BUILT_IN, kindOf } from "../simulation/kinds.ts";
import { type Fate, MemoryClient } from "../simulation/memory-client.ts";
import { VirtualClock } from "../simulation/virtual-clock.ts";
import type { Problem, ResourceKind } from "./client.ts";
import type { Clock } from "./clock.ts";
import { type ElectionOptions, LEASE_NAME, lead } from "./election.ts";

const LEASE = kindOf("Lease") as ResourceKind;
const START = Date.parse("2026-12-01T10:00:00.123Z");

let clock: VirtualClock;
let store: ApiStore;
/** Who leads now. */
let leading: Set<string>;
/** The most who ever led at a time. */
let most: number;
/** Who began (+) and ended (-) when, in seconds. */
let terms: string[];

beforeEach(() => {
  clock = new VirtualClock(START as Instant);
  store = new ApiStore({ kinds: BUILT_IN, definitions: new Map(), now: () => clock.now() });
  leading = new Set();
  most = 0;
  terms = [];
});

const note = (text: string) => terms.push(`${text} ${(clock.now() - START) / 1000}`);

/** Somebody who runs for the Lease. */
function run(
  identity: string,
  {
    meet = () => undefined,
    skew = 0,
    drains = 0,
    ...options
  }: Partial<ElectionOptions> & {
    readonly meet?: () => Fate | undefined;
    readonly skew?: number;
    readonly drains?: number;
  } = {},
) {
  const stop = new AbortController();
  const failures: Problem[] = [];
  const skewed: Clock = {
    now: () => clock.now() + skew,
    after: (milliseconds, signal) => clock.after(milliseconds, signal),
  };
  const ended = lead(
    {
      client: new MemoryClient({ store, clock, meet }),
      clock: skewed,
      random: () => 0,
      namespace: "system",
      identity,
      releases: false,
      failed: (problem) => failures.push(problem),
      ...options,
    },
    stop.signal,
    (signal, lost) =>
      new Promise((resolve) => {
        note(`+${identity}`);
        leading.add(identity);
        most = Math.max(most, leading.size);
        const end = () => {
          if (leading.delete(identity)) note(`-${identity}`);
          resolve();
        };
        signal.addEventListener("abort", () => clock.call(drains, end));
        // Who lost the Lease has 5 s to break off before another begins.
        lost.addEventListener("abort", () => clock.call(Math.min(drains, 4900), end));
      }),
  );
  void ended.then((how) => note(`${identity} ${how}`));
  return { stop, ended, failures };
}

const pass = (seconds: number) => clock.advanceTo(clock.now() + seconds * 1000);
const lease = () => {
  const found = store.get(LEASE, "system", LEASE_NAME);
  return found.ok ? found.value : undefined;
};

describe("the Lease", () => {
  test("is made, renewed every 2 s, and says who holds it since when", async () => {
    run("one");
    await pass(0);
    expect(lease()).toMatchObject({
      metadata: { name: "4aba9cc6.io", namespace: "system", resourceVersion: "1" },
      spec: {
        holderIdentity: "one",
        leaseDurationSeconds: 15,
        acquireTime: "2026-12-01T10:00:00.123000Z",
        renewTime: "2026-12-01T10:00:00.123000Z",
        leaseTransitions: 0,
      },
    });
    await pass(60);
    expect(lease()).toMatchObject({
      metadata: { resourceVersion: "31" },
      spec: {
        acquireTime: "2026-12-01T10:00:00.123000Z",
        renewTime: "2026-12-01T10:01:00.123000Z",
        leaseTransitions: 0,
      },
    });
    expect(terms).toEqual(["+one 0"]);
  });

  test.each([0, 86_400_000, -86_400_000])(
    "is another's 16 s after its holder is gone, however wrong their clocks are (%i ms)",
    async (skew) => {
      const one = run("one");
      await pass(1);
      run("two", { skew });
      await pass(100);
      expect(terms).toEqual(["+one 0"]);
      one.stop.abort();
      await pass(30);
      // The last renewal was at 100 s and first seen at 101 s.
      expect(terms).toEqual(["+one 0", "-one 101", "one stopped 101", "+two 117"]);
      expect(lease()).toMatchObject({ spec: { holderIdentity: "two", leaseTransitions: 1 } });
    },
  );

  test("is another's within 2 s where it is given back, once the work has ended", async () => {
    const one = run("one", { releases: true, drains: 20_000 });
    await pass(1);
    run("two");
    await pass(9.5);
    one.stop.abort();
    await pass(30);
    expect(terms).toEqual(["+one 0", "-one 30.5", "one stopped 30.5", "+two 31"]);
  });

  test("is renewed until work that was asked to end has ended", async () => {
    const one = run("one", { drains: 60_000 });
    await pass(1);
    run("two");
    one.stop.abort();
    await pass(100);
    expect(terms).toEqual(["+one 0", "-one 61", "one stopped 61", "+two 77"]);
  });

  test("may carry what others wrote into it", async () => {
    run("one");
    await pass(1);
    const patch = {
      metadata: { labels: { a: "b" } },
      spec: { strategy: "OldestEmulationVersion" },
    };
    const name = { namespace: "system", name: LEASE_NAME };
    store.patch(LEASE, name, patch, { part: "object", type: "merge" });
    await pass(10);
    expect(lease()).toMatchObject({ ...patch, spec: { ...patch.spec, holderIdentity: "one" } });
    expect(terms).toEqual(["+one 0"]);
  });

  test("that somebody deletes is made again", async () => {
    run("one");
    await pass(1);
    store.delete(LEASE, "system", LEASE_NAME);
    await pass(10);
    expect(lease()).toMatchObject({ spec: { holderIdentity: "one" } });
    expect(terms).toEqual(["+one 0"]);
  });

  test("that somebody else took is lost at the next renewal", async () => {
    const one = run("one");
    await pass(1);
    const name = { namespace: "system", name: LEASE_NAME };
    const patch = { spec: { holderIdentity: "thief" } };
    store.patch(LEASE, name, patch, { part: "object", type: "merge" });
    await pass(10);
    expect(await one.ended).toBe("lost");
    expect(terms).toEqual(["+one 0", "-one 2", "one lost 2"]);
  });
});

describe("when requests fail", () => {
  const lost: Problem = { reason: "Unavailable", message: "as the test says" };
  test.each<[string, Fate]>([
    ["fail", { type: "refuse", problem: lost }],
    ["hang", { type: "hang", done: false }],
    ["are never answered though done", { type: "hang", done: true }],
    ["lose their answers", { type: "lose-answer" }],
  ])(
    "and all %s, the holder gives up 10 s after its last renewal, before any other begins",
    async (_, fate) => {
      let isCut = false;
      const one = run("one", { meet: () => (isCut ? fate : undefined) });
      await pass(1);
      run("two");
      await pass(10);
      isCut = true;
      await pass(10);
      expect(await one.ended).toBe("lost");
      await pass(60);
      expect(terms.slice(0, 3)).toEqual(["+one 0", "-one 20", "one lost 20"]);
      const [, began] = terms[3]?.split(" ") ?? [];
      expect(terms[3]).toContain("+two");
      expect(Number(began)).toBeGreaterThanOrEqual(25);
      expect(Number(began)).toBeLessThan(42);
    },
  );

  test.each<[string, Fate]>([
    ["fails", { type: "refuse", problem: lost }],
    ["hangs", { type: "hang", done: false }],
    ["is never answered though done", { type: "hang", done: true }],
    ["loses its answer", { type: "lose-answer" }],
  ])("and one %s, nothing is lost", async (_, fate) => {
    let next: Fate | undefined;
    const meet = () => {
      const now = next;
      next = undefined;
      return now;
    };
    run("one", { meet });
    await pass(1);
    run("two");
    for (let count = 0; count < 10; count++) {
      next = fate;
      await pass(13);
    }
    expect(terms).toEqual(["+one 0"]);
  });

  test("and the answer to taking it is lost, it is found to be held", async () => {
    const fates: (Fate | undefined)[] = [undefined, { type: "lose-answer" }];
    const one = run("one", { meet: () => fates.shift() });
    await pass(10);
    expect(terms).toEqual(["+one 2"]);
    expect(one.failures.map(({ reason }) => reason)).toEqual(["Lost"]);
  });

  test("and it is forbidden, that is said, and tried again", async () => {
    const problem: Problem = { reason: "Forbidden", message: "may not get leases" };
    let isForbidden = true;
    const one = run("one", { meet: () => (isForbidden ? { type: "refuse", problem } : undefined) });
    await pass(3);
    expect(one.failures).toEqual([problem, problem]);
    isForbidden = false;
    await pass(3);
    expect(terms).toEqual(["+one 4"]);
  });
});

describe("the end", () => {
  test.each([0, 1])(
    "before the Lease is held, with another's as %i, leaves nothing behind",
    async (others) => {
      if (others === 1) run("other");
      await pass(1);
      const two = run("two", {
        meet: () => (others === 1 ? undefined : { type: "hang", done: false }),
      });
      await pass(4);
      two.stop.abort();
      expect(await two.ended).toBe("stopped");
      await pass(0);
      if (others === 0) expect(clock.next).toBeUndefined();
      expect(terms.filter((term) => term.startsWith("+"))).toHaveLength(others);
    },
  );

  test("of the work ends the term", async () => {
    const options = { client: new MemoryClient({ store, clock }), clock, random: () => 0 };
    const more = { namespace: "system", identity: "one", releases: true, failed: () => undefined };
    const ended = lead(
      { ...options, ...more },
      new AbortController().signal,
      async () => undefined,
    );
    expect(await ended).toBe("stopped");
    expect(lease()).toMatchObject({ spec: { holderIdentity: "", leaseDurationSeconds: 1 } });
    await pass(0);
    expect(clock.next).toBeUndefined();
  });
});

test("never do two lead, whatever befalls requests and clocks; in the end somebody does", async () => {
  const fate: fc.Arbitrary<Fate | undefined> = fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Fate>(
        { type: "refuse", problem: { reason: "Unavailable", message: "as the test says" } },
        { type: "lose-answer" },
        { type: "hang", done: false },
        { type: "hang", done: true },
      ),
    },
  );
  const contender = fc.record({
    from: fc.nat(60),
    until: fc.nat(400),
    skew: fc.integer({ min: -100_000, max: 100_000 }),
    releases: fc.boolean(),
    drains: fc.nat(20_000),
    fates: fc.array(fate, { maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(contender, { minLength: 2, maxLength: 4 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 99 })),
      async (contenders, chances) => {
        clock = new VirtualClock(START as Instant);
        store = new ApiStore({ kinds: BUILT_IN, definitions: new Map(), now: () => clock.now() });
        leading = new Set();
        most = 0;
        const random = () => (chances.next().value ?? 0) / 100;
        contenders.forEach(({ from, until, fates, ...options }, index) => {
          clock.call(from * 1000, () => {
            const left = [...fates];
            const one = run(`c${index}`, { ...options, random, meet: () => left.shift() });
            clock.call(until * 1000, () => one.stop.abort());
          });
        });
        await pass(500);
        run("last");
        await pass(60);
        expect(most).toBe(1);
        expect([...leading]).toEqual(["last"]);
      },
    ),
    { seed: 6, numRuns: 100 },
  );
});
