import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

/**
 * Compares a text with the file that says what it should be, and fails with a readable diff; an
 * empty text wants no file. With `UPDATE_GOLDEN=1` (`npm run golden`) the file is rewritten.
 */
export function expectGolden(file: string, text: string): void {
  const exists = existsSync(file);
  if (process.env.UPDATE_GOLDEN === "1") {
    if (text !== "") writeFileSync(file, text);
    else if (exists) rmSync(file);
    return;
  }
  const wanted = exists ? readFileSync(file, "utf8") : "";
  const hint = `${file} differs; if the new output is right, \`npm run golden\` rewrites it`;
  expect(text, hint).toBe(wanted);
}
