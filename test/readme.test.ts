import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { commandNames, loadCommand, runSluice } from "../cli/dispatch.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = join(root, "README.md");
const readme = readFileSync(file, "utf8");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** Runs one of the README's command lines and returns what it prints. */
async function output(line: string): Promise<string> {
  const script = /^npm (?:run )?(\w+)$/.exec(line)?.[1];
  const command = script === undefined ? line : scripts[script];
  const parts = (command ?? "").split(" && ");
  let out = "";
  for (const part of parts) out += await partOutput(part);
  return out;
}

async function partOutput(part: string): Promise<string> {
  const argv = /^\.\/sluice (.*)$/.exec(part)?.[1]?.split(" ");
  if (argv === undefined) throw new Error(`the README may only show ./sluice, not "${part}"`);
  let out = "";
  await runSluice(argv, commandNames, loadCommand, () => "0", {
    stdin: (async function* () {})(),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      out += text;
    },
    colour: false,
    env: {},
    cwd: root,
  });
  return out;
}

/** The README with every quoted file and every command's output as they really are. */
async function actual(): Promise<string> {
  let text = readme.replaceAll(
    /<!-- file: (\S+) -->\n```yaml\n[\s\S]*?```/g,
    (_, path: string) =>
      `<!-- file: ${path} -->\n\`\`\`yaml\n${readFileSync(join(root, path), "utf8")}\`\`\``,
  );
  for (const [block, line] of text.matchAll(/```console\n\$ (.*)\n[\s\S]*?```/g)) {
    const shown = `\`\`\`console\n$ ${line}\n${await output(line ?? "")}\`\`\``;
    text = text.replace(block, () => shown);
  }
  return text;
}

test("the README shows files and outputs as they are", async () => {
  const text = await actual();
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(file, text);
  else expect(readme, "`npm run golden` brings the README up to date").toBe(text);
});

describe("the table of what works today", () => {
  const section = readme.split("## What works today")[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => /^\| (?!What \||-)/.test(line));
  const proofs = rows.map((row) =>
    [...row.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path ?? ""),
  );

  test("names in each row an example or a suite that exists", () => {
    expect(rows.length).toBeGreaterThan(10);
    for (const [at, paths] of proofs.entries()) {
      expect(paths, rows[at]).not.toEqual([]);
      for (const path of paths) {
        const isExample =
          path.startsWith("examples/") &&
          readdirSync(join(root, path), { recursive: true }).some((file) =>
            basename(String(file)).startsWith("expected."),
          );
        const isSuite = path.endsWith(".test.ts") && existsSync(join(root, path));
        expect(isExample || isSuite, path).toBe(true);
      }
    }
  });

  test("has every example", () => {
    const examples = readdirSync(join(root, "examples"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `examples/${name}`);
    expect(proofs.flat()).toEqual(expect.arrayContaining(examples));
  });
});

test.each(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...pages("docs")])(
  "%s links only to what exists",
  (page) => {
    const text = readFileSync(join(root, page), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (/^https?:/.test(target)) continue;
      expect(existsSync(join(root, dirname(page), target)), `${page}: ${target}`).toBe(true);
    }
  },
);

test("every npm script that a page names exists", () => {
  for (const page of ["README.md", "CONTRIBUTING.md", ...pages("docs")]) {
    const text = readFileSync(join(root, page), "utf8");
    for (const [, script = ""] of text.matchAll(/`npm run (\w+)/g)) {
      expect(Object.keys(scripts), page).toContain(script);
    }
  }
});

function pages(directory: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(directory, name))
    .sort();
}
