// Runs the real start function with a handler of the test's own, as a process that tests may kill.
import { parseArgs } from "node:util";
import type { Handler } from "../functions/composition/composition.ts";
import { optionFlags, readOptions } from "../functions/options.ts";
import { serve } from "../functions/serve.ts";

const thing: Handler = {
  apiVersion: "example.org/v1",
  kind: "Thing",
  compose({ composite }) {
    const { busyMilliseconds } = (composite.spec ?? {}) as { busyMilliseconds?: number };
    if (busyMilliseconds) process.stdout.write("busy\n");
    const until = Date.now() + (busyMilliseconds ?? 0);
    while (Date.now() < until);
    return { resources: [], requirements: {}, conditions: [], results: [], status: { done: true } };
  },
};

const { values } = parseArgs({ options: optionFlags });
const options = readOptions(values, process.env);
if (typeof options === "string") throw new Error(options);
process.exitCode = await serve(options, [thing]);
