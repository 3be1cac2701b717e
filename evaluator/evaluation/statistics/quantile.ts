/**
 * The quantile of values in ascending order at a share from 0 to 1, between two of them linearly:
 * definition 7 of Hyndman and Fan (The American Statistician 50, 1996), NumPy's default. NaN of none.
 */
export function quantile(ascending: readonly number[], share: number): number {
  const place = share * (ascending.length - 1);
  const below = ascending[Math.floor(place)] ?? Number.NaN;
  const above = ascending[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}
