import type { Definitions } from "../schema/definitions.ts";
import type { ManifestDocument } from "./documents.ts";
import { textVerdict, warnings } from "./output/text.ts";
import { judgeDocument } from "./verdict.ts";

/** What `sluice validate` prints about an invalid document or its unknown fields, line by line. */
export function complaints(
  { file, source }: ManifestDocument,
  definitions: Definitions,
): { readonly invalid: readonly string[]; readonly warnings: readonly string[] } {
  const judged = judgeDocument(file, source, definitions);
  // A kind without a definition has nothing to be judged by.
  if (!judged.ok) return { invalid: [], warnings: [] };
  const { verdict } = judged;
  return {
    invalid: verdict.findings.length === 0 ? [] : textVerdict(verdict),
    warnings: warnings(verdict),
  };
}
