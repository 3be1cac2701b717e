import { expect, it } from "vitest";
import { Path } from "./path.ts";

const steps = (path: Path) => Array.from({ length: path.length }, (_, index) => path.step(index));

it("keeps its own steps while it is full", () => {
  const root = Path.of("self");
  const [left, right] = [Path.extend(root, "a"), Path.extend(root, "b")];
  expect([steps(left), steps(right)]).toEqual([
    ["self", "a"],
    ["self", "b"],
  ]);
});

it("shares the next cell with every other extension once there is room", () => {
  const item = Path.extend(Path.extend(Path.of("self"), "list"), "@items");
  const first = Path.extend(item, "x");
  expect(steps(first)).toEqual(["self", "list", "@items", "x"]);
  const second = Path.extend(item, "y");
  expect([steps(first).at(-1), steps(second).at(-1)]).toEqual(["y", "y"]);
});

it("leaves the original alone when a copy is extended", () => {
  const item = Path.extend(Path.extend(Path.of("self"), "list"), "@items");
  const first = Path.extend(item, "x");
  Path.extend(item.copy(), "y");
  expect(steps(first).at(-1)).toBe("x");
});

it("begins with the step where there is nothing to extend", () => {
  expect(steps(Path.extend(undefined, "@items"))).toEqual(["@items"]);
});
