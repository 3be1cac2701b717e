import { type KubeObject, stringField } from "../kube/object.ts";
import type { Definition, Definitions } from "../schema/definitions.ts";
import { definesKinds, loadDefinition } from "../schema/load.ts";
import { type ManifestDocument, readDocuments } from "./documents.ts";
import { expandInputs, readInput } from "./inputs.ts";

/** What files held, or every reason why it can't be used. */
export type FromFiles<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Adds the kinds that the CRDs and XRDs in files, directories and patterns define to those given;
 * of two for the same kind the later one wins. Other documents in a directory are passed over.
 */
export function withSchemas(
  known: Definitions,
  paths: readonly string[],
  cwd: string,
): FromFiles<Definitions> {
  const problems: string[] = [];
  const definitions = new Map<string, Definition>(known);
  let found = 0;
  for (const { document, named } of readAll(paths, cwd, problems)) {
    if (!definesKinds(document.object)) {
      if (named) problems.push(`${document.file}:${document.line}: is no CRD and no XRD`);
      continue;
    }
    const loaded = loadDefinition(document.object);
    if (!loaded.ok) {
      problems.push(`${document.file}:${document.line}: ${loaded.error}`);
      continue;
    }
    found += 1;
    for (const one of loaded.definitions) definitions.set(`${one.apiVersion}/${one.kind}`, one);
  }
  if (problems.length > 0) return { ok: false, problems };
  if (paths.length > 0 && found === 0) {
    return { ok: false, problems: [`${paths.join(", ")}: holds no CRD and no XRD`] };
  }
  return { ok: true, value: definitions };
}

/** Finds the object that an object would update, by apiVersion, kind, namespace and name. */
export type OldObjects = (object: KubeObject) => KubeObject | undefined;

/** Reads the objects as they are stored before an update. */
export function readOldObjects(paths: readonly string[], cwd: string): FromFiles<OldObjects> {
  const problems: string[] = [];
  const objects = new Map<string, KubeObject>();
  for (const { document } of readAll(paths, cwd, problems)) {
    objects.set(identity(document.object), document.source.value as KubeObject);
  }
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, value: (object) => objects.get(identity(object)) };
}

function identity(object: KubeObject): string {
  const text = (key: string) => stringField(object, "metadata", key) ?? "";
  return JSON.stringify([object.apiVersion, object.kind, text("namespace"), text("name")]);
}

function readAll(paths: readonly string[], cwd: string, problems: string[]) {
  const { files, faults } = expandInputs(paths, cwd);
  problems.push(...faults.map(({ path, message }) => `${path}: ${message}`));
  const found: { readonly document: ManifestDocument; readonly named: boolean }[] = [];
  for (const { path, named } of files) {
    const read = readInput(path, cwd);
    if (!read.ok) {
      problems.push(`${path}: ${read.message}`);
      continue;
    }
    const loaded = readDocuments(path, read.bytes);
    problems.push(
      ...loaded.problems.map(({ file, line, message }) =>
        line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`,
      ),
    );
    found.push(...loaded.documents.map((document) => ({ document, named })));
  }
  return found;
}
