import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Device, DeviceSelectors, matchDevice } from "./device.ts";

const selectors = new DeviceSelectors();
const gpu: Device = {
  driver: "gpu.nvidia.com",
  attributes: {
    architecture: { string: "Hopper" },
    productName: { string: "NVIDIA H100 😀" },
    driverVersion: { version: "550.1.0" },
    "other.io/index": { int: 3 },
    mig: { bool: false },
  },
  capacity: { memory: { value: "80Gi" } },
};

/** What Kubernetes' own compiler and evaluator made of an expression on the device above. */
interface Recorded {
  readonly expression: string;
  /** `value`: it compiled and gave one; `failed`: its evaluation failed; `refused`: it did not compile. */
  readonly result: "value" | "failed" | "refused";
  readonly value?: boolean;
}

// Recorded with k8s.io/dynamic-resource-allocation/cel v0.37.2.
const recorded = readFileSync(
  new URL("../test/verdicts/device-selectors.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

describe("selectors as Kubernetes judges them", () => {
  it.each(recorded.map((one) => [one.expression, one] as const))("%s", (expression, one) => {
    const compiled = selectors.compile(expression);
    if (one.result === "refused") {
      expect(compiled).toMatchObject({ ok: false });
      expect(compiled).not.toHaveProperty("unjudged");
      return;
    }
    // What is stored already is evaluated whatever it may cost.
    const stored =
      !compiled.ok && compiled.stage === "estimate" ? selectors.compileAny(expression) : compiled;
    if (!stored.ok) throw new Error(stored.message);
    const match = matchDevice(stored.program, gpu);
    if (one.result === "value") expect(match).toEqual({ ok: true, matches: one.value });
    else expect(match.ok).toBe(false);
  });
});

describe("DeviceSelectors", () => {
  it.each([
    ["device.driver == 'a' &&", 23],
    ["true && device.nope", 14],
    ["true && other", 8],
    ["true || device.driver.matches('(?=a)')", 30],
    ["true || foo()", 11],
  ])("points into %j", (expression, position) => {
    expect(selectors.compile(expression)).toMatchObject({ ok: false, position });
  });

  it("takes 10,240 bytes and no more", () => {
    const ofLength = (bytes: number) => `true || '${"é".repeat((bytes - 16) / 2)}' == ''`;
    const limit = ofLength(10_240);
    expect(Buffer.byteLength(limit)).toBe(10_240);
    expect(selectors.compile(limit).ok).toBe(true);
    expect(selectors.compile(ofLength(10_242))).toMatchObject({
      ok: false,
      message: "the expression is longer than 10240 bytes",
    });
  });

  it("refuses what may cost more than the API server takes, though it compiles", () => {
    const digits = "[0,1,2,3,4,5,6,7,8,9]";
    const nested = (depth: number): string =>
      depth === 0 ? "true" : `${digits}.all(x${depth}, ${nested(depth - 1)})`;
    expect(selectors.compile(nested(4)).ok).toBe(true);
    const costly = selectors.compile(nested(6));
    expect(costly).toMatchObject({ ok: false, stage: "estimate", issues: [] });
    expect(costly.ok || costly.message).toMatch(
      /^too complex, exceeds cost limit: one device may take \d{7,} of at most 1000000 units/,
    );
  });

  it.each([
    "(".repeat(5000),
    "!".repeat(10_000),
    `${"[".repeat(3000)}`,
    `a${".b".repeat(5000)}`,
    "\u0000",
    "'",
    "true".repeat(2000),
  ])("refuses hostile text without a throw: %.10s…", (expression) => {
    expect(selectors.compile(expression).ok).toBe(false);
  });
});

describe("matchDevice", () => {
  const match = (expression: string, device: Device) => {
    const compiled = selectors.compileAny(expression);
    if (!compiled.ok) throw new Error(compiled.message);
    return matchDevice(compiled.program, device);
  };

  it("stops what runs for too long", () => {
    const list = `[${Array.from({ length: 200 }, (_, index) => index).join(",")}]`;
    const triple = `${list}.all(a, ${list}.all(b, ${list}.all(c, a + b + c >= 0)))`;
    expect(match(triple, gpu)).toEqual({
      ok: false,
      message: expect.stringMatching(/actual cost limit exceeded|stopped here after/),
    });
    // The stop sticks, although || absorbs errors.
    expect(match(`${triple} || true`, gpu).ok).toBe(false);
  });

  it("stops strings from doubling without end", () => {
    let expression = "a.size() > 0";
    for (let times = 0; times < 40; times += 1) expression = `cel.bind(a, a + a, ${expression})`;
    expect(match(`cel.bind(a, device.driver, ${expression})`, gpu).ok).toBe(false);
  });

  const UNSUPPORTED = "attribute a: unsupported attribute value";
  it.each([
    [{ attributes: { a: {} } }, "attributes", UNSUPPORTED],
    [{ attributes: { a: { int: 1.5 } } }, "attributes", UNSUPPORTED],
    [{ attributes: { a: { version: "9.0" } } }, "attributes", UNSUPPORTED],
    [{ attributes: { a: { versions: ["9.0.0", "9"] } } }, "attributes", UNSUPPORTED],
    [{ capacity: { a: { value: "10Mo" } } }, "capacity", "capacity a: quantities must match"],
  ] as const)("lets a malformed value fail only what reads it: %j", (broken, field, message) => {
    const device: Device = {
      driver: "d",
      ...broken,
      [field]: { ...("capacity" in broken ? broken.capacity : broken.attributes), b: fine[field] },
    };
    const failure = { ok: false, message: expect.stringContaining(message) };
    const value = `device.${field}["d"]`;
    expect(match(`${value}.a == ${value}.b`, device)).toEqual(failure);
    expect(match(`!(${value}.a == ${value}.b)`, device)).toEqual(failure);
    expect(match(`type(${value}.a) == int`, device)).toEqual(failure);
    expect(match(`${value}.exists(k, ${value}[k] == ${value}.a)`, device)).toEqual(failure);
    expect(match(`${value} == ${value}`, device)).toEqual(failure);
    expect(match(`has(${value}.a)`, device)).toEqual(failure);
    for (const expression of [
      'device.driver == "d"',
      `has(${value}.b) && !has(${value}.c)`,
      `${value}.size() == 2`,
      `${value}.b == ${value}.b`,
    ]) {
      expect(match(expression, device), expression).toEqual({ ok: true, matches: true });
    }
  });
  const fine = { attributes: { int: 1 }, capacity: { value: "1Gi" } };

  it("reaches no prototype", () => {
    const hostile = JSON.parse('{"__proto__":{"string":"x"},"constructor":{"string":"y"}}');
    const device: Device = { driver: "d", attributes: hostile };
    expect(match("device.attributes['d'].constructor == 'y'", device)).toEqual({
      ok: true,
      matches: true,
    });
    expect(match("has(device.attributes['d'].toString)", device)).toEqual({
      ok: true,
      matches: false,
    });
  });
});

// What people paste from guides and manifests, and what it must come to.
describe("selector idioms", () => {
  const device: Device = {
    driver: "gpu.nvidia.com",
    attributes: {
      type: { string: "gpu" },
      productName: { string: "NVIDIA H100 80GB HBM3" },
      architecture: { string: "Hopper" },
      cudaComputeCapability: { version: "9.0.0" },
      driverVersion: { version: "570.86.15" },
      index: { int: 0 },
      "resource.kubernetes.io/pcieRoot": { string: "pci0000:a0" },
      tag: { string: `${"a".repeat(40)}!` },
    },
    capacity: { memory: { value: "81559Mi" } },
  };
  const GPU = 'device.attributes["gpu.nvidia.com"]';

  it.each([
    ['device.driver == "gpu.nvidia.com"', true],
    ["device.attributes['gpu.nvidia.com'].productName.lowerAscii().matches('^.*h100.*$')", true],
    [`cel.bind(g, ${GPU}, g.architecture == "Hopper" && g.type == "gpu")`, true],
    [`"gpu.nvidia.com" in device.attributes && has(${GPU}.profile)`, false],
    [`${GPU}.cudaComputeCapability.compareTo(semver("9.0.0")) >= 0`, true],
    [`${GPU}.driverVersion.isLessThan(semver("580.0.0"))`, true],
    ['device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("80Gi")) >= 0', false],
    ['device.capacity["gpu.nvidia.com"].memory.isGreaterThan(quantity("40Gi"))', true],
    ['device.attributes["resource.kubernetes.io"].pcieRoot == "pci0000:a0"', true],
    [`${GPU}.index == 0`, true],
    [`${GPU}.index == 0\n`, true],
    [`${GPU}.productName`, "failed"],
    ['"5"', "refused"],
    ['quantity("8Ei") == quantity("10Ei") && quantity("10Ei") == quantity("100Ei")', true],
    ['semver("v01.01", true) == semver("1.1.0")', true],
    ['isSemver(" 1.0.0", true)', false],
    [`${GPU}.profile == '1g.10gb'`, "failed"],
    [`${GPU}.productName.matches("(?i)h[12]00")`, true],
    [`${GPU}.productName.matches("H100")`, true],
    [`${GPU}.productName.matches("^(?=NVIDIA).*")`, "refused"],
    [`${GPU}.tag.matches("^(a+)+$")`, false],
    [`${GPU}.sharing == "mps"`, "failed"],
    [`!(${GPU}.sharing == "mps")`, "failed"],
    [`has(${GPU}.sharing) && ${GPU}.sharing == "mps"`, false],
    ['"fpga.example.org" in device.attributes', false],
    ['device.attributes["fpga.example.org"].kind == "x"', "failed"],
    [`${GPU}.constructor == "x"`, "failed"],
  ])("%s: %s", (expression, expected) => {
    const compiled = selectors.compile(expression);
    if (!compiled.ok) expect("refused").toBe(expected);
    else {
      const found = matchDevice(compiled.program, device);
      expect(found.ok ? found.matches : "failed").toBe(expected);
    }
  });
});

it("does not compile what patterns grow to together, and says that it can't judge", () => {
  const pattern = (n: number) => `device.driver.matches("(a{1,900}|c${n})*")`;
  const many = Array.from({ length: 220 }, (_, n) => pattern(n)).join(" || ");
  expect(selectors.compile(many)).toMatchObject({
    ok: false,
    unjudged: true,
    message: expect.stringMatching(/patterns of this expression are too large together/),
  });
  expect(selectors.compile(pattern(0)).ok).toBe(true);
});
