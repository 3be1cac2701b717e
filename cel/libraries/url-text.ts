import { quote } from "../../kube/quote.ts";
import { UrlValue } from "../values.ts";
import { parseAddress } from "./networks.ts";

/** A URL's parts, or why the text is no URL, in the words of Go's parser. */
export type ParsedUrl =
  | { readonly ok: true; readonly url: UrlValue }
  | { readonly ok: false; readonly error: string };

class UrlProblem {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/**
 * Parses an absolute URL, or an absolute path, as Go's `ParseRequestURI` and `Parse` do one after the
 * other: the first decides whether it is one, the second finds its parts.
 */
export function parseUrl(text: string): ParsedUrl {
  try {
    checkRequest(text);
    return { ok: true, url: partsOf(text) };
  } catch (problem) {
    if (!(problem instanceof UrlProblem)) throw problem;
    return { ok: false, error: `parse ${quote(text)}: ${problem.message}` };
  }
}

/** Why a text is no URL as a request takes it (Go's `ParseRequestURI`), or undefined when it is one. */
export function requestUrlProblem(text: string): string | undefined {
  try {
    checkRequest(text);
    return undefined;
  } catch (problem) {
    if (!(problem instanceof UrlProblem)) throw problem;
    return `parse ${quote(text)}: ${problem.message}`;
  }
}

function checkRequest(text: string): void {
  checkControls(text);
  if (text === "") throw new UrlProblem("empty url");
  if (text === "*") return;
  const { scheme, rest } = splitScheme(text);
  const [path] = splitQuery(rest);
  if (!path.startsWith("/")) {
    if (scheme !== "") return;
    throw new UrlProblem("invalid URI for request");
  }
  const { authority, path: rooted } = splitAuthority(path, scheme !== "");
  if (authority !== undefined) readAuthority(authority, scheme);
  decode(rooted, "path");
}

function partsOf(text: string): UrlValue {
  const hash = text.indexOf("#");
  const whole = hash < 0 ? text : text.slice(0, hash);
  if (hash >= 0) decode(text.slice(hash + 1), "path");
  if (whole === "*")
    return new UrlValue({ text, scheme: "", host: "", escapedPath: "*", query: "" });
  const { scheme, rest } = splitScheme(whole);
  const [path, query] = splitQuery(rest);
  const normal = scheme === "" ? text : scheme + text.slice(scheme.length);
  if (!path.startsWith("/")) {
    return new UrlValue({ text: normal, scheme, host: "", escapedPath: "", query });
  }
  const split = splitAuthority(path, scheme !== "" || !path.startsWith("///"));
  const host = split.authority === undefined ? "" : readAuthority(split.authority, scheme);
  const escapedPath = escapePath(split.path);
  return new UrlValue({ text: normal, scheme, host, escapedPath, query });
}

function checkControls(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
  if (/[\u0000-\u001f\u007f]/.test(text)) {
    throw new UrlProblem("net/url: invalid control character in URL");
  }
}

function splitScheme(text: string): { readonly scheme: string; readonly rest: string } {
  if (text.startsWith(":")) throw new UrlProblem("missing protocol scheme");
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(text);
  if (match === null) return { scheme: "", rest: text };
  return { scheme: (match[1] as string).toLowerCase(), rest: match[2] as string };
}

function splitQuery(rest: string): readonly [path: string, query: string] {
  const mark = rest.indexOf("?");
  return mark < 0 ? [rest, ""] : [rest.slice(0, mark), rest.slice(mark + 1)];
}

function splitAuthority(
  path: string,
  may: boolean,
): { readonly authority: string | undefined; readonly path: string } {
  if (!may || !path.startsWith("//")) return { authority: undefined, path };
  const slash = path.indexOf("/", 2);
  if (slash < 0) return { authority: path.slice(2), path: "" };
  return { authority: path.slice(2, slash), path: path.slice(slash) };
}

/** The host of an authority, unescaped, with its port. */
function readAuthority(authority: string, scheme: string): string {
  const at = authority.lastIndexOf("@");
  const host = readHost(authority.slice(at + 1), scheme);
  if (at >= 0) {
    const user = authority.slice(0, at);
    if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) {
      throw new UrlProblem("net/url: invalid userinfo");
    }
    decode(user, "path");
  }
  return host;
}

function readHost(host: string, scheme: string): string {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) throw new UrlProblem("invalid IP-literal");
  if (bracket === 0) return readLiteral(host);
  // Only http may not list several hosts, each with its port.
  const strict = scheme === "http" || scheme === "https";
  const colon = strict ? host.indexOf(":") : host.lastIndexOf(":");
  if (colon >= 0) checkPort(host.slice(colon));
  return decode(host, "host");
}

/** An IPv6 address in brackets, with its zone and port. */
function readLiteral(host: string): string {
  const close = host.lastIndexOf("]");
  if (close < 0) throw new UrlProblem("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const inner = host.slice(1, close);
  const percent = inner.indexOf("%25");
  const text = decode(percent < 0 ? inner : inner.slice(0, percent), "host");
  const zone = percent < 0 ? "" : decode(inner.slice(percent), "zone");
  const address = parseAddress(text);
  if (address === undefined || zone === "%") {
    throw new UrlProblem("invalid host: unable to parse IP");
  }
  if (address.family === 4) throw new UrlProblem("invalid IP-literal");
  return `[${text}${zone}]${port}`;
}

function checkPort(port: string): void {
  if (!isOptionalPort(port)) {
    throw new UrlProblem(`invalid port ${quote(port)} after host`);
  }
}

const isOptionalPort = (port: string) => /^(:[0-9]*)?$/.test(port);

type Part = "path" | "query" | "host" | "zone";

function decode(text: string, part: Part): string {
  const bytes: number[] = [];
  const encoded = Buffer.from(text, "utf8");
  for (let at = 0; at < encoded.length; at += 1) {
    const byte = encoded[at] as number;
    if (byte === 0x25) {
      const sequence = encoded.toString("latin1", at, at + 3);
      const value = /^%[0-9a-fA-F]{2}$/.test(sequence)
        ? Number.parseInt(sequence.slice(1), 16)
        : -1;
      // A host may only escape the sign itself and what is not ASCII.
      if (value < 0 || (part === "host" && value < 0x80 && sequence !== "%25")) {
        throw new UrlProblem(`invalid URL escape ${quote(sequence)}`);
      }
      // A zone may escape any character of a host, and the space.
      const hides = value >= 0x80 || isBadInHost(value);
      if (part === "zone" && value !== 0x25 && value !== 0x20 && hides) {
        throw new UrlProblem(`invalid URL escape ${quote(sequence)}`);
      }
      bytes.push(value);
      at += 2;
    } else if (part === "query" && byte === 0x2b) {
      bytes.push(0x20);
    } else {
      if ((part === "host" || part === "zone") && isBadInHost(byte)) {
        const character = quote(String.fromCharCode(byte));
        throw new UrlProblem(`invalid character ${character} in host name`);
      }
      bytes.push(byte);
    }
  }
  return Buffer.from(bytes).toString("utf8");
}

function isBadInHost(byte: number): boolean {
  return byte < 0x80 && !/[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/.test(String.fromCharCode(byte));
}

/** The path as it was written where that is a valid encoding, or else encoded afresh. */
function escapePath(path: string): string {
  const plain = decode(path, "path");
  if (/^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/.test(path)) return path;
  return [...Buffer.from(plain, "utf8")]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      if (byte < 0x80 && /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)) return character;
      return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

/** A host without its port and brackets, and the port. */
export function splitHost(host: string): { readonly name: string; readonly port: string } {
  const colon = host.lastIndexOf(":");
  const hasPort = colon >= 0 && isOptionalPort(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  const bare = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
  return { name: bare, port: hasPort ? host.slice(colon + 1) : "" };
}

/** The values of a query by their keys; what is badly written is left out. */
export function parseQuery(query: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const part of query.split("&")) {
    if (part === "" || part.includes(";")) continue;
    const equals = part.indexOf("=");
    try {
      const key = decode(equals < 0 ? part : part.slice(0, equals), "query");
      const value = equals < 0 ? "" : decode(part.slice(equals + 1), "query");
      const known = values.get(key) ?? [];
      known.push(value);
      values.set(key, known);
    } catch (problem) {
      if (!(problem instanceof UrlProblem)) throw problem;
    }
  }
  return values;
}
