import { expect, it } from "vitest";
import { parseUrl, requestUrlProblem } from "./url-text.ts";

// What Go 1.26's net/url answers, with which Kubernetes 1.37 is built.
it.each([
  ["http://[::1]:80/", undefined],
  ["http://[fe80::1%25eth0]/", undefined],
  ["http://[fe80::1%25a%20b]/", undefined],
  ["http://[fe80::1%25%80]/", 'invalid URL escape "%80"'],
  ["x://a:80:90/", undefined],
  ["postgres://a:1,b:2/", undefined],
  ["http://a:80:90/", 'invalid port ":80:90" after host'],
  ["https://::1/", 'invalid port "::1" after host'],
  ["http://[::1]:x", 'invalid port ":x" after host'],
  ["http://a[b]", "invalid IP-literal"],
  ["http://[1.2.3.4]/", "invalid IP-literal"],
  ["http://[::1", "missing ']' in host"],
  ["http://us er@[::1", "missing ']' in host"],
  ["http://us er@a", "net/url: invalid userinfo"],
])("reads the host of %s as Go does", (text, problem) => {
  const whole = problem === undefined ? undefined : `parse ${JSON.stringify(text)}: ${problem}`;
  expect(requestUrlProblem(text)).toBe(whole);
  expect(parseUrl(text).ok).toBe(problem === undefined);
});

it.each(["http://[abc]/", "http://[]/", "http://[::1%25]/"])(
  "refuses %s, which holds no address",
  (text) => {
    expect(requestUrlProblem(text)).toBe(`parse "${text}": invalid host: unable to parse IP`);
  },
);

it("quotes what it refuses as Go does", () => {
  expect(requestUrlProblem("/\u007f")).toBe(
    'parse "/\\x7f": net/url: invalid control character in URL',
  );
});

it("refuses a long address without looking at all of it over and over", () => {
  const text = `http://[:${".".repeat(200_000)}x]/`;
  expect(requestUrlProblem(text)).toContain("invalid host");
});
