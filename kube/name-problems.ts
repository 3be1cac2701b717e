// Kubernetes' rules for names, each problem in its words (apimachinery `validation`).

type Unit = "bytes" | "characters";

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/** Whether a text has the shape of one of the patterns above, which are linear on any text. */
function isLike(text: string, pattern: string): boolean {
  return new RegExp(`^${pattern}$`).test(text);
}

function shape(words: string, pattern: string, ...examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${words} (e.g. ${list}regex used for validation is '${pattern}')`;
}

function tooLong(text: string, bytes: number, unit: Unit = "bytes"): string[] {
  return Buffer.byteLength(text) > bytes ? [`must be no more than ${bytes} ${unit}`] : [];
}

/** Why a text is no label of RFC 1123, the name of a namespace for one; bytes are counted. */
export function labelProblems(text: string): readonly string[] {
  const problems = tooLong(text, 63, "characters");
  if (isLike(text, LABEL)) return problems;
  if (isLike(text, SUBDOMAIN)) return [...problems, "must not contain dots"];
  const words =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...problems, shape(words, LABEL, "my-name", "123-abc")];
}

/** Why a text is no subdomain of RFC 1123; bytes are counted, whatever unit the words are to name. */
export function subdomainProblems(text: string, unit: Unit): readonly string[] {
  const problems = tooLong(text, 253, unit);
  if (isLike(text, SUBDOMAIN)) return problems;
  const words =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...problems, shape(words, SUBDOMAIN, "example.com")];
}

/** Why a text is no label of RFC 1035, which begins with a letter. */
export function label1035Problems(text: string): readonly string[] {
  const problems = tooLong(text, 63, "characters");
  if (isLike(text, LABEL_1035)) return problems;
  const words =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...problems, shape(words, LABEL_1035, "my-name", "abc-123")];
}

/** Why a text is no key of a label or an annotation, and no name of a finalizer. */
export function qualifiedNameProblems(text: string): readonly string[] {
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
    problems.push(...subdomainProblems(prefix, "bytes").map((one) => `prefix part ${one}`));
  }
  if (name === "") problems.push("name part must be non-empty");
  else problems.push(...tooLong(name, 63).map((one) => `name part ${one}`));
  if (!isLike(name, NAME)) problems.push(wrong("name part"));
  return problems;
}

/** Why a text is no value of a label. */
export function labelValueProblems(text: string): readonly string[] {
  const problems = tooLong(text, 63);
  if (isLike(text, `(${NAME})?`)) return problems;
  const words =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...problems, shape(words, `(${NAME})?`, "MyValue", "my_value", "12345")];
}

/**
 * A text that only begins a name, as a name: a dash may be its last character. What is judged then is one
 * character shorter, as in Kubernetes.
 */
export function prefixAsName(text: string): string {
  return text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text;
}
