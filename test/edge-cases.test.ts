import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The numbers in a list such as `49, 50 to 52 and 55`; those of reports, such as H23, are others. */
function numbers(list: string): readonly number[] {
  return [...list.replaceAll(/H\d+/g, "").matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(
    ([, from, to = from]) => {
      const length = Number(to) - Number(from) + 1;
      return Array.from({ length }, (_, index) => Number(from) + index);
    },
  );
}

test("every edge case of docs/edge-cases.md is in a timeline or a test that names its number", () => {
  const cases = [...read("docs/edge-cases.md").matchAll(/^\| (\d+) \|/gm)].map(([, n]) =>
    Number(n),
  );
  expect(cases).toEqual(Array.from({ length: 84 }, (_, index) => index + 1));
  const timelines = globSync("examples/rollouts/*/timeline.yaml", { cwd: root }).flatMap((path) => {
    const about = read(path).split("\nmodels:")[0]?.replaceAll(/\s+/g, " ") ?? "";
    return [...about.matchAll(/\(edge cases? ([^)]*)\)/g)].flatMap(([, list = ""]) =>
      numbers(list),
    );
  });
  const titles = globSync(["evaluator/**/*.test.ts", "api/*.test.ts", "test/**/*.ts"], {
    cwd: root,
  }).flatMap((path) =>
    [...read(path).matchAll(/["'`]((?:H?\d+(?:, | to | and |(?=: )))+): /g)].flatMap(
      ([, list = ""]) => numbers(list),
    ),
  );
  const played = new Set([...timelines, ...titles]);
  expect(cases.filter((one) => !played.has(one))).toEqual([]);
});
