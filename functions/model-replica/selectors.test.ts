import { expect, test } from "vitest";
import type { ModelReplicaSpec } from "../../api/gen/modelreplicas.ts";
import { GPU, replica, standalone } from "../../test/support/replica.ts";
import { createSelectorCheck } from "./selectors.ts";

const check = createSelectorCheck();

function problems(...selectors: readonly string[]): readonly string[] {
  const deviceRequests = [{ ...GPU, selectors: selectors.map((cel) => ({ cel })) }];
  const engines = [{ name: "main", copies: 1, members: [standalone({ deviceRequests })] }];
  return check(replica({ engines }).spec as ModelReplicaSpec);
}

test("selectors as people write them compile", () => {
  expect(
    problems(
      'device.attributes["gpu.nvidia.com"].architecture == "Hopper"',
      'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("80Gi")) >= 0',
      'device.attributes["gpu.nvidia.com"].productName.matches("^NVIDIA (H100|H200)")',
    ),
  ).toEqual([]);
});

test("one that does not is named by its field, and a long one is cut", () => {
  const [problem] = problems(`device.driver == "${"x".repeat(500)}`);
  expect(problem).toMatch(/^spec\.engines\[0\]\.members\[0\]\.deviceRequests\[0\]\.selectors\[0\]/);
  expect(problem).toMatch(/x{150,}…" does not compile: /);
});

test("one that does not says where, by line and column", () => {
  const [problem] = problems('device.driver == "gpu" &&\n  device.nope == 1');
  expect(problem).toMatch(/ does not compile: line 2, column 9: undefined field 'nope'$/);
});

test("one that may cost more than the API server takes is refused as there", () => {
  const digits = "[0,1,2,3,4,5,6,7,8,9]";
  const nested = (depth: number): string =>
    depth === 0 ? "true" : `${digits}.all(x${depth}, ${nested(depth - 1)})`;
  expect(problems(nested(3))).toEqual([]);
  expect(problems(`true || ${nested(6)}`)).toEqual([
    expect.stringMatching(/" is refused: too complex, exceeds cost limit: /),
  ]);
});

test("many that each may cost a lot are refused together", () => {
  const costly = (at: number) =>
    `device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, a == "${at}")))`;
  const count = 40;
  expect(problems(...Array.from({ length: count }, () => costly(0)))).toEqual([]);
  expect(problems(...Array.from({ length: count }, (_, at) => costly(at)))).toEqual([
    expect.stringMatching(/^spec\.engines: the selectors .* may take \d+ of at most 4000000 units/),
  ]);
});

test("many patterns that grow when they are compiled are refused together, before any is", () => {
  const hostile = Array.from({ length: 8 }, (_, s) =>
    Array.from({ length: 220 }, (_, p) => `device.driver.matches("(a{1,900}|c${s}x${p})*")`).join(
      "||",
    ),
  );
  expect(problems(...hostile)).toEqual([
    expect.stringMatching(/^spec\.engines: the selectors .* take too long to compile together/),
  ]);
});
