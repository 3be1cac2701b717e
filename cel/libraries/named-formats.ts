import {
  label1035Problems,
  labelProblems,
  labelValueProblems,
  prefixAsName,
  qualifiedNameProblems,
  subdomainProblems,
} from "../../kube/name-problems.ts";
import { isBase64, isDate, isDateTime } from "../../kube/string-formats.ts";
import { FormatValue, Optional } from "../values.ts";
import { NONE } from "./optionals.ts";
import type { Overload } from "./overload.ts";
import { requestUrlProblem } from "./url-text.ts";

const UUID = "^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$";

type Problems = (text: string) => readonly string[];

const unlessPrefix =
  (problems: Problems): Problems =>
  (text) =>
    problems(prefixAsName(text));

const dns1123Subdomain: Problems = (text) => subdomainProblems(text, "characters");

const uri: Problems = (text) => {
  const problem = requestUrlProblem(text);
  return problem === undefined ? [] : [problem];
};

const unless =
  (holds: (text: string) => boolean, words: string): Problems =>
  (text) =>
    holds(text) ? [] : [words];

const isUuid = (text: string) => text.length <= 36 && new RegExp(UUID, "i").test(text);

// Each name with the length of pattern that the API server assumes when it counts costs.
// biome-ignore format: a table
const FORMATS: readonly (readonly [name: string, kind: string, patternLength: number, problems: Problems])[] = [
  ["byte",                   "byte",                   84,   unless(isBase64, "invalid base64")],
  ["date",                   "date",                   71,   unless(isDate, "invalid date")],
  ["datetime",               "datetime",               71,   unless(isDateTime, "invalid datetime")],
  ["dns1035Label",           "DNS1035Label",           30,   label1035Problems],
  ["dns1035LabelPrefix",     "DNS1035LabelPrefix",     30,   unlessPrefix(label1035Problems)],
  ["dns1123Label",           "DNS1123Label",           30,   labelProblems],
  ["dns1123LabelPrefix",     "DNS1123LabelPrefix",     30,   unlessPrefix(labelProblems)],
  ["dns1123Subdomain",       "DNS1123Subdomain",       60,   dns1123Subdomain],
  ["dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60,   unlessPrefix(dns1123Subdomain)],
  ["labelValue",             "LabelValue",             40,   labelValueProblems],
  ["qualifiedName",          "QualifiedName",          60,   qualifiedNameProblems],
  ["uri",                    "URI",                    1103, uri],
  ["uuid",                   "uuid",                   70,   unless(isUuid, "does not match the UUID format")],
];

const VALUES: ReadonlyMap<string, FormatValue> = new Map(
  FORMATS.map(([name, kind, length, problems]) => [name, new FormatValue(kind, length, problems)]),
);

function validate(format: FormatValue, text: string): Optional {
  const problems = format.problems(text);
  return problems.length === 0 ? NONE : new Optional(problems);
}

/** The named formats of Kubernetes CEL. */
export const namedFormats: readonly Overload[] = [
  ...[...VALUES].map(
    ([name, value]): Overload => [`format.${name}`, `format.${name}(): Format`, () => value],
  ),
  [
    "format-named",
    "format.named(string): optional<Format>",
    (name: string) => (VALUES.has(name) ? new Optional(VALUES.get(name)) : NONE),
  ],
  ["format-validate", "Format->validate(string): optional<list<string>>", validate],
];
