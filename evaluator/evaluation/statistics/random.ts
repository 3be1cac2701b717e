/**
 * Whole numbers from 0 to below a bound, the same ones for the same seed: the generator sfc32 of
 * Chris Doty-Humphrey (PractRand 0.95). A seed is taken as 32 bits.
 */
export function randomIndexes(seed: number): (bound: number) => number {
  let [a, b, c, counter] = [0, seed | 0, 0, 1];
  const next = () => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return result >>> 0;
  };
  // The first values of near seeds are alike.
  for (let turn = 0; turn < 15; turn++) next();
  return (bound) => Math.floor((next() / 2 ** 32) * bound);
}
