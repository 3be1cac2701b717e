import type { YAMLParseError } from "yaml";

const INDENTATION = "check the indentation against the line above";
// What the parser's codes come from, in the words of who wrote the file.
const CAUSES: Readonly<Record<string, string>> = {
  BAD_ALIAS: "an alias (*name) is broken here",
  BAD_INDENT: `a bracket, brace or quote is not closed, or the indentation does not fit; ${INDENTATION}`,
  BAD_SCALAR_START: "a value may not begin with this character; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY: `a mapping may not begin here; ${INDENTATION}, or put a value that holds ": " in quotes`,
  BLOCK_IN_FLOW: "an indented block may not stand within brackets or braces",
  DUPLICATE_KEY: "a key stands here twice",
  IMPOSSIBLE: `this is no YAML; ${INDENTATION}`,
  MISSING_CHAR: `something is missing before this: a closing bracket, brace or quote, a colon, or a dash; ${INDENTATION}`,
  MULTILINE_IMPLICIT_KEY: `a key must stand on one line with its colon; ${INDENTATION}`,
  MULTIPLE_DOCS: "one document ends and another begins here without ---",
  TAB_AS_INDENT: "a tab may not indent YAML; use spaces",
  UNEXPECTED_TOKEN: `this is not expected here; ${INDENTATION}`,
};

/** Why a text is no YAML, worded for who wrote it; `line` is where the parser gave up, from 1. */
export function yamlProblem(error: YAMLParseError, text: string, line: number): string {
  const lines = text.split("\n", line + 1);
  // The braces may have led the parser astray on the line before the one it complains of.
  const near = lines.slice(Math.max(0, line - 2), line).join("\n");
  if (/\{\{/.test(near)) return "looks like a template ({{ … }}); render it first";
  if (lines[line - 1]?.match(/^ *\t/)) return CAUSES.TAB_AS_INDENT ?? "";
  const [first = ""] = error.message.split("\n");
  return CAUSES[error.code] ?? first;
}
