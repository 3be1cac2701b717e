import { decodeDataset } from "../evaluation/dataset.ts";
import { datasetDigest } from "../evaluation/identity.ts";
import type { DecodedBytes } from "./observe.ts";

/** Remembers what datasets decode to: passes read them often, and they rarely change. */
export class DatasetMemory {
  readonly #known = new Map<string, DecodedBytes & { readonly maxCases: number }>();

  /** Decodes the dataset of a DecisionModel, by its key, or gives what the same bytes gave before. */
  decode(key: string, bytes: Uint8Array, maxCases: number): DecodedBytes {
    const digest = datasetDigest(bytes);
    const before = this.#known.get(key);
    if (before?.digest === digest && before.maxCases === maxCases) return before;
    const known = { digest, maxCases, decoded: decodeDataset(bytes, maxCases) };
    this.#known.set(key, known);
    return known;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
