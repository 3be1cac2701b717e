import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  childName,
  isDnsLabel,
  isLabelValue,
  isPortName,
  labelValue,
  serviceName,
  suffixedName,
} from "./names.ts";

describe("childName", () => {
  test.each([
    [["r", "main"], "r-main-bb4e3"],
    [["test-replica", "main"], "test-replica-main-6b608"],
    [["r", "main", "standalone", "devices"], "r-main-standalone-devices-f456f"],
    [["r", "main", "leader", "devices"], "r-main-leader-devices-f58c6"],
    [["r", "main", "worker", "devices"], "r-main-worker-devices-99b8a"],
    [["modelcache", "ml-team", "qwen"], "modelcache-ml-team-qwen-17db2"],
    [["mp", "ml-team"], "mp-ml-team-51733"],
    [["mp", "a".repeat(63)], `mp-${"a".repeat(54)}-38bfb`],
  ])("%j is %s", (parts, name) => {
    expect(childName(parts)).toBe(name);
  });

  const long = "team-recommendations-personalised-ranking-large-language-model";
  test("names that differ beyond the cut stay distinct", () => {
    expect(childName([`${long}-a`, "main"])).not.toBe(childName([`${long}-b`, "main"]));
  });

  test("a cut on a dash or a dot leaves neither at the end", () => {
    const name = childName([`${"a".repeat(55)}--x.v2`]);
    expect(name).toMatch(/^a{55}-[0-9a-f]{5}$/);
  });

  test("a name that no DNS label can hold is sanitised and keeps its own hash", () => {
    expect(childName(["r", "My_Engine"])).toMatch(/^r-my-engine-[0-9a-f]{5}$/);
    expect(childName(["r", "My_Engine"])).not.toBe(childName(["r", "my-engine"]));
    expect(isDnsLabel(childName(["-"]))).toBe(true);
    expect(isDnsLabel(childName(["😀".repeat(63)]))).toBe(true);
  });

  test("every input gives a DNS label within the limit", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 24, max: 63 }),
        (parts, limit) => {
          const name = childName(parts, limit);
          expect(name.length).toBeLessThanOrEqual(limit);
          expect(isDnsLabel(name)).toBe(true);
        },
      ),
    );
  });
});

describe("suffixedName and serviceName", () => {
  test.each([
    ["chat", "epp", "chat-epp"],
    ["chat", undefined, "chat"],
    ["7b-chat", "pool", "7b-chat-pool"],
    ["a".repeat(59), "epp", `${"a".repeat(59)}-epp`],
  ])("%s and %s is %s", (name, suffix, expected) => {
    expect(suffixedName(name, suffix)).toBe(expected);
  });

  test.each([["a".repeat(60)], ["7b-chat"], ["qwen.v2"], ["7b.v2"]])(
    "%s names a Service all the same",
    (name) => {
      expect(serviceName(name, "epp")).toMatch(/^[a-z][-a-z0-9]{0,61}[a-z0-9]$/);
    },
  );

  test("long names that differ in the last character stay distinct", () => {
    expect(suffixedName(`${"a".repeat(62)}b`, "epp")).not.toBe(
      suffixedName(`${"a".repeat(62)}c`, "epp"),
    );
  });
});

describe("labelValue", () => {
  test("keeps what Kubernetes takes", () => {
    expect(labelValue("My_Engine")).toBe("My_Engine");
    expect(labelValue("qwen.v2")).toBe("qwen.v2");
  });

  test("makes a label value of anything", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
        expect(isLabelValue(labelValue(text))).toBe(true);
      }),
    );
  });
});

describe("isPortName", () => {
  test.each([
    ["http", true],
    ["a-1", true],
    ["123", false],
    ["a--b", false],
    ["", false],
    ["8000", false],
    ["-a", false],
    ["sixteen-letters-", false],
  ])("%s: %s", (name, valid) => {
    expect(isPortName(name)).toBe(valid);
  });
});
