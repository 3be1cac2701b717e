import type { Revision } from "../../api/gen/decisionmodels.ts";

/** A revision as people read it: `laya:en@sha256:c305a927`. */
export function described({ model, digest }: Revision): string {
  return `${model}@sha256:${digest.slice(0, 8)}`;
}
