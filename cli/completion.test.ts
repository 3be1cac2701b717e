import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { recorded } from "../test/support/terminal.ts";
import { completion } from "./completion.ts";
import { commandNames, loadCommand } from "./dispatch.ts";

async function script(shell: string): Promise<string> {
  const { code, out } = await recorded((terminal) =>
    completion.run({ flags: {}, positionals: [shell] }, terminal),
  );
  expect(code).toBe(0);
  return out;
}

const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

describe.runIf(has("bash"))("bash", () => {
  /** What bash offers for a command line that ends in the word under the cursor. */
  async function offers(...words: string[]): Promise<string[]> {
    const source = await script("bash");
    const list = words.map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", `${source}\n${ask}`], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    return stdout.split("\n").filter((line) => line !== "");
  }

  test.each([
    [["sluice", "pre"], ["preview"]],
    [["sluice", "--ver"], ["--version"]],
    [["sluice", "completion", "f"], ["fish"]],
    [["sluice", "preview", "--cl"], ["--cluster-state"]],
    [
      ["sluice", "preview", "-o", ""],
      ["tree", "yaml", "json"],
    ],
    [["sluice", "preview", "--output", "y"], ["yaml"]],
    [["sluice", "preview", "--assume", ""], ["ready"]],
    [["sluice", "preview", "x"], []],
    [["sluice", "nonsense", "x"], []],
  ])("%j completes to %j", async (words, wanted) => {
    expect(await offers(...words)).toEqual(wanted);
  });

  test("offers every command and every flag of it", async () => {
    expect(await offers("sluice", "")).toEqual([...commandNames, "--help", "--version"]);
    for (const name of commandNames) {
      const { options } = await loadCommand(name);
      const flags = await offers("sluice", name, "--");
      expect(flags.sort()).toEqual(
        [...Object.keys(options), "help"].map((flag) => `--${flag}`).sort(),
      );
    }
  });
});

describe.each(["zsh", "fish"])("%s", (shell) => {
  test("has every command and every flag", async () => {
    const text = await script(shell);
    for (const name of commandNames) {
      expect(text).toContain(name);
      for (const flag of Object.keys((await loadCommand(name)).options))
        expect(text).toContain(flag);
    }
    if (has(shell)) expect(spawnSync(shell, ["-n"], { input: text }).status).toBe(0);
  });
});

test.each([[[]], [["tcsh"]], [["bash", "zsh"]]])("%j is no shell", async (positionals) => {
  const { code, err } = await recorded((terminal) =>
    completion.run({ flags: {}, positionals }, terminal),
  );
  expect(code).toBe(2);
  expect(err).toContain("wants bash, zsh or fish");
});
