import type { KubeObject } from "../kube/object.ts";
import type { Finding } from "../schema/finding.ts";
import type { ManifestDocument } from "./documents.ts";

/** Prints why the API server would refuse an object, after the file and line where it stands. */
export function refusalText(
  { kind, metadata }: KubeObject,
  findings: readonly Finding[],
  document: ManifestDocument | undefined,
): string {
  const where = document === undefined ? "" : `${document.file}:${document.line}: `;
  const lines = findings.map(({ field, message }) => `  * ${field}: ${message}\n`).sort();
  return `${where}the ${kind} "${metadata?.name ?? ""}" is invalid:\n${lines.join("")}`;
}

/** Warns of fields that no schema knows: the API server drops them, and `kubectl` refuses them. */
export function unknownFieldsText(
  { kind, metadata }: KubeObject,
  fields: readonly string[],
  document: ManifestDocument | undefined,
): string {
  const where = document === undefined ? "" : `${document.file}:${document.line}: `;
  const list = fields.map((field) => `"${field}"`).join(", ");
  return `${where}warning: the ${kind} "${metadata?.name ?? ""}" has unknown fields, which are dropped: ${list}\n`;
}
