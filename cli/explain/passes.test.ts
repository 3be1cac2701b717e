import { describe, expect, test } from "vitest";
import type { Snapshot } from "../../functions/model-deployment/scheduling/fleet.ts";
import { createScheduler } from "../../functions/model-deployment/scheduling/schedule.ts";
import {
  cluster,
  demand,
  engine,
  other,
  own,
  scene,
  taint,
  toleration,
} from "../../test/support/fleet.ts";
import { type Course, followPasses } from "./passes.ts";

function follow(snapshot: Snapshot): Course {
  const deployment = { namespace: "ml-team", name: "chat" };
  return followPasses(snapshot, deployment, createScheduler().schedule);
}

/** `+a/0` is placed, `-a/0 Why` goes, `a/0 gpu:2` takes other nodes. */
function notation({ moves }: Course): readonly string[] {
  return moves.map((move) => {
    const place = `${move.cluster}/${move.index}`;
    if (move.type === "Placed") return `+${place}`;
    if (move.type === "Released") return `-${place} ${move.because}`;
    return `${place} ${move.charges.map(({ pool, nodes }) => `${pool}:${nodes}`).join(" ")}`;
  });
}

const retired = { taints: [taint("retired:NoExecute")] };

describe("what follows", () => {
  test.each([
    ["nothing where all stands", scene(1, [cluster("a")], [own("a/0")]), [], 0],
    ["what is missing is placed", scene(2, [cluster("a"), cluster("b")]), ["+a/0", "+b/0"], 0],
    ["as far as it fits", scene(3, [cluster("a", 1)]), ["+a/0"], 2],
    [
      "on clusters that are not Ready replicas never become so, and nothing waits for them",
      scene(2, [cluster("a", 4, { ready: false }), cluster("b")], [own("a/0", { ready: false })]),
      ["+b/0"],
      0,
    ],
    [
      "a drain replaces one at a time, each before it goes",
      scene(2, [cluster("a", 4, retired), cluster("b")], [own("a/0"), own("a/1")]),
      ["+b/0", "-a/1 Moved", "+b/1", "-a/0 Moved"],
      0,
    ],
    [
      "a drain with nothing else to go to drops them",
      scene(1, [cluster("a", 4, retired)], [own("a/0")]),
      ["-a/0 Drained"],
      1,
    ],
    [
      "a tolerated drain moves nothing",
      scene(demand(1, { tolerations: [toleration()] }), [cluster("a", 4, retired)], [own("a/0")]),
      [],
      0,
    ],
    [
      "a replica whose growth fits takes more nodes, once",
      scene(demand(1, { engines: [engine("main", undefined, 3)] }), [cluster("a")], [own("a/0")]),
      ["a/0 gpu:3"],
      0,
    ],
    [
      "one whose growth does not fit moves",
      scene(
        demand(1, { engines: [engine("main", undefined, 3)] }),
        [cluster("a", 2), cluster("b")],
        [own("a/0")],
      ),
      ["+b/0", "-a/0 Moved"],
      0,
    ],
    [
      "scaling down releases",
      scene(1, [cluster("a"), cluster("b")], [own("a/0"), own("b/0")]),
      ["-b/0 ScaledDown"],
      0,
    ],
    [
      "one that is being deleted is placed again once it is gone, where only its own node would do",
      scene(1, [cluster("a", 1)], [own("a/0", { deleting: true })]),
      ["+a/0"],
      0,
    ],
    [
      "the youngest that has never served yields",
      scene(
        1,
        [cluster("a", 1), cluster("b")],
        [own("a/0", { served: false, serving: false, ready: false })],
        [other("ops/batch", "a")],
      ),
      ["-a/0 Yielded", "+b/0"],
      0,
    ],
  ])("%s", (_, snapshot, expected, missing) => {
    const course = follow(snapshot);
    expect(notation(course)).toEqual(expected);
    expect(course).toMatchObject({ missing, settled: true });
  });

  test("a replica that fits nowhere else is held, and told so in the end", () => {
    const { moves, kept, missing } = follow(scene(1, [cluster("b", 0)], [own("a/0")]));
    expect(moves).toEqual([]);
    expect(missing).toBe(0);
    expect(kept).toMatchObject([{ as: "moving", progress: "NothingFits" }]);
  });

  test("a hundred replicas move, and it ends", () => {
    const all = Array.from({ length: 100 }, (_, index) => own(`a/${index}`));
    const course = follow(scene(100, [cluster("a", 100, retired), cluster("b", 100)], all));
    expect(course.moves).toHaveLength(200);
    expect(course).toMatchObject({ missing: 0, settled: true });
  });

  test("a course that never ends is ended, and says so", () => {
    const { schedule } = createScheduler();
    const { settled, moves } = followPasses(
      scene(1, [cluster("a")]),
      { namespace: "ml-team", name: "chat" },
      (snapshot) => schedule({ ...snapshot, demand: demand(snapshot.own.length === 0 ? 1 : 0) }),
    );
    expect(settled).toBe(false);
    expect(moves.length).toBeGreaterThan(100);
  });
});
