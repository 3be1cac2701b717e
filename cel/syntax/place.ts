/** Something wrong with an expression, and where: an index into its text. */
export interface Issue {
  readonly message: string;
  readonly position: number;
  /** What the API server does not say, though it helps. */
  readonly detail?: string;
}

/** Where an index into a text lies: the line from 1, the column from 1 in code points. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Finds the line and column of an index into a text. */
export function placeOf(text: string, position: number): Place {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf("\n") + 1;
  return {
    line: before.split("\n").length,
    column: Array.from(before.slice(lineStart)).length + 1,
  };
}

/** Writes issues as the API server does: each with its line and a caret below its column, in order of place. */
export function formatIssues(text: string, issues: readonly Issue[]): string {
  const lines = text.split("\n");
  return [...issues]
    .map((issue) => ({ ...issue, place: placeOf(text, issue.position) }))
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
    .map(({ message, place: { line, column } }) => {
      const source = (lines[line - 1] ?? "").replaceAll("\t", " ");
      const dots = Array.from(source)
        .slice(0, column - 1)
        .map((character) => (isWide(character) ? "．" : "."))
        .join("");
      const caret = isWide(Array.from(source)[column - 1] ?? "") ? "＾" : "^";
      return `ERROR: <input>:${line}:${column}: ${message}\n | ${source}\n | ${dots}${caret}`;
    })
    .join("\n");
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}
