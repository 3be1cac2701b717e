import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./tools.ts";

/**
 * Makes dist/ from the sources, since Node reads no TypeScript under node_modules: the command line
 * as JavaScript in dist/cli, one chunk per command, and the package/ files that it reads at the
 * place where `../package` leads from there. Dependencies stay outside.
 */
export async function bundle(dist = join(root, "dist")): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: ["cli/main.ts"],
    outdir: join(dist, "cli"),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    packages: "external",
    chunkNames: "[name]-[hash]",
    logLevel: "warning",
  });
  cpSync(join(root, "package"), join(dist, "package"), { recursive: true });
}
