import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { scanObject } from "./json-object.ts";

function membersOf(text: string): Record<string, string> {
  const scanned = scanObject(text);
  if (!scanned.ok) throw new Error(`${scanned.at}: ${scanned.problem}`);
  return Object.fromEntries(scanned.members);
}

describe("scanObject", () => {
  test.each([
    ["{}", {}],
    [' \t{ "a" : 1 }\r\n', { a: "1" }],
    ['{"a":{"b":[1,{}]},"c":"}"}', { a: '{"b":[1,{}]}', c: '"}"' }],
    ['{"10":1,"2":[ ],"a":-0.5e+3}', { "10": "1", "2": "[ ]", a: "-0.5e+3" }],
    ['{"a":12345678901234567890}', { a: "12345678901234567890" }],
    ['{"\\u0061\\"":"\\"\\\\"}', { 'a"': '"\\"\\\\"' }],
    ['{"a":1,"a":2}', { a: "2" }],
    ['{"a":"x\u2028y"}', { a: '"x\u2028y"' }],
  ])("keeps the texts of %j", (text, members) => {
    expect(membersOf(text)).toEqual(members);
  });

  test.each([
    ["", 0, "an object"],
    ["  ", 2, "an object"],
    ["[1]", 0, "an object"],
    ['"a"', 0, "an object"],
    ["{", 1, "or a closing brace"],
    ['{"a"}', 4, "a colon"],
    ['{"a" "b"}', 5, "a colon"],
    ['{"a":}', 5, "a JSON value"],
    ['{"a":1,}', 7, "a key in double quotes must"],
    ['{"a":[1,]}', 8, "a JSON value must"],
    ['{"a":[1}', 7, "a comma or"],
    ['{"a":01}', 6, "a comma or"],
    ['{"a":NaN}', 5, "a JSON value"],
    ["{'a':1}", 1, "a key"],
    ['{"a":"b', 5, "not closed"],
    ['{"a":"\\q"}', 5, "escape"],
    ['{"a":"\t"}', 5, "not closed"],
    ['{"a":1}{"b":2}', 7, "nothing may follow"],
    ['{"a":1} // note', 8, "nothing may follow"],
    ['{"a":1} "b', 8, "nothing may follow"],
    ["\u00a0{}", 0, "an object"],
  ])("refuses %j at %i", (text, at, problem) => {
    const scanned = scanObject(text);
    expect(scanned).toMatchObject({ ok: false, at });
    expect(scanned.ok || scanned.problem).toContain(problem);
  });

  it("reads what JSON.parse reads, and nothing else", () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\u0a1-.eE+ tnrfalsu') });
    const texts = fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value, null, 1)),
      fc
        .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), noise)
        .map(([value, at, inserted]) => {
          const text = JSON.stringify(value);
          const place = at % (text.length + 1);
          return text.slice(0, place) + inserted + text.slice(place + (at % 3));
        }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const scanned = scanObject(text);
        let parsed: unknown;
        try {
          parsed = JSON.parse(text);
        } catch {
          expect(scanned.ok).toBe(false);
          return;
        }
        const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
        expect(scanned.ok).toBe(isObject);
        if (!scanned.ok) return;
        const values = [...scanned.members].map(([key, value]) => [key, JSON.parse(value)]);
        expect(Object.fromEntries(values)).toEqual(parsed);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  it("reads a megabyte of brackets, or of escapes", () => {
    const deep = 500_000;
    const brackets = `{"a":${"[".repeat(deep)}${"]".repeat(deep)}}`;
    expect(membersOf(brackets).a).toHaveLength(2 * deep);
    const escapes = `{"a":"${"\\n".repeat(deep)}"}`;
    expect(membersOf(escapes).a).toHaveLength(2 * deep + 2);
  });
});
