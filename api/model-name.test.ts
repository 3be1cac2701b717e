import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatModelName, parseModelName } from "./model-name.ts";

const HOST = "ollaya.dev";

function canonical(text: string, defaultHost = HOST): string {
  const parsed = parseModelName(text, defaultHost);
  return parsed.ok ? formatModelName(parsed.name, defaultHost) : `refused: ${parsed.error}`;
}

describe("H20: a model name has one normal form", () => {
  test.each([
    ["laya:en", "laya:en"],
    ["library/laya:en", "laya:en"],
    ["ollaya.dev/laya:en", "laya:en"],
    ["ollaya.dev/library/laya:en", "laya:en"],
    ["team/laya:en", "team/laya:en"],
    ["ollaya.dev/team/laya:en", "team/laya:en"],
    ["registry.internal:5000/laya:en", "registry.internal:5000/library/laya:en"],
    ["registry.internal:5000/library/laya:en", "registry.internal:5000/library/laya:en"],
    ["registry.internal:5000/team/laya:en", "registry.internal:5000/team/laya:en"],
    ["localhost/laya:en", "localhost/library/laya:en"],
    ["registry/team/laya:en", "registry/team/laya:en"],
    // A namespace that looks like a host must not become one the second time.
    ["ollaya.dev/a.b/laya:en", "ollaya.dev/a.b/laya:en"],
    ["ollaya.dev/localhost/laya:en", "ollaya.dev/localhost/laya:en"],
    ["Ollaya.dev/library/laya:en", "Ollaya.dev/library/laya:en"],
    ["laya:q4_k_m", "laya:q4_k_m"],
  ])("%s is %s, once and twice", (text, form) => {
    expect(canonical(text)).toBe(form);
    expect(canonical(form)).toBe(form);
  });

  test("a name without a host means the default registry, port and all", () => {
    const parsed = parseModelName("laya:en", "registry.internal:5000");
    expect(parsed).toEqual({
      ok: true,
      name: {
        host: "registry.internal:5000",
        namespace: "library",
        model: "laya",
        tag: "en",
      },
    });
    expect(canonical("registry.internal:5000/laya:en", "registry.internal:5000")).toBe("laya:en");
  });

  test.each([
    ["laya", "an explicit :tag is needed"],
    ["registry.internal:5000/laya", "an explicit :tag is needed"],
    ["ollaya.dev/library/laya", "an explicit :tag is needed"],
    ["", "an explicit :tag is needed"],
    ["laya:", 'its tag ""'],
    [":en", 'its model ""'],
    ["laya:en:2", 'its tag "en:2"'],
    ["laya@sha256:aa", "spec.digest pins a model"],
    ["LAYA:en ", "white space"],
    ["LAYA:en", 'its model "LAYA"'],
    ["laya:EN", 'its tag "EN"'],
    ["../laya:en", '".." is no host'],
    ["team/../laya:en", 'its namespace ".."'],
    ["/laya:en", 'its namespace ""'],
    ["a//laya:en", 'its namespace ""'],
    ["a/b/c/laya:en", "too many slashes"],
    ["a.b/c/d/laya:en", "too many slashes"],
    ["http://ollaya.dev/laya:en", "leave the scheme out"],
    ["user:word/team/laya:en", '"user:word" is no host'],
    [`${"a".repeat(81)}:en`, "must have 1 to 80 characters"],
  ])("%j is refused", (text, reason) => {
    const parsed = parseModelName(text, HOST);
    expect(parsed.ok ? "accepted" : parsed.error).toContain(reason);
  });

  test("whatever is accepted has a normal form that is its own", () => {
    const part = fc.stringMatching(/^[a-z0-9_.:-]{1,6}$/);
    const text = fc
      .tuple(
        fc.array(fc.oneof(part, fc.constantFrom("library", HOST)), { maxLength: 2 }),
        part,
        part,
      )
      .map(([before, model, tag]) => [...before, `${model}:${tag}`].join("/"));
    fc.assert(
      fc.property(text, (given) => {
        const parsed = parseModelName(given, HOST);
        if (!parsed.ok) return;
        const form = formatModelName(parsed.name, HOST);
        expect(parseModelName(form, HOST)).toEqual(parsed);
      }),
      { seed: 20, numRuns: 3000 },
    );
  });
});
