import type { Environment } from "@marcbachmann/cel-js";
import { parseQuantity } from "../kube/quantity.ts";
import { parseSemver } from "../kube/semver.ts";
import { CelEnvironment, type Compiled } from "./environment.ts";
import type { Program } from "./program.ts";
import { QuantityValue, SemverValue } from "./values.ts";

/** One attribute of a device, as a ResourceSlice holds it: exactly one of its fields is set. */
export interface DeviceAttribute {
  readonly string?: string;
  readonly int?: number | bigint;
  readonly bool?: boolean;
  readonly version?: string;
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
    declare: declareForEvaluation,
    declareForCheck,
  });

  /** Compiles a selector as kube-apiserver would; what can't be judged here is an error with its position. */
  compile(expression: string): Compiled {
    return this.#environment.compile(expression);
  }
}

/** Compiles one selector; a caller with many keeps a `DeviceSelectors`. Never throws. */
export function compileDeviceSelector(expression: string): Compiled {
  return new DeviceSelectors().compile(expression);
}

/** Tells whether a device meets a compiled selector; a failed evaluation is no match in Kubernetes. */
export function matchDevice(program: Program, device: Device): Match {
  const value = deviceValue(device);
  if (typeof value === "string") return { ok: false, message: value };
  const result = program.evaluate(new Map([["device", value]]));
  if (!result.ok) return { ok: false, message: result.message };
  if (typeof result.value !== "boolean") return { ok: false, message: "the result is not a bool" };
  return { ok: true, matches: result.value };
}

function declareForCheck(environment: Environment): void {
  environment.registerVariable("device", {
    schema: {
      driver: "string",
      allowMultipleAllocations: "bool",
      attributes: "map<string, map<string, dyn>>",
      capacity: "map<string, map<string, Quantity>>",
    },
  });
}

function declareForEvaluation(environment: Environment): void {
  environment.registerType("Domains", Domains);
  environment.registerOperator("string in Domains", (name: string, all: Domains) => all.has(name));
  environment.registerFunction("Domains.size(): int", (all: Domains) => BigInt(all.size));
  environment.registerFunction("size(Domains): int", (all: Domains) => BigInt(all.size));
  environment.registerVariable("device", "dyn");
}

/** The device as CEL sees it, or why it is no device. */
function deviceValue(device: Device): ReadonlyMap<string, unknown> | string {
  const attributes = new Domains();
  for (const [name, attribute] of Object.entries(device.attributes ?? {})) {
    const value = attributeValue(attribute);
    if (value === undefined) return `attribute ${name}: unsupported attribute value`;
    put(attributes, name, device.driver, value);
  }
  const capacity = new Domains();
  for (const [name, { value }] of Object.entries(device.capacity ?? {})) {
    const parsed = parseQuantity(value);
    if (!parsed.ok) return `capacity ${name}: ${parsed.error}`;
    put(capacity, name, device.driver, new QuantityValue(parsed.quantity));
  }
  return new Map<string, unknown>([
    ["driver", device.driver],
    ["allowMultipleAllocations", device.allowMultipleAllocations ?? false],
    ["attributes", attributes],
    ["capacity", capacity],
  ]);
}

function attributeValue(attribute: DeviceAttribute): unknown {
  if (attribute.int !== undefined) {
    return Number.isInteger(attribute.int) || typeof attribute.int === "bigint"
      ? BigInt(attribute.int)
      : undefined;
  }
  if (attribute.bool !== undefined) return attribute.bool;
  if (attribute.string !== undefined) return attribute.string;
  const parsed = attribute.version === undefined ? undefined : parseSemver(attribute.version);
  return parsed?.ok ? new SemverValue(parsed.version) : undefined;
}

function put(domains: Domains, qualified: string, driver: string, value: unknown): void {
  const slash = qualified.indexOf("/");
  const domain = slash < 0 ? driver : qualified.slice(0, slash);
  if (!domains.has(domain)) domains.set(domain, new Map());
  (domains.get(domain) as Map<string, unknown>).set(qualified.slice(slash + 1), value);
}
