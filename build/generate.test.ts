import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generateTypes } from "./generate.ts";

it("generates the types that are checked in, no more and no fewer", async () => {
  const files = await generateTypes();
  for (const file of files) {
    const checkedIn = readFileSync(new URL(`../${file.path}`, import.meta.url), "utf8");
    expect(checkedIn, `${file.path}: run \`npm run generate\``).toBe(file.text);
  }
  const present = readdirSync(new URL("../api/gen", import.meta.url)).sort();
  expect(present).toEqual(files.map((file) => file.path.replace("api/gen/", "")));
  expect(files.length).toBeGreaterThan(0);
});
