import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shuffleFields } from "../../test/support/fleet-generate.ts";
import { createDeviceCatalogue } from "./devices.ts";

const GIB = 2 ** 30;
const gpu = {
  claim: "DRA",
  driver: "gpu.nvidia.com",
  deviceClassName: "gpu.nvidia.com",
  count: 8,
  attributes: { productName: { string: "NVIDIA H200" }, driverVersion: { version: "580.65.6" } },
  capacity: { memory: { value: "141Gi" } },
};

const profile = (...devices: readonly unknown[]) => createDeviceCatalogue().profile(devices);

describe("a device of a pool", () => {
  test("is what its class says", () => {
    const { driver, attributes, capacity, ...claimed } = gpu;
    expect(profile(gpu)).toStrictEqual({
      devices: [
        {
          claim: "DRA",
          deviceClassName: claimed.deviceClassName,
          count: 8,
          device: { driver, attributes, capacity },
        },
      ],
      memory: 8 * 141 * GIB,
    });
  });

  test.each([
    ["absent", undefined, 0],
    ["null", null, 0],
    ["negative", -8, 0],
    ["text", "8", 0],
    ["a fraction", 2.5, 2],
  ])("has the count that is certain where it is %s", (_, count, expected) => {
    expect(profile({ ...gpu, count }).devices.map((device) => device.count)).toEqual([expected]);
  });

  test.each([
    ["it is no object", "gpu"],
    ["it has no driver", { ...gpu, driver: undefined }],
    ["it is claimed by no class", { ...gpu, deviceClassName: "" }],
    ["it is claimed in a way that nobody knows", { ...gpu, claim: "Lease" }],
  ])("takes nobody in where %s, and spoils no other", (_, entry) => {
    expect(profile(entry, gpu)).toStrictEqual(profile(gpu));
  });

  test("has no class where it is synthetic", () => {
    const [device] = profile({ ...gpu, claim: "Synthetic" }).devices;
    expect(device).toMatchObject({ claim: "Synthetic", deviceClassName: "" });
  });

  test.each([
    ["a string", { string: "a" }, { string: "a" }],
    ["a version", { version: "1.0.0" }, { version: "1.0.0" }],
    ["an integer", { int: 400 }, { int: 400 }],
    ["a boolean", { bool: false }, { bool: false }],
    ["of a wrong type", { string: 5 }, {}],
    ["no object", "a", {}],
    ["nothing", null, {}],
  ])("has an attribute that is %s, or one that is an error for who reads it", (_, value, seen) => {
    const [found] = profile({ ...gpu, attributes: { a: value } }).devices;
    expect(found?.device.attributes).toStrictEqual({ a: seen });
  });

  test.each([
    ["141Gi", 8 * 141 * GIB],
    ["-1Gi", 0],
    ["10Mo", 0],
    [undefined, 0],
  ])("with memory %s adds what is certain", (value, memory) => {
    expect(profile({ ...gpu, capacity: { memory: { value } } }).memory).toBe(memory);
    const qualified = { ...gpu, capacity: { "gpu.nvidia.com/memory": { value } } };
    expect(profile(qualified).memory).toBe(memory);
  });

  test.each([undefined, null, "devices", {}, []])("is nowhere in %j", (list) => {
    expect(createDeviceCatalogue().profile(list)).toStrictEqual({ devices: [], memory: 0 });
  });
});

describe("a catalogue", () => {
  const order = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));
  const lists = fc.array(
    fc.record({
      claim: fc.constantFrom("DRA", "Synthetic"),
      driver: fc.constantFrom("a.example", "b.example"),
      deviceClassName: fc.constant("a.example"),
      count: fc.integer({ min: 0, max: 3 }),
      attributes: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.record({ int: fc.nat(2) })),
    }),
    { maxLength: 3 },
  );

  test("gives equal lists one profile, whatever the order of their fields", () => {
    fc.assert(
      fc.property(lists, order, (list, numbers) => {
        const catalogue = createDeviceCatalogue();
        const shuffled = shuffleFields(list, () => numbers.next().value);
        expect(catalogue.profile(shuffled)).toBe(catalogue.profile(list));
      }),
      { seed: 5 },
    );
  });

  test("answers as an empty one does, whatever it has seen and however little it remembers", () => {
    fc.assert(
      fc.property(fc.array(lists), fc.constantFrom(1, 200, 8_000_000), (seen, mostText) => {
        const catalogue = createDeviceCatalogue(mostText);
        for (const list of seen) {
          expect(catalogue.profile(list)).toStrictEqual(createDeviceCatalogue().profile(list));
        }
      }),
      { seed: 6 },
    );
  });
});
