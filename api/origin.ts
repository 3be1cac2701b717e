import { formatAddress, parseAddress } from "../cel/libraries/networks.ts";
import { isDnsLabel, isDnsSubdomain } from "../kube/names.ts";

/** Where a server is reached, taken apart. */
export interface Origin {
  readonly scheme: "http" | "https";
  /** As an EndpointSlice calls what `host` is. */
  readonly addressType: "IPv4" | "IPv6" | "FQDN";
  /** In lower case, an IPv6 address in its shortest form and without brackets. */
  readonly host: string;
  /** 1 to 65535, the scheme's own where the text says none. */
  readonly port: number;
  /** What follows the port, empty or from the first slash on. */
  readonly path: string;
}

/** An origin, or what is wrong with the text and what to write instead. */
export type ParsedOrigin =
  | { readonly ok: true; readonly origin: Origin }
  | { readonly ok: false; readonly error: string };

const DEFAULT_PORT = { http: 80, https: 443 } as const;

/**
 * Takes `http://` or `https://`, a host and perhaps a port and a path apart, as text: the WHATWG
 * parser keeps the brackets of IPv6 addresses, drops default ports, and makes 8.0.0.1 of 010.0.0.1.
 */
export function parseOrigin(text: string): ParsedOrigin {
  const match = /^(https?):\/\/([^/?#]*)(\/[^?#]*)?([?#].*)?$/is.exec(text);
  if (match === null) return wrong("it must begin with http:// or https://");
  const [, letters = "", authority = "", path = "", more] = match;
  if (more !== undefined) return wrong("it must not have a query or a fragment: leave it out");
  if (authority.includes("@")) {
    return wrong("it must not hold a user or password: put an API key into spec.credential");
  }
  const scheme = letters.toLowerCase() === "http" ? "http" : "https";
  const split = /^(\[[^\]]*\]|[^:[]*)(?::([^:]*))?$/s.exec(authority);
  if (split === null) {
    return wrong("it has more than one colon after the scheme: write an IPv6 address in brackets");
  }
  const [, hostText = "", portText] = split;
  const host = parseHost(hostText);
  if (!("host" in host)) return wrong(host.error);
  const port = portText === undefined ? DEFAULT_PORT[scheme] : parsePort(portText);
  if (port === undefined) {
    return wrong(`port ${JSON.stringify(portText)} must be a number from 1 to 65535`);
  }
  return { ok: true, origin: { scheme, ...host, port, path } };
}

type Host = Pick<Origin, "addressType" | "host"> | { readonly error: string };

function parseHost(text: string): Host {
  if (text === "") return { error: "it has no host" };
  if (text.startsWith("[")) {
    const address = parseAddress(text.slice(1, -1));
    if (address?.family !== 6) {
      return { error: `${JSON.stringify(text)} must hold an IPv6 address without a zone` };
    }
    return { addressType: "IPv6", host: formatAddress(address) };
  }
  if (parseAddress(text) !== undefined) return { addressType: "IPv4", host: text };
  const name = text.toLowerCase();
  // Programs differ in what they make of such a name: of 010.0.0.1 some make 8.0.0.1.
  if (/^([0-9]+|0x[0-9a-f]*)$/.test(name.split(".").at(-1) ?? "")) {
    return {
      error: `${JSON.stringify(text)} ends in a number and is no IPv4 address: write four decimal numbers from 0 to 255 without leading zeros`,
    };
  }
  if (!isDnsSubdomain(name) || !name.split(".").every(isDnsLabel)) {
    return {
      error: `${JSON.stringify(text)} is no host name: use letters, digits, dashes and dots, at most 63 characters between two dots`,
    };
  }
  return { addressType: "FQDN", host: name };
}

function parsePort(text: string): number | undefined {
  if (!/^[0-9]{1,5}$/.test(text)) return undefined;
  const port = Number(text);
  return port >= 1 && port <= 65_535 ? port : undefined;
}

function wrong(error: string): ParsedOrigin {
  return { ok: false, error };
}
