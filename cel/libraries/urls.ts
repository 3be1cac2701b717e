import type { UrlValue } from "../values.ts";
import { CelFailure, type Overload } from "./overload.ts";
import { parseQuery, parseUrl, requestUrlProblem, splitHost } from "./url-text.ts";

function url(text: string): UrlValue {
  const parsed = parseUrl(text);
  if (parsed.ok) return parsed.url;
  throw new CelFailure(`URL parse error during conversion from string: ${parsed.error}`);
}

/** URLs of Kubernetes CEL. */
// biome-ignore format: a table
export const urls: readonly Overload[] = [
  ["string_to_url",        "url(string): URL",                         url],
  ["is_url_string",        "isURL(string): bool",                      (text: string) => requestUrlProblem(text) === undefined],
  ["url_get_scheme",       "URL->getScheme(): string",                 ({ scheme }: UrlValue) => scheme],
  ["url_get_host",         "URL->getHost(): string",                   ({ host }: UrlValue) => host],
  ["url_get_hostname",     "URL->getHostname(): string",               ({ host }: UrlValue) => splitHost(host).name],
  ["url_get_port",         "URL->getPort(): string",                   ({ host }: UrlValue) => splitHost(host).port],
  ["url_get_escaped_path", "URL->getEscapedPath(): string",            ({ escapedPath }: UrlValue) => escapedPath],
  ["url_get_query",        "URL->getQuery(): map<string, list<string>>", ({ query }: UrlValue) => parseQuery(query)],
];
