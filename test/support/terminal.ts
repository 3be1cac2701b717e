import type { Terminal } from "../../cli/command.ts";

/** The exit code of a command, and all that it wrote. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command at a terminal that records: no colour, an empty environment, `input` on stdin. */
export async function recorded(
  run: (terminal: Terminal) => Promise<number>,
  { input = "", ...settings }: Partial<Terminal> & { readonly input?: string } = {},
): Promise<Ran> {
  let out = "";
  let err = "";
  const code = await run({
    stdin: (async function* () {
      if (input !== "") yield new TextEncoder().encode(input);
    })(),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    colour: false,
    env: {},
    cwd: "/",
    ...settings,
  });
  return { code, out, err };
}
