import type { Call, Overload } from "../libraries/overload.ts";
import { readSignature, type Signature } from "./signature.ts";

/** One overload as the checker sees it. */
export interface Declaration extends Signature {
  readonly id: string;
  readonly call: Call;
}

/** The functions of an environment by name, their overloads in the order in which they are tried. */
export type Functions = ReadonlyMap<string, readonly Declaration[]>;

/** Declares the overloads of libraries; two with one id are a bug. */
export function declareFunctions(overloads: readonly Overload[]): Functions {
  const functions = new Map<string, Declaration[]>();
  const seen = new Set<string>();
  for (const [id, text, call] of overloads) {
    const signature = readSignature(text);
    const key = `${signature.name} ${id}`;
    if (seen.has(key)) throw new Error(`declared twice: ${key}`);
    seen.add(key);
    const known = functions.get(signature.name) ?? [];
    known.push({ id, ...signature, call });
    functions.set(signature.name, known);
  }
  return functions;
}
