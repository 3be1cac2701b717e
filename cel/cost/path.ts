/**
 * A path from a variable through declared types: `self`, then field names, `@items`, `@keys` and
 * `@values`.
 *
 * The API server's library keeps paths in slices, and a path that grows in place overwrites the step
 * of another that grew from the same one: in `self.a.all(e, e.x.all(f, e.y > f))` the list `e.x` is
 * sized as `e.y` once the loop has been costed. Verdicts depend on it, so paths here share cells in
 * the same way.
 */
export class Path {
  readonly length: number;
  readonly #cells: string[];
  readonly #capacity: number;

  private constructor(cells: string[], length: number, capacity: number) {
    this.#cells = cells;
    this.length = length;
    this.#capacity = capacity;
  }

  /** The path of one step. */
  static of(name: string): Path {
    return new Path([name], 1, 1);
  }

  /** A path with one more step; without a path the step alone. */
  static extend(path: Path | undefined, step: string): Path {
    if (path === undefined) return Path.of(step);
    const { length } = path;
    if (length < path.#capacity) {
      path.#cells[length] = step;
      return new Path(path.#cells, length + 1, path.#capacity);
    }
    return new Path([...path.#cells.slice(0, length), step], length + 1, length * 2);
  }

  /** The same with cells of its own. */
  copy(): Path {
    return new Path(this.#cells.slice(0, this.length), this.length, this.length);
  }

  /** A step as it reads now. */
  step(index: number): string {
    return this.#cells[index] ?? "";
  }
}
