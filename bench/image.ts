import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { parse } from "yaml";
import { programPath } from "./servers.ts";

/**
 * Node's own flags of the image's entrypoint. Compiling hot code on another thread costs an idle
 * function some 6 MB of memory, and a busy one gains nothing measurable by it.
 */
export const IMAGE_NODE_FLAGS: readonly string[] = ["--no-concurrent-recompilation"];

/**
 * Those of the evaluator's image: its bursts, such as reading every object after a start, would else
 * leave it with a young generation that it never needs again.
 */
export const EVALUATOR_NODE_FLAGS: readonly string[] = [
  ...IMAGE_NODE_FLAGS,
  "--max-semi-space-size=4",
];

const root = dirname(programPath("../package.json"));

/** Bundles a program as its image has it, one file with all that it imports. */
export async function bundleProgram(entry: string, outfile: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // Names stay, for stacks; the rest of the text only takes memory.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    // Some dependencies are CommonJS and ask for Node's own modules at run time.
    banner: {
      js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
    },
    logLevel: "error",
  });
}

/**
 * Lays out the function as its image has it, in an empty directory: one bundled program, and the
 * definitions as JSON. Resolves to the path of the program.
 */
export async function layOutImage(directory: string): Promise<string> {
  const program = join(directory, "functions/main.mjs");
  await bundleProgram("functions/main.ts", program);
  cpSync(join(root, "package/apis"), join(directory, "package/apis"), { recursive: true });
  for (const yaml of globSync("package/apis/*/definition.yaml", { cwd: directory })) {
    const path = join(directory, yaml);
    writeFileSync(path.replace(/yaml$/, "json"), JSON.stringify(parse(readFileSync(path, "utf8"))));
    rmSync(path);
  }
  return program;
}
