import type { KubeObject } from "../../kube/object.ts";
import type { Terminal } from "../command.ts";
import { plainJson } from "../documents.ts";
import { visible } from "../render/text.ts";
import { renderDocument } from "../render/yaml.ts";
import type { Verdict } from "../verdict.ts";
import {
  at,
  isValid,
  type Output,
  type OutputOptions,
  skippedLine,
  summaryLine,
  title,
} from "./output.ts";
import { isRulesNotChecked, type Remark, remarks } from "./remarks.ts";

/** Prints verdicts for a person: a line for each thing to say, after its place. */
export function textOutput(terminal: Terminal, options: OutputOptions): Output {
  const print = (line: string) => terminal.out(`${line}\n`);
  return {
    verdict(verdict) {
      const said = remarks(verdict, options.strict);
      if (isValid(verdict, options))
        print(`${at(verdict.file, verdict.start)}: ${title(verdict)} is valid`);
      for (const remark of said) for (const line of remarkLines(verdict, remark)) print(line);
      // What is refused is never stored.
      if (options.stored && isValid(verdict, options)) {
        terminal.out(renderDocument(plainJson(verdict.stored) as KubeObject));
      }
    },
    unreadable: ({ file, place, message }) =>
      terminal.err(`${at(file, place)}: ${visible(message)}\n`),
    finish(totals) {
      const skipped = skippedLine(totals);
      if (skipped !== undefined) print(skipped);
      if (totals.documents > 0) print(summaryLine(totals));
    },
  };
}

/** The lines that tell a verdict to a person, each finding after its place. */
export function textVerdict(verdict: Verdict): readonly string[] {
  if (verdict.findings.length === 0)
    return [`${at(verdict.file, verdict.start)}: ${title(verdict)} is valid`];
  return remarks(verdict, false)
    .filter(({ level }) => level === "error")
    .flatMap((remark) => remarkLines(verdict, remark));
}

/** The lines that warn of unknown fields and of what sluice refuses, each after its place. */
export function warnings(verdict: Verdict): readonly string[] {
  return remarks(verdict, false)
    .filter(({ level }) => level === "warning")
    .flatMap((remark) => remarkLines(verdict, remark));
}

/** The same of an object that is only read: all that is wrong with it are warnings. */
export function remarksAsWarnings(verdict: Verdict): readonly string[] {
  return remarks(verdict, false).flatMap((remark) =>
    remarkLines(verdict, { ...remark, level: "warning" }),
  );
}

function remarkLines(verdict: Verdict, { level, rule, place, field, message, next }: Remark) {
  const start = `${at(verdict.file, place)}: `;
  if (isRulesNotChecked(message)) {
    return [`${start}note: the CEL rules were not checked; fix the above first`];
  }
  const what =
    rule === "UnknownField" || rule === "RefusedBySluice" ? message : `${field}: ${message}`;
  const line = `${start}${level === "warning" ? "warning: " : ""}${title(verdict)}: ${visible(what)}`;
  return next === undefined ? [line] : [line, `  next: ${visible(next)}`];
}
