import type { Definition } from "../../schema/definitions.ts";
import { shippedDefinition } from "../verdicts/definition.ts";
import { plurals } from "./crossplane.ts";

const definitions = new Map(
  plurals.map((plural) => {
    const definition = shippedDefinition(plural);
    return [definition.kind, { plural, definition }] as const;
  }),
);

/** Every kind that the project ships, by its name. */
export const shippedKinds: ReadonlyMap<
  string,
  { readonly plural: string; readonly definition: Definition }
> = definitions;

/** Our own definition of a shipped kind. */
export function definitionOf(kind: string): Definition {
  const found = definitions.get(kind);
  if (found === undefined) throw new Error(`${kind} is not shipped`);
  return found.definition;
}
