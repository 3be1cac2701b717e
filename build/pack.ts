import { bundle } from "./bundle.ts";
import { runThrough } from "./tools.ts";

/** `sluice-dev pack`: builds dist/ and lets npm write sluice-VERSION.tgz into the project's directory. */
export async function pack(arguments_: readonly string[]): Promise<number> {
  const [flag, ...more] = arguments_;
  if (more.length > 0 || (flag !== undefined && flag !== "--dist-only")) {
    process.stderr.write(`sluice-dev pack: unknown argument "${more[0] ?? flag}"\n`);
    return 2;
  }
  await bundle();
  // ignore-scripts in .npmrc means that npm runs no prepack, so packing is a command of its own.
  return flag === "--dist-only" ? 0 : runThrough(["npm", "pack", "--loglevel=error"]);
}
