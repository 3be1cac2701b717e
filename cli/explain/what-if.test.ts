import { describe, expect, test } from "vitest";
import { cluster, demand, engine, pool, scene } from "../../test/support/fleet.ts";
import { applyWhatIf, parseWhatIf, type WhatIf } from "./what-if.ts";

describe("a change", () => {
  test.each([
    ["add-cluster=new/rome.yaml", { type: "add-cluster", file: "new/rome.yaml" }],
    ["drain=paris", { type: "drain", cluster: "paris" }],
    ["replicas=0", { type: "replicas", replicas: 0 }],
    ["replicas=100", { type: "replicas", replicas: 100 }],
    ["copies=main:4", { type: "copies", engine: "main", copies: 4 }],
    ["price=paris/gpu:2", price("paris", "gpu", 20_000)],
    ["price=paris/gpu:0.05", price("paris", "gpu", 500)],
    ["price=paris/gpu:12.3456", price("paris", "gpu", 123_456)],
  ])("%s is understood", (text, expected) => {
    expect(parseWhatIf(text)).toEqual(expected);
  });

  test.each([
    ["", "is none of add-cluster=FILE, drain=CLUSTER"],
    ["toString=1", "is none of"],
    ["drain", "write it as drain=CLUSTER"],
    ["drain=", "write it as drain=CLUSTER"],
    ["replicas=101", "give whole replicas from 0 to 100"],
    ["replicas=-1", "give whole replicas from 0 to 100"],
    ["replicas=1.5", "give whole replicas from 0 to 100"],
    ["copies=main", "write it as copies=ENGINE:N"],
    ["copies=main:0", "with whole copies from 1 to 64"],
    ["copies=:2", "write it as copies=ENGINE:N"],
    ["price=paris:2", "write it as price=CLUSTER/POOL:0.00"],
    ["price=paris/gpu:-1", "write it as price=CLUSTER/POOL:0.00"],
    ["price=paris/gpu:1.00001", "with at most four decimals"],
  ])("%j is refused with what to write", (text, message) => {
    expect(parseWhatIf(text)).toContain(message);
    expect(parseWhatIf(text)).toContain(`--what-if "${text}": `);
  });
});

function price(name: string, at: string, costPerNodeHour: number): WhatIf {
  return { type: "price", cluster: name, pool: at, costPerNodeHour };
}

describe("a snapshot after", () => {
  const before = scene(demand(2, { engines: [engine(), engine("other")] }), [
    cluster("oslo"),
    cluster("paris", [pool("gpu", 4), pool("cpu", 2)]),
  ]);
  const changed = (change: WhatIf) => {
    const found = applyWhatIf(before, change);
    if (typeof found === "string") throw new Error(found);
    return found;
  };

  test("a drain has a taint that nobody tolerates by its key", () => {
    const [oslo, paris] = changed({ type: "drain", cluster: "paris" }).clusters;
    expect(oslo?.taints).toEqual([]);
    expect(paris?.taints).toMatchObject([{ effect: "NoExecute" }]);
  });

  test("a price differs in that pool alone", () => {
    const [, paris] = changed(price("paris", "cpu", 500)).clusters;
    expect(paris?.pools?.map((one) => one.costPerNodeHour)).toEqual([undefined, 500]);
  });

  test("replicas and copies differ in those", () => {
    expect(changed({ type: "replicas", replicas: 7 }).demand).toEqual({
      ...before.demand,
      replicas: 7,
    });
    const { engines } = changed({ type: "copies", engine: "other", copies: 3 }).demand;
    expect(engines.map(({ copies }) => copies)).toEqual([1, 3]);
  });

  test.each([
    [{ type: "drain", cluster: "rome" }, 'no InferenceCluster "rome"', '"oslo", "paris"'],
    [price("rome", "gpu", 1), 'no InferenceCluster "rome"', '"oslo", "paris"'],
    [price("paris", "tpu", 1), 'publishes no pool "tpu"', '"gpu", "cpu"'],
    [{ type: "copies", engine: "x", copies: 1 }, 'no engine "x"', '"main", "other"'],
  ] as const)("a change of what is not there says what is", (change, missing, known) => {
    expect(applyWhatIf(before, change)).toContain(missing);
    expect(applyWhatIf(before, change)).toContain(`only ${known}`);
  });
});
