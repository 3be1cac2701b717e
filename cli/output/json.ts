import type { Terminal } from "../command.ts";
import { jsonLine } from "../json-line.ts";
import { visible } from "../render/text.ts";
import type { PlacedFinding, Verdict } from "../verdict.ts";
import { at, isValid, type Output, type OutputOptions, skippedLine } from "./output.ts";
import { remarks } from "./remarks.ts";
import { warnings } from "./text.ts";

/** Prints one JSON object a line for each document; what a person should know goes to `err` too. */
export function jsonOutput(terminal: Terminal, options: OutputOptions): Output {
  return {
    verdict(verdict) {
      for (const line of warnings(verdict)) terminal.err(`${line}\n`);
      terminal.out(`${jsonLine(jsonVerdict(verdict, options))}\n`);
    },
    unreadable({ file, place, message }) {
      terminal.err(`${at(file, place)}: ${visible(message)}\n`);
      const line = { file, line: place?.line, column: place?.column, valid: null, error: message };
      terminal.out(`${jsonLine(line)}\n`);
    },
    finish(totals) {
      const skipped = skippedLine(totals);
      if (skipped !== undefined) terminal.err(`${skipped}\n`);
    },
  };
}

function jsonVerdict(verdict: Verdict, options: OutputOptions): unknown {
  const { file, start, object, findings } = verdict;
  const warned = remarks(verdict, options.strict).filter(
    ({ rule }) => rule === "UnknownField" || rule === "RefusedBySluice",
  );
  return {
    file,
    line: start.line,
    apiVersion: object.apiVersion,
    kind: object.kind,
    namespace: object.metadata?.namespace,
    name: object.metadata?.name,
    valid: isValid(verdict, options),
    findings: findings.map(jsonFinding),
    warnings:
      warned.length === 0
        ? undefined
        : warned.map(({ rule, field, message, place }) => {
            return { type: rule, field, message, line: place.line, column: place.column };
          }),
    stored: options.stored ? verdict.stored : undefined,
  };
}

function jsonFinding({ type, field, message, value, place, next }: PlacedFinding): unknown {
  return { type, field, message, value, line: place.line, column: place.column, next };
}
