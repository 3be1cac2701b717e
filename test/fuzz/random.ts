/** A seeded source of randomness, so that every run can be repeated from its number. */
export interface Random {
  /** A whole number from 0 up to but not including `limit`. */
  below(limit: number): number;
  /** Whether something that happens once in `times` happens. */
  once(times: number): boolean;
  /** One of the items, which must not be empty. */
  pick<T>(items: readonly T[]): T;
}

/** Makes the source of one run: 32-bit xorshift over a mix of seed and run number. */
export function createRandom(seed: number, run: number): Random {
  let state = (Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(run + 1, 0xc2b2_ae35)) | 1;
  const below = (limit: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
  for (let i = 0; i < 4; i++) below(1);
  return {
    below,
    once: (times) => below(times) === 0,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
  };
}
