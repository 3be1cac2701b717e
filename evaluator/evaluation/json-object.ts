/**
 * The members of one JSON object, each value as the text it was written as: parsing and writing it
 * again would round long numbers and move keys that look like indexes, and a model reads both.
 */
export type ScannedObject =
  | { readonly ok: true; readonly members: ReadonlyMap<string, string> }
  | {
      readonly ok: false;
      /** The index in the text at which it stops being one JSON object. */
      readonly at: number;
      /** What should stand there; nothing of the text is quoted, since it may be secret. */
      readonly problem: string;
    };

const EXPECTED = {
  object: "an object in braces must stand here",
  "first key": "a key in double quotes or a closing brace must stand here",
  key: "a key in double quotes must stand here",
  colon: "a colon must stand here",
  "first item": "a JSON value or a closing bracket must stand here",
  value: "a JSON value must stand here",
  next: "a comma or a closing bracket must stand here",
  end: "nothing may follow the object: write one object per line, and no comments",
} as const;
const BAD_STRING = "the string that begins here is not closed, or has an escape that JSON has not";

const SPACE = /[ \t\r\n]*/.source;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them in a string
const PLAIN = /[^"\\\u0000-\u001f]*/.source;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.source;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/.source;
const TOKEN = `${SPACE}([{}[\\]:,]|"${PLAIN}(?:${ESCAPE}${PLAIN})*"|${NUMBER}|true|false|null|$)`;

/** What may stand at a place of the text. */
type Expected = keyof typeof EXPECTED;

/**
 * Reads a text that must hold one JSON object (RFC 8259) and nothing else; of keys that repeat the
 * last one counts. Depth is no matter: it never calls itself.
 */
export function scanObject(text: string): ScannedObject {
  const tokens = new RegExp(TOKEN, "y");
  const members = new Map<string, string>();
  const open: string[] = [];
  let expected: Expected = "object";
  let key = "";
  let valueAt = 0;
  for (;;) {
    const before = tokens.lastIndex;
    const token = tokens.exec(text)?.[1];
    const next: Expected | "ended" | undefined =
      token === undefined ? undefined : follow(expected, token, open);
    if (token === undefined || next === undefined) return wrong(text, before, expected);
    if (next === "ended") return { ok: true, members };
    const after = tokens.lastIndex;
    if (open.length === 1) {
      if (next === "colon") key = JSON.parse(token);
      if (expected === "colon") valueAt = after;
      if (next === "next") members.set(key, text.slice(valueAt, after).trim());
    }
    expected = next;
  }
}

/** What may follow a token that stands where `expected` was, after keeping count of the open brackets. */
function follow(expected: Expected, token: string, open: string[]): Expected | "ended" | undefined {
  const close = () => {
    open.pop();
    return open.length === 0 ? "end" : "next";
  };
  switch (expected) {
    case "end":
      return token === "" ? "ended" : undefined;
    case "colon":
      return token === ":" ? "value" : undefined;
    case "next":
      if (token === ",") return open.at(-1) === "{" ? "key" : "value";
      return token === (open.at(-1) === "{" ? "}" : "]") ? close() : undefined;
    case "key":
    case "first key":
      if (token.startsWith('"')) return "colon";
      return token === "}" && expected === "first key" ? close() : undefined;
    default:
      if (token === "]" && expected === "first item") return close();
      if (token === "{" || (token === "[" && expected !== "object")) {
        open.push(token);
        return token === "{" ? "first key" : "first item";
      }
      return expected === "object" || /^[}\]:,]?$/.test(token) ? undefined : "next";
  }
}

const TAKES_STRING: readonly Expected[] = ["first key", "key", "first item", "value"];

function wrong(text: string, from: number, expected: Expected): ScannedObject {
  const at = from + text.slice(from).search(/[^ \t\r\n]|$/);
  const badString = text[at] === '"' && TAKES_STRING.includes(expected);
  return { ok: false, at, problem: badString ? BAD_STRING : EXPECTED[expected] };
}
