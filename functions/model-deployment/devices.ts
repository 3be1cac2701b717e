import type { Device, DeviceAttribute } from "../../cel/device.ts";
import { fingerprint, jsonEqual } from "../../kube/canonical.ts";
import { field, isRecord, numberField, stringField } from "../../kube/object.ts";
import { parseQuantity, quantityFloat } from "../../kube/quantity.ts";
import type { DeviceProfile, PoolDevice } from "./scheduling/fleet.ts";

/** Gives equal lists of devices one profile, whatever the order of their fields. */
export interface DeviceCatalogue {
  /** The profile of `status.gpuPools[].devices`; an entry that no pod could claim or ask about is left out. */
  profile(devices: unknown): DeviceProfile;
}

/**
 * The most text that a catalogue remembers, in characters of JSON: thousands of kinds of node. Beyond
 * it the catalogue starts afresh, which costs time and changes no result.
 */
const MOST_TEXT = 8 * 1024 * 1024;

/** Makes an empty catalogue; a handler keeps one, since every reconcile brings the same devices. */
export function createDeviceCatalogue(mostText = MOST_TEXT): DeviceCatalogue {
  const known = new Map<number, { readonly list: unknown; readonly profile: DeviceProfile }>();
  let text = 0;
  return {
    profile(list) {
      const key = fingerprint(list);
      const found = known.get(key);
      if (found !== undefined && jsonEqual(found.list, list)) return found.profile;
      const profile = decodeProfile(list);
      text += JSON.stringify(list)?.length ?? 0;
      if (text > mostText) {
        known.clear();
        text = 0;
      }
      // Another list with the same fingerprint gives way: there is none but by ill will.
      known.set(key, { list, profile });
      return profile;
    },
  };
}

function decodeProfile(list: unknown): DeviceProfile {
  const devices = Array.isArray(list) ? list.flatMap(decodePoolDevice) : [];
  return { devices, memory: devices.reduce((sum, device) => sum + memoryOf(device), 0) };
}

function decodePoolDevice(entry: unknown): readonly PoolDevice[] {
  const driver = stringField(entry, "driver");
  if (driver === undefined) return [];
  const claim = field(entry, "claim") ?? "DRA";
  const deviceClassName = stringField(entry, "deviceClassName") ?? "";
  const count = wholeNumber(field(entry, "count"));
  const device = decodeDevice(driver, entry);
  if (claim === "Synthetic") return [{ claim, deviceClassName: "", count, device }];
  if (claim !== "DRA" || deviceClassName === "") return [];
  return [{ claim, deviceClassName, count, device }];
}

/** What is malformed becomes what no selector can read without an error, so it spoils those alone. */
function decodeDevice(driver: string, entry: unknown): Device {
  const attributes = field(entry, "attributes");
  const capacity = field(entry, "capacity");
  return {
    driver,
    ...(isRecord(attributes) ? { attributes: mapValues(attributes, decodeAttribute) } : {}),
    ...(isRecord(capacity)
      ? {
          capacity: mapValues(capacity, (item) => ({ value: stringField(item, "value") ?? "" })),
        }
      : {}),
  };
}

function decodeAttribute(attribute: unknown): DeviceAttribute {
  const text = stringField(attribute, "string");
  const version = stringField(attribute, "version");
  const int = numberField(attribute, "int");
  const bool = field(attribute, "bool");
  if (text !== undefined) return { string: text };
  if (version !== undefined) return { version };
  if (int !== undefined) return { int };
  return typeof bool === "boolean" ? { bool } : {};
}

function memoryOf({ count, device }: PoolDevice): number {
  const { capacity = {}, driver } = device;
  const found = ["memory", `${driver}/memory`].find((name) => Object.hasOwn(capacity, name));
  const parsed = parseQuantity((found === undefined ? undefined : capacity[found]?.value) ?? "");
  return parsed.ok ? Math.max(0, count * quantityFloat(parsed.quantity)) : 0;
}

/** A number of nodes or devices in untrusted data: what is absent, negative or no number is 0. */
export function wholeNumber(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.floor(value) : 0;
}

function mapValues<Value>(
  record: Readonly<Record<string, unknown>>,
  change: (value: unknown) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
