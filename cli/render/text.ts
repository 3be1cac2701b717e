/** How text looks on a terminal; without colour every style leaves it as it is. */
export interface Style {
  strong(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  pending(text: string): string;
  bad(text: string): string;
}

/** The styles of a terminal, or none. */
export function styles(colour: boolean): Style {
  const sgr = (code: number) => (text: string) =>
    colour && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
  return { strong: sgr(1), dim: sgr(2), good: sgr(32), pending: sgr(33), bad: sgr(31) };
}

/** Shows control characters instead of letting a manifest's text steer the terminal. */
export function visible(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) =>
    character === "\n"
      ? " "
      : `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`,
  );
}

/** The number of characters of text, near enough to its columns. */
export function columns(text: string): number {
  return [...text].length;
}

/** Pads text with spaces to a number of columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - columns(text)));
}

/** Cuts text to a number of columns, with an ellipsis in the middle, where names differ least. */
export function shorten(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const head = Math.ceil((width - 1) / 2);
  const tail = Math.max(0, width - 1 - head);
  return `${characters.slice(0, head).join("")}…${characters.slice(characters.length - tail).join("")}`;
}

/** Breaks text at spaces into lines of a number of columns, and a longer word, such as a field's path, between its steps. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).flatMap((one) => pieces(one, width))) {
    if (line !== "" && columns(line) + 1 + columns(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return line === "" ? lines : [...lines, line];
}

function pieces(word: string, width: number): readonly string[] {
  const most = Math.max(1, width);
  if (columns(word) <= most) return [word];
  const found: string[] = [];
  let piece = "";
  for (const step of word.split(/(?=[.[/,])/).flatMap((one) => cut(one, most))) {
    if (piece !== "" && columns(piece) + columns(step) > most) {
      found.push(piece);
      piece = step;
    } else piece += step;
  }
  return [...found, piece];
}

function cut(text: string, most: number): readonly string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / most);
  return Array.from({ length: count }, (_, at) => {
    return characters.slice(at * most, (at + 1) * most).join("");
  });
}
