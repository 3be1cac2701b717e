import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The directory of package.json. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A program and its arguments, run in `root` without a shell. */
export type CommandLine = readonly [string, ...string[]];

/** The command line of an installed package's program, run by the Node that runs this. */
export function tool(
  packageName: string,
  program: string,
  arguments_: readonly string[],
): CommandLine {
  const directory = join(root, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    bin: string | Record<string, string>;
  };
  const file = typeof bin === "string" ? bin : bin[program];
  if (file === undefined) throw new Error(`${packageName} has no program called ${program}`);
  return [process.execPath, join(directory, file), ...arguments_];
}

/** Runs a command line on this terminal and resolves to its exit code, 1 when a signal ended it. */
export function runThrough(
  [program, ...arguments_]: CommandLine,
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, arguments_, {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ...env },
    });
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

/** Runs a command line and resolves to its exit code and all that it printed. */
export function runCaptured([program, ...arguments_]: CommandLine): Promise<{
  code: number;
  output: string;
}> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, arguments_, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => {
        output += text;
      });
    }
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
