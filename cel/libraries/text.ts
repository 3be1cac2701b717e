// Text is counted in code points in CEL, and in UTF-16 units in JavaScript.

const SURROGATE = /[\ud800-\udfff]/;

/** Whether some code point of a text takes two units. */
export function hasSurrogates(text: string): boolean {
  return SURROGATE.test(text);
}

/** How many code points a text has. */
export function textLength(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) continue;
    const before = text.charCodeAt(at - 1);
    if (before >= 0xd800 && before <= 0xdbff) count -= 1;
  }
  return count;
}

/** The code points of a text, or the text itself where each is one unit. */
export function codePoints(text: string): ArrayLike<string> {
  return SURROGATE.test(text) ? Array.from(text) : text;
}

/** Joins the code points from one index to another. */
export function sliceText(text: string, start: number, end: number): string {
  const points = codePoints(text);
  return typeof points === "string"
    ? points.slice(start, end)
    : Array.from(points).slice(start, end).join("");
}

/** Orders two texts by their code points, as UTF-8 does by its bytes. */
export function compareText(left: string, right: string): -1 | 0 | 1 {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const [ours, theirs] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (ours === theirs) continue;
    // Surrogates stand for what comes after U+FFFF, though their numbers come before U+E000.
    const isOver = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
    if (isOver(ours) !== isOver(theirs)) return isOver(ours) ? 1 : -1;
    return ours < theirs ? -1 : 1;
  }
  return left.length < right.length ? -1 : 1;
}

// Below this length the built-in search is linear enough.
const SHORT = 32;

/**
 * The index, in units, of a part in a text from an index on, or -1. In linear time for any text, which
 * the built-in search does not promise.
 */
export function findText(text: string, part: string, from = 0): number {
  if (part.length <= SHORT) return text.indexOf(part, from);
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit)
      matched = borders[matched - 1] as number;
    if (part.charCodeAt(matched) === unit) matched += 1;
    if (matched === part.length) return at - matched + 1;
  }
  return -1;
}

/** For each prefix the length of its longest proper border (Knuth, Morris and Pratt). */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at += 1) {
    while (length > 0 && part.charCodeAt(length) !== part.charCodeAt(at)) {
      length = borders[length - 1] as number;
    }
    if (part.charCodeAt(length) === part.charCodeAt(at)) length += 1;
    borders[at] = length;
  }
  return borders;
}
