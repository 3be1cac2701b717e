const LETTER_OR_SYMBOL = "[a-zA-Z0-9\\p{S}\\p{L}]";

/**
 * Whether a text is a host name as the API server's format `hostname` has it: letters and symbols
 * of any script, at most 255 bytes, of labels of at most 63 bytes.
 */
export function isHostname(text: string): boolean {
  if (text.length > 255 || Buffer.byteLength(text) > 255) return false;
  const labels = text.split(".");
  if (labels.some((label) => Buffer.byteLength(label) > 63)) return false;
  const single = new RegExp(`^${LETTER_OR_SYMBOL}(-?${LETTER_OR_SYMBOL}{0,62})?$`, "u");
  if (labels.length === 1) return single.test(text);
  const inner = new RegExp(
    `^${LETTER_OR_SYMBOL}([a-zA-Z0-9\\p{S}\\p{L}-]{0,61}${LETTER_OR_SYMBOL})?$`,
    "u",
  );
  const last = labels.at(-1) ?? "";
  return /^[a-zA-Z\p{L}]{2,63}$/u.test(last) && labels.slice(0, -1).every((one) => inner.test(one));
}

/** Whether a text is an IPv4 address, an IPv4-mapped IPv6 address included; leading zeros pass. */
export function isIpv4(text: string): boolean {
  return text.includes(".") && (isDottedQuad(text, true) || isIpv6Address(text, true));
}

/** Whether a text is an address of either kind, written without leading zeros in its decimal parts. */
export function isIpAddress(text: string): boolean {
  return isDottedQuad(text, false) || isIpv6Address(text, false);
}

/** Whether a text is an IPv6 address without a zone. */
export function isIpv6(text: string): boolean {
  return text.includes(":") && isIpv6Address(text, false);
}

/** Whether a text is an address and the length of a prefix; leading zeros pass. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const length = text.slice(slash + 1);
  if (!/^\d{1,6}$/.test(length)) return false;
  if (isDottedQuad(address, true)) return Number(length) <= 32;
  return isIpv6Address(address, true) && Number(length) <= 128;
}

function isDottedQuad(text: string, leadingZeros: boolean): boolean {
  const parts = text.split(".");
  return (
    parts.length === 4 &&
    parts.every(
      (part) =>
        /^\d+$/.test(part) &&
        (leadingZeros || part === "0" || !part.startsWith("0")) &&
        Number(part) <= 255,
    )
  );
}

function isIpv6Address(text: string, leadingZeros: boolean): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const [head = "", tail] = halves;
  const groups = (half: string) => (half === "" ? [] : half.split(":"));
  const all = [...groups(head), ...groups(tail ?? "")];
  const last = all.at(-1);
  let count = all.length;
  // The last 32 bits may be written as an IPv4 address, if that is where the text ends.
  if (last?.includes(".")) {
    if (!text.endsWith(last) || !isDottedQuad(last, leadingZeros)) return false;
    all.pop();
    count += 1;
  }
  const group = leadingZeros ? /^0*[0-9a-fA-F]{1,4}$/ : /^[0-9a-fA-F]{1,4}$/;
  if (!all.every((one) => group.test(one))) return false;
  return tail === undefined ? count === 8 : count <= 7;
}

/** Whether a text is a MAC address of 6, 8 or 20 bytes with colons, dashes, dots or nothing between. */
export function isMac(text: string): boolean {
  const pairs = /^[0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(\1[0-9a-fA-F]{2})*$/.test(text);
  const quads = /^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+$/.test(text);
  const plain = /^[0-9a-fA-F]+$/.test(text);
  const digits = text.replace(/[:.-]/g, "").length;
  return (pairs || quads || plain) && [12, 16, 40].includes(digits);
}
