import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Classified, macroF1 } from "./classification.ts";
import { compare, formatFraction } from "./fraction.ts";

const pairs = (...texts: readonly string[]): readonly Classified[] =>
  texts.map((text) => {
    const [expected = "", predicted] = text.split("=");
    return { expected, predicted };
  });
const times = (count: number, text: string) => Array<string>(count).fill(text);

describe("macroF1", () => {
  test.each([
    ["all right", pairs("a=a", "b=b"), "1.0000"],
    ["all wrong", pairs("a=b", "b=a"), "0.0000"],
    ["nothing", [], "0.0000"],
    [
      "8 billing right and 2 sales called billing",
      pairs(...times(8, "billing=billing"), ...times(2, "sales=billing")),
      "0.4444",
    ],
    ["a class that was only predicted", pairs("a=a", "a=b"), "0.3333"],
    ["a missing answer, which is a class that nothing hits", pairs("a=a", "a"), "0.3333"],
    ["20: a label like any word for a missing answer", pairs("<none>=<none>", "="), "1.0000"],
  ])("of %s", (_, list, text) => {
    expect(formatFraction(macroF1(list))).toBe(text);
  });

  it("20: tells an empty label from a missing answer", () => {
    expect(formatFraction(macroF1([{ expected: "", predicted: undefined }]))).toBe("0.0000");
    expect(formatFraction(macroF1([{ expected: "", predicted: "" }]))).toBe("1.0000");
  });

  const lists = fc.array(
    fc.record({
      expected: fc.constantFrom("a", "b", "c", "constructor"),
      predicted: fc.constantFrom("a", "b", "c", "d", undefined),
    }),
    { maxLength: 50 },
  );

  it("is the mean of 2PR/(P+R) over the classes", () => {
    fc.assert(
      fc.property(lists, (list) => {
        const classes = [...new Set(list.flatMap((one) => [one.expected, one.predicted]))];
        const sum = classes.reduce((total, label) => {
          const hits = list.filter(
            (one) => one.expected === label && one.predicted === label,
          ).length;
          const expected = list.filter((one) => one.expected === label).length;
          const predicted = list.filter((one) => one.predicted === label).length;
          return hits === 0
            ? total
            : total +
                (2 * (hits / predicted) * (hits / expected)) / (hits / predicted + hits / expected);
        }, 0);
        const mean = classes.length === 0 ? 0 : sum / classes.length;
        expect(Number(formatFraction(macroF1(list), 20))).toBeCloseTo(mean, 12);
      }),
      { seed: 1 },
    );
  });

  it("does not depend on the order of the answers", () => {
    const orders = lists.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(orders, ([one, other]) => {
        expect(compare(macroF1(one), macroF1(other))).toBe(0);
      }),
      { seed: 1 },
    );
  });
});
