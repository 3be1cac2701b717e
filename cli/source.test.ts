import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FloatLiteral } from "../schema/number.ts";
import { readSource, type SourceDocument } from "./source.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function documents(text: string): readonly SourceDocument[] {
  const source = readSource(bytes(text));
  if (!source.ok) throw new Error(source.message);
  return source.documents;
}
const values = (text: string) => documents(text).map(({ value }) => value);

describe("readSource", () => {
  it.each([
    ["one document", "a: 1\n", [{ a: 1 }]],
    [
      "several, empty ones left out",
      "---\na: 1\n---\n# nothing\n---\nb: 2\n...\n",
      [{ a: 1 }, { b: 2 }],
    ],
    ["JSON, with tabs", '{\n\t"a": [1.0, 2, "3"]\n}', [{ a: [new FloatLiteral(1), 2, "3"] }]],
    ["a byte order mark", "\ufeffa: 1", [{ a: 1 }]],
    ["CRLF", "a: 1\r\nb: |\r\n  x\r\n", [{ a: 1, b: "x\n" }]],
    ["quoted words stay text", "a: 'yes'\nb: \"1\"\nc: yes", [{ a: "yes", b: "1", c: true }]],
    ["tags", "a: !!str 1\nb: !!int '2'", [{ a: "1", b: 2 }]],
    [
      "anchors and merges",
      "a: &x {b: 1, c: 2}\nd: *x\ne: {<<: *x, b: 3}",
      [{ a: { b: 1, c: 2 }, d: { b: 1, c: 2 }, e: { b: 3, c: 2 } }],
    ],
    [
      "a list of mappings to merge",
      "p: &p {a: 1}\nq: &q {a: 2, b: 2}\nr: {<<: [*p, *q]}",
      [{ p: { a: 1 }, q: { a: 2, b: 2 }, r: { a: 1, b: 2 } }],
    ],
    ["the latest of two equal anchors", "a: &x 1\nb: &x 2\nc: *x", [{ a: 1, b: 2, c: 2 }]],
    ["keys that are no text", "yes: 1\n2: b\n", [{ true: 1, "2": "b" }]],
    ["the items of a List", "kind: List\nitems: [{a: 1}, {b: 2}]", [{ a: 1 }, { b: 2 }]],
    ["nothing", "", []],
    ["comments alone", "# nothing\n", []],
  ])("reads %s", (_, text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  it("keeps names that JavaScript knows as own fields", () => {
    const [value] = values("__proto__: {a: 1}\nconstructor: 2") as [object];
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  it.each([
    ["a key that stands twice", "a: 1\nb: 2\na: 3\n", "twice", { line: 3, column: 1 }],
    ["a key that is a mapping", "? {a: 1}\n: 2", "a key must be a string", { line: 1, column: 3 }],
    ["tabs as indentation", "a:\n\tb: 1", "a tab may not indent", { line: 2, column: 1 }],
    ["broken YAML", "a: [1, 2", "", { line: 1, column: 9 }],
    [
      "an indentation that does not fit",
      "a:\n- b\nc\n  d: 1",
      "check the indentation",
      { line: 3, column: 1 },
    ],
    ["a template", "a: {{ .Values.x }}", "render it first", { line: 1, column: 5 }],
    ["an unknown alias", "a: *b", "unknown anchor b", { line: 1, column: 4 }],
    ["an alias to itself", "a: &a [*a]", "contains itself", { line: 1, column: 8 }],
    ["an unknown tag", "a: !foo b", "tag", { line: 1, column: 9 }],
    ["merging a text", "a: {<<: b}", "mappings only", { line: 1, column: 5 }],
  ])("refuses %s, and says where", (_, text, message, place) => {
    expect(readSource(bytes(text))).toEqual({
      ok: false,
      message: expect.stringContaining(message),
      place,
    });
  });

  it("refuses what is no UTF-8, too large or nested too deeply", () => {
    const refusal = (input: Uint8Array) => {
      const source = readSource(input);
      return source.ok ? "read" : source.message;
    };
    expect(refusal(new Uint8Array([0x61, 0x3a, 0x20, 0xff]))).toBe("is not UTF-8 text");
    expect(refusal(new Uint8Array(16 * 1024 * 1024 + 1).fill(0x61))).toBe("is larger than 16 MiB");
    expect(refusal(bytes("[".repeat(20_000)))).toMatch(/nested/);
    expect(refusal(bytes(`${"{a: ".repeat(300)}1${"}".repeat(300)}`))).toMatch(
      /nested deeper than 200/,
    );
  });

  it("bounds what aliases can grow to", () => {
    const levels = "abcdefghi".split("").map((name, level, all) => {
      const inner = level === 0 ? "x" : `*${all[level - 1]}`;
      return `${name}: &${name} [${Array.from({ length: 9 }, () => inner).join(", ")}]`;
    });
    expect(readSource(bytes(levels.join("\n")))).toMatchObject({
      ok: false,
      message: "has aliases that grow too large",
    });
  });
});

it("never throws, whatever the text, and every place lies in the file", () => {
  const fragments = fc.constantFrom(
    "a: ",
    "- ",
    "\n",
    "  ",
    "&x ",
    "*x",
    "<<: ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "'",
    '"',
    "|\n",
    "? ",
    "---\n",
    "!!str ",
    "#",
    "\t",
    "\u0000",
    "😀",
    "1.0",
    "yes",
    "kind: List\nitems:\n",
    "%YAML 1.1\n",
  );
  fc.assert(
    fc.property(fc.array(fragments, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      const source = readSource(bytes(text));
      const lines = text.split("\n").length;
      const places = source.ok ? source.documents.map(({ start }) => start) : [source.place];
      for (const place of places) expect(place?.line ?? 1).toBeLessThanOrEqual(lines);
    }),
    { numRuns: 3000 },
  );
});

describe("locate", () => {
  const text = `# a comment
apiVersion: v1
spec:
  engines:
  - name: a
    copies: 0
  - {name: b}
shared: &shared {port: 1}
other:
  <<: *shared
list: [*shared]
`;
  const [document] = documents(text);

  it.each([
    [["spec"], 3, 1],
    [["spec", "engines"], 4, 3],
    [["spec", "engines", 0], 5, 5],
    [["spec", "engines", 0, "copies"], 6, 5],
    [["spec", "engines", 1, "name"], 7, 6],
    // What is missing is looked for where it should be.
    [["spec", "engines", 1, "members"], 7, 5],
    [["nope", "nor this"], 2, 1],
    [[], 2, 1],
    // Through merges and aliases to what they name.
    [["other", "port"], 8, 18],
    [["list", 0, "port"], 8, 18],
  ] as const)("finds %j", (path, line, column) => {
    expect(document?.locate(path)).toEqual({ line, column });
  });

  it("counts lines from the start of the file in later documents", () => {
    const [, second] = documents("a: 1\n---\nb:\n  c: 2\n");
    expect(second?.start).toEqual({ line: 3, column: 1 });
    expect(second?.locate(["b", "c"])).toEqual({ line: 4, column: 3 });
  });
});
