import { DeviceSelectors } from "../../cel/device.ts";
import type { Compiled } from "../../cel/environment.ts";

/**
 * Makes a compiler of device selectors that keeps something of each distinct one, since every
 * reconcile brings the same ones; of at most `most`, and what it keeps never changes an answer.
 */
export function createSelectorCompiler<Kept>(
  keep: (compiled: Compiled, text: string) => Kept,
  most: number,
): (text: string) => Kept {
  // Made when the first selector comes by: many replicas have none.
  let selectors: DeviceSelectors | undefined;
  const known = new Map<string, Kept>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as Kept;
    selectors ??= new DeviceSelectors();
    const kept = keep(selectors.compile(text), text);
    if (known.size >= most) known.clear();
    known.set(text, kept);
    return kept;
  };
}
