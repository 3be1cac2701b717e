import { plainJson } from "./documents.ts";
import { readInput } from "./inputs.ts";
import { readSource } from "./source.ts";

/** The value of a file, or why it has none: what follows the file's name in a message. */
export type ValueFile =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: string };

/** Reads a file of YAML or JSON that must hold one document. */
export function readValueFile(path: string, cwd: string): ValueFile {
  const read = readInput(path, cwd);
  if (!read.ok) return { ok: false, error: `can't be read: ${read.message}` };
  const source = readSource(read.bytes);
  if (!source.ok) return { ok: false, error: `can't be read: ${source.message}` };
  const [document, ...more] = source.documents;
  if (document === undefined || more.length > 0) {
    return { ok: false, error: `holds ${source.documents.length} documents; give one` };
  }
  return { ok: true, value: plainJson(document.value) };
}
