import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseOrigin } from "./origin.ts";

describe("parseOrigin", () => {
  test.each([
    ["http://[2001:db8::7]:8000/v1", "http", "IPv6", "2001:db8::7", 8000, "/v1"],
    ["http://10.0.0.5", "http", "IPv4", "10.0.0.5", 80, ""],
    ["https://10.0.0.4:443", "https", "IPv4", "10.0.0.4", 443, ""],
    ["https://API.provider.example/v1", "https", "FQDN", "api.provider.example", 443, "/v1"],
    ["http://h.example:443/", "http", "FQDN", "h.example", 443, "/"],
    ["HTTPS://[2001:DB8:0:0::1]", "https", "IPv6", "2001:db8::1", 443, ""],
    ["http://[::ffff:1.2.3.4]:1", "http", "IPv6", "::ffff:102:304", 1, ""],
    ["https://localhost:65535", "https", "FQDN", "localhost", 65_535, ""],
    ["https://0x.example", "https", "FQDN", "0x.example", 443, ""],
  ])("takes %s apart", (text, scheme, addressType, host, port, path) => {
    const origin = { scheme, addressType, host, port, path };
    expect(parseOrigin(text)).toEqual({ ok: true, origin });
  });

  test.each([
    ["https://h.example:abc", /port "abc"/],
    ["https://h.example:", /port ""/],
    ["https://h.example:0", /port "0"/],
    ["https://h.example:65536", /port "65536"/],
    ["https://h.example:+80", /port "\+80"/],
    ["h.example:8000", /must begin with http:\/\/ or https:\/\//],
    ["ftp://h.example", /must begin with/],
    ["http://010.0.0.1/", /"010.0.0.1" ends in a number and is no IPv4 address/],
    ["http://1.2.3/", /"1.2.3" ends in a number/],
    ["http://2130706433", /ends in a number/],
    ["http://0x7f.0.0.0x1", /ends in a number/],
    ["http://256.0.0.1", /ends in a number/],
    ["http://2001:db8::7", /IPv6 address in brackets/],
    ["http://[2001:db8::7", /IPv6 address in brackets/],
    ["http://[10.0.0.1]", /must hold an IPv6 address/],
    ["http://[fe80::1%25eth0]", /without a zone/],
    ["http://", /has no host/],
    ["http://:80", /has no host/],
    ["http://user:secret@h.example", /spec.credential/],
    ["http://h.example?x=1", /query/],
    ["http://h.example/#a", /fragment/],
    ["http://h_x.example", /no host name/],
    ["http://h.example.", /no host name/],
    ["http://bücher.example", /no host name/],
    [" http://h.example", /must begin with/],
    ["http://h.example\n", /no host name/],
    ["http://h\\evil.example", /no host name/],
  ])("refuses %j", (text, error) => {
    expect(parseOrigin(text)).toEqual({ ok: false, error: expect.stringMatching(error) });
  });

  test("never throws, and takes its own answers apart alike", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), (text) => {
        const parsed = parseOrigin(text);
        if (!parsed.ok) return;
        const { scheme, addressType, host, port, path } = parsed.origin;
        const written = addressType === "IPv6" ? `[${host}]` : host;
        expect(parseOrigin(`${scheme}://${written}:${port}${path}`)).toEqual(parsed);
      }),
      { seed: 16 },
    );
  });
});
