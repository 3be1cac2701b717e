import { quote } from "../kube/quote.ts";

/** The name of a model, taken apart. */
export interface ModelName {
  /** The registry, with its port where it has one; the default registry's where the text has none. */
  readonly host: string;
  readonly namespace: string;
  readonly model: string;
  readonly tag: string;
}

/** A name, or what is wrong with the text and what to write instead. */
export type ParsedModelName =
  | { readonly ok: true; readonly name: ModelName }
  | { readonly ok: false; readonly error: string };

const LIBRARY = "library";
const PART = /^[a-z0-9_][a-z0-9_.-]{0,79}$/;
const HOST = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?$/;

/**
 * Reads `[HOST/][NAMESPACE/]MODEL:TAG`. Engines also trim and ignore case; here a name has one
 * spelling, so that equal models have equal texts, and a tag is never left out, since the one that
 * it then means is another model. The case of a host is kept: allow-lists compare it exactly.
 */
export function parseModelName(text: string, defaultHost: string): ParsedModelName {
  const wrong = (error: string) =>
    ({ ok: false, error: `model ${quote(text)}: ${error}` }) as const;
  if (text !== text.trim()) return wrong("leave the white space around it out");
  if (text.includes("://")) return wrong("leave the scheme out: write HOST/NAMESPACE/MODEL:TAG");
  if (text.includes("@")) return wrong('leave "@" and what follows out: spec.digest pins a model');
  const parts = text.split("/");
  const last = parts.pop() ?? "";
  const first = parts[0];
  // As container images do: what could not be a plain namespace is a host.
  const hasHost = first !== undefined && (parts.length === 2 || looksLikeHost(first));
  const [namespace = LIBRARY, ...more] = hasHost ? parts.slice(1) : parts;
  if (more.length > 0) return wrong("it has too many slashes: write HOST/NAMESPACE/MODEL:TAG");
  const colon = last.indexOf(":");
  if (colon < 0) return wrong("an explicit :tag is needed after the model, such as :latest");
  const name = {
    host: hasHost ? first : defaultHost,
    namespace,
    model: last.slice(0, colon),
    tag: last.slice(colon + 1),
  };
  if (!HOST.test(name.host))
    return wrong(`${quote(name.host)} is no host: write HOST or HOST:PORT`);
  for (const part of ["namespace", "model", "tag"] as const) {
    if (PART.test(name[part])) continue;
    const shown = `its ${part} ${quote(name[part])}`;
    return wrong(
      `${shown} must have 1 to 80 characters of a-z, 0-9, ".", "_" and "-", the first no "." or "-"`,
    );
  }
  return { ok: true, name };
}

/**
 * The shortest text that `parseModelName` reads as this name: the canonical form, in which names are
 * compared. A namespace that looks like a host keeps its host before it.
 */
export function formatModelName(
  { host, namespace, model, tag }: ModelName,
  defaultHost: string,
): string {
  const name = `${model}:${tag}`;
  if (host !== defaultHost || looksLikeHost(namespace)) return `${host}/${namespace}/${name}`;
  return namespace === LIBRARY ? name : `${namespace}/${name}`;
}

/** Whether a text can be the host of a model's name, with a port or without. */
export function isRegistryHost(text: string): boolean {
  return HOST.test(text);
}

function looksLikeHost(part: string): boolean {
  return /[.:]/.test(part) || part === "localhost";
}
