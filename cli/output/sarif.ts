import type { Terminal } from "../command.ts";
import type { Place } from "../source.ts";
import { type Output, type OutputOptions, title } from "./output.ts";
import { isRulesNotChecked, remarks } from "./remarks.ts";

/** What each kind of result means, by its id; SARIF lists them beside the tool. */
const RULES: Readonly<Record<string, string>> = {
  FieldValueDuplicate: "A list holds an item twice that it may hold once.",
  FieldValueForbidden: "A field may not be set.",
  FieldValueInvalid: "A value breaks a bound, a pattern or a CEL rule of its schema.",
  FieldValueNotSupported: "A value is none of those that its schema lists.",
  FieldValueRequired: "A field that its schema requires is missing.",
  FieldValueTooLong: "A text is longer than its schema allows.",
  FieldValueTooMany: "A list or a mapping holds more than its schema allows.",
  FieldValueTypeInvalid: "A value has another type than its schema asks for.",
  InternalError: "The API server could not evaluate a rule.",
  NotUnderstood: "A file can't be read, or holds a kind that no schema is given for.",
  RefusedBySluice: "The API server takes the object, and sluice would not compose it.",
  UnknownField: "No schema names a field, so the API server drops it.",
};

/** Prints one SARIF 2.1.0 log when the run is over. */
export function sarifOutput(terminal: Terminal, options: OutputOptions): Output {
  const results: unknown[] = [];
  const add = (
    rule: string,
    level: string,
    text: string,
    file: string,
    place?: Place,
    name?: string,
  ) =>
    results.push({
      ruleId: rule,
      ruleIndex: Object.keys(RULES).indexOf(rule),
      level,
      message: { text },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: file === "-" ? "stdin" : uri(file) },
            ...(place === undefined
              ? {}
              : { region: { startLine: place.line, startColumn: place.column } }),
          },
          ...(name === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: name }] }),
        },
      ],
    });
  return {
    verdict(verdict) {
      for (const { level, rule, place, field, message, next } of remarks(verdict, options.strict)) {
        if (isRulesNotChecked(message)) continue;
        const own = rule === "UnknownField" || rule === "RefusedBySluice";
        const told = `${title(verdict)}: ${own ? message : `${field}: ${message}`}`;
        const text = next === undefined ? told : `${told}; next: ${next}`;
        add(rule, level, text, verdict.file, place, `${title(verdict)}: ${field}`);
      }
    },
    unreadable: ({ file, place, message }) => add("NotUnderstood", "error", message, file, place),
    finish(_totals, exitCode) {
      const rules = Object.entries(RULES).map(([id, text]) => ({ id, shortDescription: { text } }));
      const log = {
        $schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [
          {
            tool: { driver: { name: "sluice", rules } },
            columnKind: "utf16CodeUnits",
            invocations: [{ executionSuccessful: exitCode !== 2, exitCode }],
            results,
          },
        ],
      };
      terminal.out(`${JSON.stringify(log, undefined, 2)}\n`);
    },
  };
}

/** A path as a relative reference: backslashes are no separators here, and a colon no scheme. */
function uri(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
