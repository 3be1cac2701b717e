import { CidrValue, IpValue } from "../values.ts";
import { CelFailure, type Overload } from "./overload.ts";

type Parsed<Value> = { readonly value: Value } | { readonly error: string };

// An IPv6 address with the last two of its groups in decimal.
const LONGEST_ADDRESS = 45;

/** The address that a text without a zone is, in the strict spelling of Go's `netip.ParseAddr`. */
export function parseAddress(text: string): IpValue | undefined {
  if (text.length > LONGEST_ADDRESS) return undefined;
  if (!text.includes(":")) {
    const bits = parseDotted(text);
    return bits === undefined ? undefined : new IpValue(bits, 4);
  }
  // A dotted tail stands for the last two groups.
  const dotted = /^(.*:)([0-9.]*\.[0-9.]*)$/.exec(text);
  const tail = dotted === null ? undefined : parseDotted(dotted[2] as string);
  if (dotted !== null && tail === undefined) return undefined;
  const groups =
    tail === undefined ? text : `${dotted?.[1]}${hex(tail >> 16n)}:${hex(tail & 0xffffn)}`;
  const bits = parseGroups(groups);
  return bits === undefined ? undefined : new IpValue(bits, 6);
}

const hex = (value: bigint) => value.toString(16);

function parseDotted(text: string): bigint | undefined {
  const parts = text.split(".");
  const valid = parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part));
  if (!valid || parts.some((part) => Number(part) > 255)) return undefined;
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function parseGroups(text: string): bigint | undefined {
  const [head = "", rest, more] = text.split("::");
  if (more !== undefined) return undefined;
  const groupsOf = (part: string) => (part === "" ? [] : part.split(":"));
  const [before, after] = [groupsOf(head), groupsOf(rest ?? "")];
  const missing = 8 - before.length - after.length;
  if (rest === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => "0"), ...after];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

/** The canonical text of an address (RFC 5952). */
export function formatAddress({ bits, family }: IpValue): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((by) => (bits >> by) & 0xffn).join(".");
  const groups = Array.from(
    { length: 8 },
    (_, index) => (bits >> BigInt(112 - 16 * index)) & 0xffffn,
  );
  let [start, length] = [-1, 1];
  for (let from = 0; from < 8; from += 1) {
    let to = from;
    while (to < 8 && groups[to] === 0n) to += 1;
    if (to - from > length) [start, length] = [from, to - from];
  }
  const texts = groups.map(hex);
  if (start < 0) return texts.join(":");
  return `${texts.slice(0, start).join(":")}::${texts.slice(start + length).join(":")}`;
}

/** The text of a network. */
export function formatNetwork({ address, prefixLength }: CidrValue): string {
  return `${formatAddress(address)}/${prefixLength}`;
}

const isMapped = ({ bits, family }: IpValue) => family === 6 && bits >> 32n === 0xffffn;

function parseIp(text: string): Parsed<IpValue> {
  const quoted = JSON.stringify(text);
  const zone = text.indexOf("%");
  const address = parseAddress(zone < 0 ? text : text.slice(0, zone));
  if (address === undefined || (zone >= 0 && address.family === 4) || zone === text.length - 1) {
    return {
      error: `IP Address ${quoted} parse error during conversion from string: unable to parse IP`,
    };
  }
  if (zone >= 0) return { error: `IP address ${quoted} with zone value is not allowed` };
  if (isMapped(address)) return { error: `IPv4-mapped IPv6 address ${quoted} is not allowed` };
  return { value: address };
}

function parseCidr(text: string): Parsed<CidrValue> {
  const slash = text.lastIndexOf("/");
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash));
  const length = text.slice(slash + 1);
  const most = address?.family === 4 ? 32 : 128;
  if (address === undefined || !/^(0|[1-9][0-9]{0,2})$/.test(length) || Number(length) > most) {
    const why = "network address parse error during conversion from string";
    return { error: `${why}: ${why}: netip.ParsePrefix(${JSON.stringify(text)}): unable to parse` };
  }
  if (isMapped(address)) {
    return { error: `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed` };
  }
  return { value: new CidrValue(address, Number(length)) };
}

function orFail<Value>(parsed: Parsed<Value>): Value {
  if ("error" in parsed) throw new CelFailure(parsed.error);
  return parsed.value;
}

const ip = (text: string) => orFail(parseIp(text));
const cidr = (text: string) => orFail(parseCidr(text));

/** The bits of an address that its first so many keep, moved to the right. */
function prefix({ bits, family }: IpValue, length: number): bigint {
  return bits >> BigInt((family === 4 ? 32 : 128) - length);
}

function containsIp(network: CidrValue, address: IpValue): boolean {
  const { address: base, prefixLength } = network;
  return (
    base.family === address.family && prefix(base, prefixLength) === prefix(address, prefixLength)
  );
}

function containsCidr(network: CidrValue, other: CidrValue): boolean {
  return network.prefixLength <= other.prefixLength && containsIp(network, other.address);
}

function masked({ address, prefixLength }: CidrValue): CidrValue {
  const rest = BigInt((address.family === 4 ? 32 : 128) - prefixLength);
  return new CidrValue(new IpValue((address.bits >> rest) << rest, address.family), prefixLength);
}

type Kind = (address: IpValue) => boolean;
const isUnspecified: Kind = ({ bits }) => bits === 0n;
const isLoopback: Kind = (one) => (one.family === 4 ? prefix(one, 8) === 127n : one.bits === 1n);
const isMulticast: Kind = (one) =>
  one.family === 4 ? prefix(one, 4) === 0xen : prefix(one, 8) === 0xffn;
const isLinkLocalMulticast: Kind = (one) =>
  one.family === 4 ? prefix(one, 24) === 0xe00000n : (prefix(one, 16) & 0xff0fn) === 0xff02n;
const isLinkLocalUnicast: Kind = (one) =>
  one.family === 4 ? prefix(one, 16) === 0xa9fen : prefix(one, 10) === 0x3fan;
const isBroadcast: Kind = ({ bits, family }) => family === 4 && bits === 0xffffffffn;
const isGlobalUnicast: Kind = (one) =>
  ![isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast, isBroadcast].some((kind) =>
    kind(one),
  );

/** Addresses and networks of Kubernetes CEL. */
// biome-ignore format: a table
export const networks: readonly Overload[] = [
  ["string_to_ip",               "ip(string): IP",                    ip],
  ["is_ip",                      "isIP(string): bool",                (text: string) => "value" in parseIp(text)],
  ["ip_is_canonical",            "ip.isCanonical(string): bool",      (text: string) => formatAddress(ip(text)) === text],
  ["ip_to_string",               "string(IP): string",                formatAddress],
  ["ip_family",                  "IP->family(): int",                 ({ family }: IpValue) => BigInt(family)],
  ["ip_is_unspecified",          "IP->isUnspecified(): bool",         isUnspecified],
  ["ip_is_loopback",             "IP->isLoopback(): bool",            isLoopback],
  ["ip_is_link_local_multicast", "IP->isLinkLocalMulticast(): bool",  isLinkLocalMulticast],
  ["ip_is_link_local_unicast",   "IP->isLinkLocalUnicast(): bool",    isLinkLocalUnicast],
  ["ip_is_global_unicast",       "IP->isGlobalUnicast(): bool",       isGlobalUnicast],
  ["string_to_cidr",             "cidr(string): CIDR",                cidr],
  ["is_cidr",                    "isCIDR(string): bool",              (text: string) => "value" in parseCidr(text)],
  ["cidr_to_string",             "string(CIDR): string",              formatNetwork],
  ["cidr_contains_ip_string",    "CIDR->containsIP(string): bool",    (network: CidrValue, text: string) => containsIp(network, ip(text))],
  ["cidr_contains_ip_ip",        "CIDR->containsIP(IP): bool",        containsIp],
  ["cidr_contains_cidr_string",  "CIDR->containsCIDR(string): bool",  (network: CidrValue, text: string) => containsCidr(network, cidr(text))],
  ["cidr_contains_cidr",         "CIDR->containsCIDR(CIDR): bool",    containsCidr],
  ["cidr_ip",                    "CIDR->ip(): IP",                    ({ address }: CidrValue) => address],
  ["cidr_prefix_length",         "CIDR->prefixLength(): int",         ({ prefixLength }: CidrValue) => BigInt(prefixLength)],
  ["cidr_masked",                "CIDR->masked(): CIDR",              masked],
];
