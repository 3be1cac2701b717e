import { parseQuantity } from "../kube/quantity.ts";
import { parseSemver } from "../kube/semver.ts";
import { BOOL, type CelType, DYN, mapOf, opaque, STRING } from "./checking/type.ts";
import { estimateCost } from "./cost/estimate.ts";
import type { SizedType } from "./cost/sized.ts";
import { CelEnvironment, type Compiled } from "./environment.ts";
import type { Evaluation, Program } from "./program.ts";
import { QuantityValue, SemverValue, typeNameOf, UnreadableValue } from "./values.ts";

/** One attribute of a device, as a ResourceSlice holds it: exactly one of its fields is set. */
export interface DeviceAttribute {
  readonly string?: string;
  readonly int?: number | bigint;
  readonly bool?: boolean;
  readonly version?: string;
  readonly strings?: readonly string[];
  readonly ints?: readonly (number | bigint)[];
  readonly bools?: readonly boolean[];
  readonly versions?: readonly string[];
}

/** A device as selectors see it; names without a domain belong to the driver's (resource.k8s.io/v1). */
export interface Device {
  readonly driver: string;
  readonly allowMultipleAllocations?: boolean;
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, { readonly value: string }>>;
}

/** Whether a device meets a selector, or why that can't be said. */
export type Match =
  | { readonly ok: true; readonly matches: boolean }
  | { readonly ok: false; readonly message: string };

// resource.k8s.io/v1 CELSelectorExpressionMaxLength.
const MAX_SELECTOR_LENGTH = 10_240;
// resource.k8s.io/v1 CELSelectorExpressionMaxCost, of what may be and of what is.
const MAX_SELECTOR_COST = 1_000_000;

// As expressions that are stored already are read (dynamic-resource-allocation/cel): all that any
// feature declares is there.
const VARIABLES: ReadonlyMap<string, CelType> = new Map([
  [
    "device",
    {
      kind: "object",
      name: "kubernetes.DRADevice",
      fields: new Map([
        ["driver", STRING],
        ["allowMultipleAllocations", BOOL],
        ["attributes", mapOf(STRING, mapOf(STRING, DYN))],
        ["capacity", mapOf(STRING, mapOf(STRING, opaque("kubernetes.Quantity")))],
      ]),
    },
  ],
]);

/** The device as it bounds the cost of a selector (dynamic-resource-allocation/cel, v0.37.2). */
export const DEVICE_SIZES: SizedType = (() => {
  const sized = (maxElements: bigint): SizedType => ({ maxElements });
  const [domain, id, value] = [sized(63n), sized(32n), sized(64n)];
  const mapOfAll = (key: SizedType, element: SizedType, more: Partial<SizedType> = {}) => {
    return { maxElements: 32n, key, element, ...more };
  };
  const attributes = mapOfAll(id, value, { otherFields: value });
  const capacity = mapOfAll(id, sized(0n));
  return {
    variable: "device",
    maxElements: 0n,
    fields: new Map([
      ["driver", sized(63n)],
      ["allowMultipleAllocations", sized(1n)],
      ["attributes", mapOfAll(domain, attributes)],
      ["capacity", mapOfAll(domain, capacity)],
    ]),
  };
})();

// A domain that the device does not have reads as an empty map, so that selectors need no guard,
// yet `in` tells that it is not there.
class Domains extends Map<string, ReadonlyMap<string, unknown>> {
  override get(domain: string): ReadonlyMap<string, unknown> {
    return super.get(domain) ?? NONE;
  }
}
const NONE: ReadonlyMap<string, unknown> = new Map();

/** Compiles and evaluates the CEL selectors of DRA device requests, over the variable `device`. */
export class DeviceSelectors {
  readonly #environment = new CelEnvironment({
    maxLength: MAX_SELECTOR_LENGTH,
    bind: true,
    includes: true,
    costLimit: MAX_SELECTOR_COST,
  });

  /**
   * Compiles a selector as kube-apiserver would, and refuses as it does one that may cost too much;
   * what can't be judged here is an error with its position.
   */
  compile(expression: string): Compiled {
    const compiled = this.#environment.compile(expression, { variables: VARIABLES, result: BOOL });
    if (!compiled.ok) return compiled;
    const most = estimateCost(compiled.program.checked, DEVICE_SIZES).max;
    if (most <= BigInt(MAX_SELECTOR_COST)) return compiled;
    const message = `too complex, exceeds cost limit: one device may take ${most} of at most ${MAX_SELECTOR_COST} units; loop over less, or within fewer loops`;
    return { ok: false, message, issues: [], stage: "estimate" };
  }

  /** Compiles any expression over a device, whatever it gives. */
  compileAny(expression: string): Compiled {
    return this.#environment.compile(expression, { variables: VARIABLES, result: DYN });
  }
}

/**
 * Evaluates a compiled expression on a device. A value that Kubernetes would not store, such as the
 * capacity `10Mo`, fails what reads it and nothing else.
 */
export function evaluateDevice(program: Program, device: Device): Evaluation {
  return program.evaluate(new Map([["device", deviceValue(device)]]));
}

/** Tells whether a device meets a compiled selector; a failed evaluation is no match in Kubernetes. */
export function matchDevice(program: Program, device: Device): Match {
  const result = evaluateDevice(program, device);
  if (!result.ok) return { ok: false, message: result.message };
  if (typeof result.value !== "boolean") {
    const type = typeNameOf(result.value);
    return { ok: false, message: `CEL result of type ${type} could not be converted to bool` };
  }
  return { ok: true, matches: result.value };
}

/** The device as CEL sees it. */
function deviceValue(device: Device): ReadonlyMap<string, unknown> {
  const attributes = new Domains();
  for (const [name, attribute] of Object.entries(device.attributes ?? {})) {
    const value = attributeValue(attribute);
    const why = `attribute ${name}: unsupported attribute value`;
    put(attributes, name, device.driver, value === undefined ? new UnreadableValue(why) : value);
  }
  const capacity = new Domains();
  for (const [name, { value }] of Object.entries(device.capacity ?? {})) {
    const parsed = parseQuantity(value);
    const read = parsed.ok
      ? new QuantityValue(parsed.quantity)
      : new UnreadableValue(`capacity ${name}: ${parsed.error}`);
    put(capacity, name, device.driver, read);
  }
  return new Map<string, unknown>([
    ["driver", device.driver],
    ["allowMultipleAllocations", device.allowMultipleAllocations ?? false],
    ["attributes", attributes],
    ["capacity", capacity],
  ]);
}

function attributeValue(attribute: DeviceAttribute): unknown {
  const { ints, bools, strings, versions, int, bool, string, version } = attribute;
  if (ints !== undefined) return listValue(ints, intValue);
  if (bools !== undefined) return listValue(bools, (one) => one);
  if (strings !== undefined) return listValue(strings, (one) => one);
  if (versions !== undefined) return listValue(versions, versionValue);
  if (int !== undefined) return intValue(int);
  if (bool !== undefined) return bool;
  if (string !== undefined) return string;
  return version === undefined ? undefined : versionValue(version);
}

function listValue<Item>(
  items: readonly Item[],
  convert: (item: Item) => unknown,
): readonly unknown[] | undefined {
  const values = items.map(convert);
  return values.includes(undefined) ? undefined : values;
}

function intValue(int: number | bigint): bigint | undefined {
  return typeof int === "bigint" || Number.isInteger(int) ? BigInt(int) : undefined;
}

function versionValue(version: string): SemverValue | undefined {
  const parsed = parseSemver(version);
  return parsed.ok ? new SemverValue(parsed.version) : undefined;
}

function put(domains: Domains, qualified: string, driver: string, value: unknown): void {
  const slash = qualified.indexOf("/");
  const domain = slash < 0 ? driver : qualified.slice(0, slash);
  if (!domains.has(domain)) domains.set(domain, new Map());
  (domains.get(domain) as Map<string, unknown>).set(qualified.slice(slash + 1), value);
}
