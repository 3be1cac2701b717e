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
