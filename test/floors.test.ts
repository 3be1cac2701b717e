import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { violations } from "../build/floors.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

test("the tree obeys the floors of docs/architecture.md", () => {
  const paths = globSync("**/*.ts", {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist|\.install)$/.test(path),
  }).filter((path) => path.includes("/"));
  expect(paths).toContain("kube/object.ts");
  const files = paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  expect(violations(files)).toEqual([]);
});

describe("each rule of the house", () => {
  const broken: readonly (readonly [string, string, string])[] = [
    ["kube/a.ts", 'import { x } from "../cel/x.ts";', "kube may not import from cel"],
    ["kube/a.ts", 'import type { X } from "../cel/x.ts";', "kube may not import from cel"],
    ["kube/a.ts", 'type X = import("../api/x.ts").X;', "kube may not import from api"],
    ["cel/a.ts", 'import { x } from "../schema/x.ts";', "cel may not import from schema"],
    ["schema/a.ts", 'import "../api/x.ts";', "schema may not import from api"],
    [
      "functions/builders/a.ts",
      'import "../composition/x.ts";',
      "may not import from functions/composition",
    ],
    ["functions/k/a.ts", 'import "../l/x.ts";', "functions/k may not import from functions/l"],
    ["functions/k/a.ts", 'import "../wire/x.ts";', "may not import from functions/wire"],
    ["functions/wire/a.ts", 'import "../server.ts";', "may not import from functions"],
    ["functions/a.ts", 'import "../cli/x.ts";', "functions may not import from cli"],
    ["cli/simulation/a.ts", 'import "../preview.ts";', "cli/simulation may not import from cli"],
    ["cli/a.ts", 'const x = await import("../test/x.ts");', "cli may not import from test"],
    ["kube/a.ts", 'import { x } from "./a.test.ts";', "imports the test kube/a.test.ts"],
    ["elsewhere/a.ts", "", "is in no room"],
    ["kube/a.ts", 'import { x } from "../elsewhere/x.ts";', "is in no room"],
    ["api/a.ts", 'import fs from "node:fs";', "imports node:fs, but api is pure"],
    ["api/a.ts", 'import { hash } from "node:crypto";', "imports node:crypto, but api is pure"],
    ["api/a.ts", 'import pino from "pino";', "imports pino, but api is pure"],
    ["api/a.ts", "export const now = () => new Date();", "uses Date"],
    ["api/a.ts", "export const now = () => Date.now();", "uses Date"],
    ["api/a.ts", "export const roll = () => Math.random();", "uses Math.random"],
    ["api/a.ts", "export const home = () => process.env.HOME;", "uses process"],
    ["api/a.ts", 'console.log("x");', "uses console"],
    ["api/a.ts", "export async function f() {}", "is asynchronous"],
    ["api/a.ts", "export let count = 0;", "module-level state"],
    ["api/a.ts", "let count = 0;", "module-level state"],
    ["api/a.ts", "const cache = new Map<string, string>();", "module-level Map to be filled later"],
    ["api/a.ts", 'export { x } from "./x.ts";', "re-exports"],
    ["api/a.ts", 'export * from "./x.ts";', "re-exports"],
    ["cli/utils.ts", "", "is a drawer"],
    ["cli/types/a.ts", "", "is a drawer"],
    ["cli/a.ts", "\n".repeat(400).concat("const x = 1;"), "more than 350"],
  ];
  test.each(broken)("%s with %j breaks one", (path, text, reason) => {
    const found = violations([{ path, text }]);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(reason);
  });

  const sound: readonly (readonly [string, string])[] = [
    ["kube/hash.ts", 'import { createHash } from "node:crypto";'],
    ["schema/a.ts", 'import "../kube/x.ts"; import "../cel/x.ts"; import "ajv";'],
    [
      "functions/k/a.ts",
      'import "./b.ts"; import "../builders/x.ts"; import "../composition/x.ts";',
    ],
    ["functions/a.ts", 'import "./k/x.ts"; import "./wire/x.ts"; import pino from "pino";'],
    ["cli/a.ts", 'import "../functions/x.ts"; export const now = async () => Date.now();'],
    ["api/a.ts", "export const kinds = new Map([[1, 2]]); const x = { process: 1 }; x.process;"],
    ["api/a.ts", "const none: ReadonlyMap<string, string> = new Map();"],
    ["api/a.ts", "export function f() { let n = 0; n += 1; return n; }"],
    ["kube/a.test.ts", 'import { x } from "../cli/x.ts"; const t = Date.now();'],
  ];
  test.each(sound)("%s with %j breaks none", (path, text) => {
    expect(violations([{ path, text }])).toEqual([]);
  });
});
