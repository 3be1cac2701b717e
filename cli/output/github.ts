import type { Terminal } from "../command.ts";
import { type Output, type OutputOptions, skippedLine, summaryLine, title } from "./output.ts";
import { isRulesNotChecked, remarks } from "./remarks.ts";

/** Prints workflow commands, which GitHub shows beside the lines of a pull request, and a summary. */
export function githubOutput(terminal: Terminal, options: OutputOptions): Output {
  const print = (line: string) => terminal.out(`${line}\n`);
  return {
    verdict(verdict) {
      for (const { level, rule, place, field, message, next } of remarks(verdict, options.strict)) {
        if (isRulesNotChecked(message)) continue;
        const own = rule === "UnknownField" || rule === "RefusedBySluice";
        const told = own ? message : `${field}: ${message}`;
        const text = next === undefined ? told : `${told}\nnext: ${next}`;
        print(command(level, { file: verdict.file, ...place, title: title(verdict) }, text));
      }
    },
    unreadable({ file, place, message }) {
      print(command("error", { file, ...place, title: "not understood" }, message));
    },
    finish(totals) {
      const skipped = skippedLine(totals);
      if (skipped !== undefined) print(skipped);
      print(summaryLine(totals));
    },
  };
}

interface Properties {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly title: string;
}

function command(name: string, { file, line, column, title }: Properties, message: string): string {
  const properties = [
    ...(file === "-" ? [] : [`file=${property(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    ...(column === undefined ? [] : [`col=${column}`]),
    `title=${property(title)}`,
  ];
  return `::${name} ${properties.join(",")}::${data(message)}`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
