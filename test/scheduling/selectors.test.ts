import { describe, expect, test } from "vitest";
import { type Device, DeviceSelectors, matchDevice } from "../../cel/device.ts";

/** Whether a device meets a selector; one that can't be judged is met by none. */
function meets(selector: string, device: Partial<Device>): boolean {
  const compiled = new DeviceSelectors().compile(selector);
  if (!compiled.ok) throw new Error(compiled.message);
  const match = matchDevice(compiled.program, { driver: "gpu.nvidia.com", ...device });
  return match.ok && match.matches;
}

const memory = 'device.capacity["gpu.nvidia.com"].memory';
const sized = (value: string) => ({ capacity: { memory: { value } } });

describe("selectors, by the numbers of upstream's edge cases", () => {
  test.each([
    ["9.0.0", true],
    ["9.0", false],
    ["v9.0.0", false],
  ])("83: a version attribute is strict: %s", (version, expected) => {
    const selector = 'device.attributes["gpu.nvidia.com"].driver.compareTo(semver("8.0.0")) > 0';
    expect(meets(selector, { attributes: { driver: { version } } })).toBe(expected);
  });

  test.each([
    ["10Mi", true],
    ["10Mo", false],
    ["", false],
  ])("84: a capacity is a quantity, or no match: %j", (value, expected) => {
    expect(meets(`${memory}.compareTo(quantity("1Mi")) > 0`, sized(value))).toBe(expected);
  });

  test("84: what is malformed spoils only what reads it", () => {
    const device = { ...sized("10Mo"), attributes: { product: { string: "H200" } } };
    expect(meets('device.attributes["gpu.nvidia.com"].product == "H200"', device)).toBe(true);
  });

  test("85: an unknown domain is not in the attributes, and empty", () => {
    expect(meets('"fpga.example.org" in device.attributes', {})).toBe(false);
    expect(meets('!("x" in device.attributes["fpga.example.org"])', {})).toBe(true);
  });

  test("86: a selector that is no boolean does not compile", () => {
    expect(new DeviceSelectors().compile('"5"')).toMatchObject({ ok: false });
  });

  test("87: quantities beyond 64 bits are as large as they get", () => {
    for (const [left, right] of [
      ["8Ei", "10Ei"],
      ["10Ei", "100Ei"],
    ] as const) {
      expect(meets(`${memory}.compareTo(quantity("${right}")) == 0`, sized(left))).toBe(true);
    }
  });

  test("88: normalising takes leading zeros and a v, and no spaces", () => {
    const normal = (text: string) => `isSemver(${JSON.stringify(text)}, true)`;
    expect(meets('semver("v01.01", true).compareTo(semver("1.1.0")) == 0', {})).toBe(true);
    expect(meets(`!${normal(" 1.0.0")}`, {})).toBe(true);
  });
});
