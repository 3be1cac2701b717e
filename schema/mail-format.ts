import { isIpAddress } from "./network-formats.ts";

/**
 * Whether a text is one mail address as Go's `net/mail` reads RFC 5322: bare, in angle brackets
 * behind a name, or alone in a group; comments may stand where it allows them.
 */
export function isEmail(text: string): boolean {
  const parser = new MailParser(text);
  return parser.address(true) === 1 && parser.comments() && parser.atEnd;
}

const CONTROLS = "\\u0000-\\u001f\\u007f";
// All controls but the tab.
const UNQUOTED = "\\u0000-\\u0008\\u000a-\\u001f\\u007f";
const ATOM = new RegExp(`[^${CONTROLS} ()<>[\\]:;@\\\\,"]+`, "y");
const QUOTED = new RegExp(`"((?:[^"\\\\${UNQUOTED}]|\\\\[^${UNQUOTED}])*)"`, "y");
const LITERAL = new RegExp(`\\[([^${CONTROLS} [\\]\\\\]*)\\]`, "y");
// A word in a character set that Go can't decode makes the whole address unreadable.
const ENCODED_WORD = /^=\?([^?]+)\?[bBqQ]\?[^?]*\?=$/;
const CHARACTER_SETS: ReadonlySet<string> = new Set(["utf-8", "iso-8859-1", "us-ascii"]);

class MailParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Reads a mailbox or a group; how many addresses it holds, `undefined` where there is none. */
  address(mayBeGroup: boolean): number | undefined {
    const start = this.#at;
    if (this.#mailbox()) {
      this.#spaces();
      return !this.#peek("(") || this.#comment() ? 1 : undefined;
    }
    this.#at = start;
    this.#spaces();
    if (!this.#peek("<") && !this.#phrase()) return undefined;
    this.#spaces();
    if (mayBeGroup && this.#take(":")) return this.#group();
    return this.#take("<") && this.#mailbox() && this.#take(">") ? 1 : undefined;
  }

  /** Skips spaces and comments; false where a comment does not end. */
  comments(): boolean {
    this.#spaces();
    while (this.#peek("(")) {
      if (!this.#comment()) return false;
      this.#spaces();
    }
    return true;
  }

  #group(): number | undefined {
    let count = 0;
    this.#spaces();
    if (this.#take(";")) return this.comments() ? count : undefined;
    for (;;) {
      if (this.address(false) === undefined) return undefined;
      count += 1;
      if (!this.comments()) return undefined;
      if (this.#take(";")) return this.comments() ? count : undefined;
      if (!this.#take(",")) return undefined;
    }
  }

  #mailbox(): boolean {
    this.#spaces();
    const local = this.#peek('"') ? this.#match(QUOTED)?.[1] : this.#dotAtom();
    if (!local || !this.#take("@")) return false;
    this.#spaces();
    if (!this.#peek("[")) return this.#dotAtom() !== undefined;
    const literal = this.#match(LITERAL)?.[1];
    return literal !== undefined && isIpAddress(literal);
  }

  /** One word or more; what follows the first may be anything that ends the phrase. */
  #phrase(): boolean {
    for (let words = 0; ; words += 1) {
      if (words > 0 && !this.comments()) return false;
      this.#spaces();
      const word = this.#match(this.#peek('"') ? QUOTED : ATOM)?.[0];
      if (word === undefined || isUndecodable(word)) return words > 0;
    }
  }

  #dotAtom(): string | undefined {
    const atom = this.#match(ATOM)?.[0];
    const dotted = atom?.startsWith(".") || atom?.endsWith(".") || atom?.includes("..");
    return dotted ? undefined : atom;
  }

  #comment(): boolean {
    let depth = 0;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at];
      this.#at += character === "\\" ? 2 : 1;
      if (character === "(") depth += 1;
      if (character === ")") depth -= 1;
      if (depth === 0) return true;
    }
    return false;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    const sticky = new RegExp(pattern);
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = sticky.lastIndex;
    return found;
  }

  #spaces(): void {
    while (this.#peek(" ") || this.#peek("\t")) this.#at += 1;
  }

  #peek(character: string): boolean {
    return this.#text[this.#at] === character;
  }

  #take(character: string): boolean {
    if (!this.#peek(character)) return false;
    this.#at += 1;
    return true;
  }
}

function isUndecodable(word: string): boolean {
  const set = ENCODED_WORD.exec(word)?.[1]?.toLowerCase();
  return set !== undefined && !CHARACTER_SETS.has(set);
}
