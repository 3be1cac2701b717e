import { isBase64, isDate, isDateTime } from "../../kube/string-formats.ts";
import { FormatValue, Optional } from "../values.ts";
import { NONE } from "./optionals.ts";
import type { Overload } from "./overload.ts";
import { requestUrlProblem } from "./url-text.ts";

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const UUID = "^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$";

type Problems = (text: string) => readonly string[];

/** Whether a text has the shape of a pattern that no text can make slow, and is not out of all bounds. */
function isLike(text: string, pattern: string): boolean {
  return text.length <= 1024 && new RegExp(`^${pattern}$`).test(text);
}

function shape(words: string, pattern: string, ...examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${words} (e.g. ${list}regex used for validation is '${pattern}')`;
}

function tooLong(text: string, bytes: number, unit = "bytes"): string[] {
  return Buffer.byteLength(text) > bytes ? [`must be no more than ${bytes} ${unit}`] : [];
}

// "my-name" ends in a dash where it is only the beginning of a name; the API server then looks at a
// text that is one character shorter still.
const unlessPrefix =
  (problems: Problems): Problems =>
  (text) =>
    problems(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);

const dns1123Label: Problems = (text) => {
  const problems = tooLong(text, 63, "characters");
  if (isLike(text, LABEL)) return problems;
  if (isLike(text, SUBDOMAIN)) return [...problems, "must not contain dots"];
  const words =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...problems, shape(words, LABEL, "my-name", "123-abc")];
};

const subdomain = (text: string, unit: string): readonly string[] => {
  const problems = tooLong(text, 253, unit);
  if (isLike(text, SUBDOMAIN)) return problems;
  const words =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...problems, shape(words, SUBDOMAIN, "example.com")];
};

const dns1123Subdomain: Problems = (text) => subdomain(text, "characters");

const dns1035Label: Problems = (text) => {
  const problems = tooLong(text, 63, "characters");
  if (isLike(text, LABEL_1035)) return problems;
  const words =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...problems, shape(words, LABEL_1035, "my-name", "abc-123")];
};

const qualifiedName: Problems = (text) => {
  const words =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const wrong = (what: string) => shape(`${what} ${words}`, NAME, "MyName", "my.name", "123-abc");
  const parts = text.split("/");
  if (parts.length > 2) {
    return [
      `${wrong("a valid label key")} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const [name, prefix] = parts.reverse() as [string, string | undefined];
  const problems: string[] = [];
  if (prefix === "") problems.push("prefix part must be non-empty");
  else if (prefix !== undefined) {
    problems.push(...subdomain(prefix, "bytes").map((one) => `prefix part ${one}`));
  }
  if (name === "") problems.push("name part must be non-empty");
  else problems.push(...tooLong(name, 63).map((one) => `name part ${one}`));
  if (!isLike(name, NAME)) problems.push(wrong("name part"));
  return problems;
};

const labelValue: Problems = (text) => {
  const problems = tooLong(text, 63);
  if (isLike(text, `(${NAME})?`)) return problems;
  const words =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...problems, shape(words, `(${NAME})?`, "MyValue", "my_value", "12345")];
};

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
  ["dns1035Label",           "DNS1035Label",           30,   dns1035Label],
  ["dns1035LabelPrefix",     "DNS1035LabelPrefix",     30,   unlessPrefix(dns1035Label)],
  ["dns1123Label",           "DNS1123Label",           30,   dns1123Label],
  ["dns1123LabelPrefix",     "DNS1123LabelPrefix",     30,   unlessPrefix(dns1123Label)],
  ["dns1123Subdomain",       "DNS1123Subdomain",       60,   dns1123Subdomain],
  ["dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60,   unlessPrefix(dns1123Subdomain)],
  ["labelValue",             "LabelValue",             40,   labelValue],
  ["qualifiedName",          "QualifiedName",          60,   qualifiedName],
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
