import { describe, expect, it, test } from "vitest";
import { type Case, decodeDataset, MOST_DATASET_BYTES } from "./dataset.ts";
import { ratio } from "./fraction.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const line = (state: string, expected: unknown = { q: "billing" }) =>
  JSON.stringify({ state, questions: { q: { type: "choice" } }, expected });

function casesOf(data: string | Uint8Array, maxCases = 500): readonly Case[] {
  const decoded = decodeDataset(typeof data === "string" ? encode(data) : data, maxCases);
  if (!decoded.ok) throw new Error(decoded.problems.join("\n"));
  return decoded.dataset.cases;
}

function problemsOf(data: string | Uint8Array, maxCases = 500): readonly string[] {
  const decoded = decodeDataset(typeof data === "string" ? encode(data) : data, maxCases);
  return decoded.ok ? [] : decoded.problems;
}

test("a case keeps what is sent as it was written, and sorts what is expected", () => {
  const text =
    '{"tolerance":{"b":0.25},"state" : {"n": 12345678901234567890},"expected":{"b":2.0,"a":true},"questions":{"b":{"criteria":{"10":null,"2":null}}}}';
  expect(casesOf(`\n${text}`)).toEqual([
    {
      line: 2,
      state: '{"n": 12345678901234567890}',
      questions: '{"b":{"criteria":{"10":null,"2":null}}}',
      expectations: [
        { question: "a", expected: true },
        { question: "b", expected: 2, tolerance: ratio(25, 100) },
      ],
    },
  ]);
});

test("a case may lack what the engine alone judges", () => {
  expect(casesOf('{"expected":{"q":null}}')).toEqual([
    {
      line: 1,
      state: undefined,
      questions: undefined,
      expectations: [{ question: "q", expected: null }],
    },
  ]);
});

describe("the slice of a case", () => {
  const sliced = (slice: unknown) => JSON.stringify({ slice, expected: { q: "a" } });
  test.each([
    ["is its text", sliced("de"), "de"],
    ["may be missing", sliced(undefined), undefined],
    ["may be null", sliced(null), undefined],
  ])("%s", (_, text, slice) => {
    expect(casesOf(text).map((one) => one.slice)).toEqual([slice]);
  });

  test.each([
    ["a list", ["hunter2"], "it is a list"],
    ["a number", 7, "it is a number"],
    ["blank", " ", "it is a string"],
  ])("must not be %s", (_, slice, seen) => {
    const problem = `line 1: slice must be a string that is not blank; ${seen}`;
    expect(problemsOf(sliced(slice))).toEqual([problem]);
  });
});

describe("H24: a dataset as people save it", () => {
  test.each([
    ["with a byte order mark", `\ufeff${line("a")}\n${line("b")}\n`, [1, 2]],
    ["with CRLF", `${line("a")}\r\n${line("b")}\r\n`, [1, 2]],
    ["with line and paragraph separators in strings", `${line("x\u2028y\u2029z")}\n`, [1]],
    ["without a last line break", `${line("a")}\n${line("b")}`, [1, 2]],
    ["with blank lines", `\n${line("a")}\n \t\r\n${line("b")}\n\n`, [2, 4]],
    ["with nothing but a mark in the first line", `\ufeff\n${line("a")}\n`, [2]],
    ["with characters beyond the basic plane", line("😀"), [1]],
  ])("%s is read", (_, text, lines) => {
    expect(casesOf(text).map((one) => one.line)).toEqual(lines);
  });

  test.each([
    [
      "two objects on one line",
      `${line("a")}\n{"a":1}{"b":2}`,
      "line 2, column 8: nothing may follow",
    ],
    ["a comment", `${line("a")} // note`, "line 1, column 78: nothing may follow the object"],
    ["old Mac line ends", `${line("a")}\r${line("b")}`, "line 1, column 78: nothing may follow"],
    ["a list", "[1]", "line 1, column 1: an object in braces must stand here"],
    ["columns of characters, not of code units", '{"😀":}', "line 1, column 6: a JSON value"],
    ["bytes that are no UTF-8", Uint8Array.of(0x0a, 0xff, 0xfe), "line 2: it is not UTF-8"],
  ])("%s is refused, with its place", (_, data, problem) => {
    expect(problemsOf(data)).toHaveLength(1);
    expect(problemsOf(data)[0]).toContain(problem);
  });
});

describe("H21: a dataset without a case", () => {
  test.each(["", "\n\n", " \r\n\t", "\ufeff"])("such as %j is refused", (text) => {
    expect(problemsOf(text)).toEqual(["the dataset has no case: write one JSON object per line"]);
  });
});

describe("a case that can't be scored", () => {
  const declared = (type: string, expected: unknown) =>
    JSON.stringify({ state: 1, questions: { q: { type } }, expected: { q: expected } });

  test.each([
    ["no expected", '{"state":1}', "line 1: expected must be an object with at least one"],
    ["an empty expected", '{"expected":{}}', "at least one question; it is empty"],
    ["a list of expected", '{"expected":[1]}', "it is a list"],
    [
      "a tolerance that is no map",
      '{"expected":{"q":1},"tolerance":1}',
      "tolerance must be an object",
    ],
    [
      "a tolerance that is text",
      '{"expected":{"q":1},"tolerance":{"q":"1"}}',
      'tolerance of question "q"',
    ],
    [
      "a tolerance of null",
      '{"expected":{"q":1},"tolerance":{"q":null}}',
      "must be a number; it is null",
    ],
    [
      "a tolerance beyond all bounds",
      '{"expected":{"q":1},"tolerance":{"q":1e999}}',
      "must be a number",
    ],
    [
      "a level with a fraction",
      declared("score", 2.5),
      "a whole number from 0, since the question is a score; it is a number below 0 or with a fraction",
    ],
    ["a negative level", declared("score", -1), "a whole number from 0"],
    ["a level as text", declared("score", "2"), "it is a string"],
    ["a level of null", declared("score", null), "it is null or missing"],
    [
      "a label as number",
      declared("choice", 1),
      "must be a string, since the question is a choice",
    ],
    ["a noul as text", declared("noul", "true"), "must be true or false"],
  ])("with %s is refused", (_, text, problem) => {
    expect(problemsOf(text)[0]).toContain(problem);
  });

  test.each([
    ["2.0 as a level", '{"questions":{"q":{"type":"score"}},"expected":{"q":2.0}}'],
    ["anything where no type is declared", '{"questions":{"q":{}},"expected":{"q":2.5}}'],
    ["anything where the questions are no object", '{"questions":"triage","expected":{"q":null}}'],
    ["anything where the type is unknown", declared("rank", 2.5)],
    ["a type that objects inherit", declared("constructor", 2.5)],
    ["a question that objects inherit", '{"questions":{},"expected":{"constructor":1}}'],
    ["a negative tolerance", '{"expected":{"q":1},"tolerance":{"q":-1}}'],
    ["no tolerance", '{"expected":{"q":1},"tolerance":null}'],
  ])("unlike %s", (_, text) => {
    expect(casesOf(text)).toHaveLength(1);
  });

  it("is named with every other one, and none of their content", () => {
    const text = `${line("a")}\n{"state":"hunter2",\n{"expected":{"q":"hunter2"},"tolerance":"hunter2"}`;
    expect(problemsOf(text)).toEqual([
      "line 2, column 20: a key in double quotes must stand here",
      "line 3: tolerance must be an object of numbers; it is a string",
    ]);
  });

  it("has its long question cut in the message", () => {
    const problem = problemsOf(`{"expected":{"q":1},"tolerance":{"${"q".repeat(1000)}":""}}`)[0];
    expect(problem).toMatch(/question "q{54}-[0-9a-f]{8}"/);
  });
});

describe("the cap", () => {
  const broken = `${line("a")}\n\n${line("b")}\n{broken\n`;

  it("26: leaves later lines unread, whatever they hold", () => {
    expect(casesOf(broken, 2).map((one) => one.line)).toEqual([1, 3]);
    const bytes = Uint8Array.of(...encode(`${line("a")}\n`), 0xff);
    expect(casesOf(bytes, 1)).toHaveLength(1);
  });

  it("27: refuses a bad line within it, by number", () => {
    expect(problemsOf(broken, 3)[0]).toMatch(/^line 4, column 2: /);
  });

  it("H21: may be 1", () => {
    expect(casesOf(broken, 1)).toHaveLength(1);
  });

  it("does not change the digest, which is over all bytes", () => {
    const [one, two] = [1, 2].map((cap) => decodeDataset(encode(broken), cap));
    expect(one?.ok && two?.ok && one.dataset.digest === two.dataset.digest).toBe(true);
  });
});

test("a dataset of exactly 1 MiB is read, and one byte more is refused", () => {
  const [start, end] = ['{"expected":{"q":"', '"}}'];
  const text = `${start}${"x".repeat(MOST_DATASET_BYTES - start.length - end.length)}${end}`;
  expect(casesOf(text)).toHaveLength(1);
  expect(problemsOf(`${text}\n`)).toEqual([
    "the dataset has 1048577 bytes, more than 1048576: leave cases out",
  ]);
});
