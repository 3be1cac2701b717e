import { describe, expect, test } from "vitest";
import { recorded } from "../test/support/terminal.ts";
import type { Command, CommandArguments } from "./command.ts";
import { commandNames, loadCommand, runSluice } from "./dispatch.ts";

const given: CommandArguments[] = [];
const greet: Command = {
  name: "greet",
  summary: "Say hello",
  help: "Usage: sluice greet [--name NAME]\n",
  options: {
    name: { type: "string", short: "n" },
    loud: { type: "boolean" },
    tag: { type: "string", multiple: true },
  },
  positionals: "none",
  async run(arguments_, terminal) {
    given.push(arguments_);
    if (arguments_.flags.name === "bug") throw new Error("no such luck");
    terminal.out("hello\n");
    return 5;
  },
};

async function run(...argv: string[]) {
  return recorded((terminal) =>
    runSluice(
      argv,
      ["greet", "preview"],
      async () => greet,
      () => "1.2.3",
      terminal,
    ),
  );
}

describe("runSluice", () => {
  test("runs a command with its parsed flags and returns its exit code", async () => {
    expect(await run("greet", "-n", "Ada", "--loud", "--tag", "a", "--tag=b")).toEqual({
      code: 5,
      out: "hello\n",
      err: "",
    });
    expect(given.at(-1)).toEqual({
      flags: { name: "Ada", loud: true, tag: ["a", "b"] },
      positionals: [],
    });
  });

  test.each([[[]], [["--help"]], [["-h"]], [["help"]]])("%j lists the commands", async (argv) => {
    const { code, out, err } = await run(...argv);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^ {2}greet +Say hello$/m);
    expect(out).toContain("Exit codes:");
  });

  test.each([[["greet", "--help"]], [["greet", "-h", "--loud"]], [["help", "greet"]]])(
    "%j explains a command",
    async (argv) => {
      expect(await run(...argv)).toEqual({ code: 0, out: greet.help, err: "" });
    },
  );

  test.each([["--version"], ["-V"]])("%s prints the version", async (flag) => {
    expect(await run(flag)).toEqual({ code: 0, out: "sluice 1.2.3\n", err: "" });
  });

  test.each([
    [["greeet"], 'sluice: unknown command "greeet", did you mean "greet"?'],
    [["previw"], 'sluice: unknown command "previw", did you mean "preview"?'],
    [["xyz"], 'sluice: unknown command "xyz"\n'],
    [["--verison"], 'sluice: unknown flag "--verison"'],
    [["greet", "--nmae", "x"], 'sluice greet: unknown flag "--nmae", did you mean "--name"?'],
    [["greet", "--zzzzzzzz"], 'sluice greet: unknown flag "--zzzzzzzz"\n'],
    [["greet", "-x"], 'sluice greet: unknown flag "-x"'],
    [["greet", "--name"], "sluice greet: option '-n, --name <value>' argument missing"],
    [["greet", "--loud=yes"], "sluice greet: option '--loud' does not take an argument"],
    [["greet", "more"], 'sluice greet: takes no arguments, but was given "more"'],
    [["toString"], 'sluice: unknown command "toString"'],
  ])("%j is a usage error", async (argv, message) => {
    const { code, out, err } = await run(...argv);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).toContain("--help");
  });

  test("a command that throws is a bug, and says so", async () => {
    const { code, err } = await run("greet", "--name", "bug");
    expect(code).toBe(70);
    expect(err).toContain("this is a bug in sluice");
    expect(err).toContain("no such luck");
  });
});

describe("every command", () => {
  test.each(commandNames)("%s says what it is, its usage and its exit codes", async (name) => {
    const command = await loadCommand(name);
    expect(command.name).toBe(name);
    expect(command.summary).toMatch(/^[A-Z].{5,75}[^.]$/);
    expect(command.help).toContain(`Usage: sluice ${name}`);
    expect(command.help).toContain("Exit codes:");
    expect(command.help.endsWith("\n")).toBe(true);
    for (const flag of Object.keys(command.options)) expect(command.help).toContain(`--${flag}`);
    const long = command.help.split("\n").filter((line) => line.length > 100);
    expect(long).toEqual([]);
  });
});
