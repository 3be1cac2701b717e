import { readFileSync } from "node:fs";
import { commandNames, loadCommand, runSluice } from "./dispatch.ts";

/** EX_IOERR of sysexits.h. */
const UNWRITABLE = 74;

// A reader that has seen enough (`sluice … | head`) is no error; a full disk is.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    if (stream === process.stdout) {
      process.stderr.write(`sluice: the output could not be written: ${error.message}\n`);
    }
    process.exit(UNWRITABLE);
  });
}

/** The version in package.json, which lies beside cli/ in the tree and beside dist/ in a package. */
function version(): string {
  for (const up of ["..", "../.."]) {
    try {
      const text = readFileSync(new URL(`${up}/package.json`, import.meta.url), "utf8");
      return (JSON.parse(text) as { version: string }).version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  throw new Error("package.json is missing beside sluice");
}

const noColour = process.env.NO_COLOR !== undefined && process.env.NO_COLOR !== "";
process.exitCode = await runSluice(process.argv.slice(2), commandNames, loadCommand, version, {
  stdin: process.stdin,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  colour: process.stdout.isTTY === true && !noColour && process.env.TERM !== "dumb",
  width: process.stdout.isTTY === true ? process.stdout.columns : undefined,
  env: process.env,
  cwd: process.cwd(),
});
