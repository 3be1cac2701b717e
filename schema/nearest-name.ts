/**
 * The known name that is spelled most like the given one, `undefined` where none comes close: where
 * more than the given share of its letters would have to change.
 */
export function nearestName(
  given: string,
  known: Iterable<string>,
  share = 0.4,
): string | undefined {
  let best: string | undefined;
  let least = Math.floor(given.length * share) + 1;
  for (const name of known) {
    // A name that only differs in case or in a dash is as near as can be.
    const distance = plain(name) === plain(given) ? 0 : editDistance(given, name, least);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

const MAX_LENGTH = 64;

function plain(name: string): string {
  return name.replace(/[-_]/g, "").toLowerCase();
}

/** Insertions, deletions and replacements between two names; at least `limit` when they are many. */
function editDistance(left: string, right: string, limit: number): number {
  const gap = Math.abs(left.length - right.length);
  if (gap >= limit || left.length > MAX_LENGTH || right.length > MAX_LENGTH) return limit;
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? limit;
}
