import type { CelType } from "../cel/checking/type.ts";
import { DYN } from "../cel/checking/type.ts";
import type { SizedType } from "../cel/cost/sized.ts";
import type { Device, DeviceAttribute } from "../cel/device.ts";
import { escapeName } from "../cel/escaping.ts";
import { field, isRecord, type KubeObject, listField, stringField } from "../kube/object.ts";
import { celTypeOf } from "../schema/cel-types.ts";
import { toCel } from "../schema/cel-values.ts";
import type { Definitions } from "../schema/definitions.ts";
import { definesKinds, loadDefinition } from "../schema/load.ts";
import { FloatLiteral } from "../schema/number.ts";
import { sizedType } from "../schema/sizes.ts";
import type { Structural } from "../schema/structural.ts";

/** How a file may be taken. */
export type SubjectKind = "object" | "device" | "schema";

/** What an expression is asked about. */
export type Subject =
  | { readonly kind: "device"; readonly devices: readonly NamedDevice[] }
  | {
      readonly kind: "object" | "schema";
      /** The type of `self`; dyn where no schema is known. */
      readonly type: CelType;
      /** The bounds of its schema, from which costs are estimated. */
      readonly sized: SizedType | undefined;
      /** The value of `self`; a schema has none. */
      readonly self?: unknown;
      readonly oldSelf?: unknown;
    };

/** A device and what to call it. */
export interface NamedDevice {
  readonly name: string;
  readonly device: Device;
}

/** A subject, or why the file holds none. */
export type ReadSubject =
  | { readonly ok: true; readonly subject: Subject }
  | { readonly ok: false; readonly message: string };

function found(subject: Subject): ReadSubject {
  return { ok: true, subject };
}

function missing(message: string): ReadSubject {
  return { ok: false, message };
}

/** What a document is taken for when nobody says. */
export function guessKind(document: unknown): SubjectKind {
  if (definesKinds(document)) return "schema";
  return devicesOf(document).length > 0 ? "device" : "object";
}

/** The devices of a ResourceSlice, of an InferenceClass, of anything with `devices`, or a device itself. */
function devicesOf(document: unknown): readonly NamedDevice[] {
  const slice = field(document, "spec") ?? document;
  const list = listField(slice, "devices");
  const driver = stringField(slice, "driver") ?? "";
  const devices = (list.length > 0 ? list : [document]).filter(isDevice);
  return devices.map((one, index) => {
    const body = field(one, "basic") ?? one;
    return {
      name: stringField(one, "name") ?? (list.length > 0 ? `devices[${index}]` : "device"),
      device: {
        driver: stringField(one, "driver") ?? driver,
        allowMultipleAllocations: field(body, "allowMultipleAllocations") === true,
        attributes: (field(body, "attributes") ?? {}) as Readonly<Record<string, DeviceAttribute>>,
        capacity: capacities(field(body, "capacity")),
      },
    };
  });
}

function isDevice(value: unknown): boolean {
  const body = field(value, "basic") ?? value;
  return ["attributes", "capacity"].some((name) => isRecord(field(body, name)));
}

/** Capacities as they stand, or as the older API has them: the quantity alone. */
function capacities(value: unknown): Readonly<Record<string, { readonly value: string }>> {
  if (!isRecord(value)) return {};
  const entries = Object.keys(value).map((name): [string, { value: string }] => {
    const capacity = value[name];
    const quantity = isRecord(capacity) ? capacity.value : capacity;
    return [name, { value: quantityText(quantity) }];
  });
  return Object.fromEntries(entries);
}

function quantityText(value: unknown): string {
  return value instanceof FloatLiteral ? String(value.value) : String(value);
}

/** Reads a document as a subject; `path` leads to the part of an object or schema that is `self`. */
export function readSubject(
  document: unknown,
  old: unknown,
  kind: SubjectKind,
  path: string,
  definitions: Definitions,
): ReadSubject {
  if (kind === "device") {
    const devices = devicesOf(document);
    if (devices.length > 0) return found({ kind, devices });
    return missing("holds no device: one has attributes or capacity");
  }
  const steps = readPath(path);
  if (steps === undefined) return missing(`--path ${JSON.stringify(path)} is no path`);
  return kind === "schema"
    ? schemaSubject(document, steps)
    : objectSubject(document, old, steps, definitions);
}

function schemaSubject(document: unknown, steps: readonly string[]): ReadSubject {
  const loaded = loadDefinition(document);
  if (!loaded.ok) return missing(loaded.error);
  const schema = loaded.definitions.at(-1)?.schema;
  const at = schema && schemaAt(schema, steps);
  if (at === undefined) return missing(`the schema has nothing at ${steps.join(".")}`);
  const type = celTypeOf(at);
  if (type === undefined) {
    return missing("the API server shows rules no values here: they have no type");
  }
  return found({ kind: "schema", type, sized: sizedType(at) });
}

function objectSubject(
  document: unknown,
  old: unknown,
  steps: readonly string[],
  definitions: Definitions,
): ReadSubject {
  const name = `${stringField(document, "apiVersion")}/${stringField(document, "kind")}`;
  const definition = definitions.get(name);
  const { schema } = definition ?? {};
  const nothing = missing(`the object has nothing at ${steps.join(".")}`);
  if (definition === undefined || schema === undefined) {
    const value = valueAt(document, steps);
    if (value === undefined) return nothing;
    const oldValue = old === undefined ? undefined : valueAt(old, steps);
    const olds = oldValue === undefined ? {} : { oldSelf: plainCel(oldValue) };
    const self = plainCel(value);
    return found({ kind: "object", type: DYN, sized: undefined, self, ...olds });
  }
  const at = schemaAt(schema, steps);
  const type = at && celTypeOf(at);
  const value = valueAt(definition.check(document as KubeObject).object, steps);
  if (at === undefined || type === undefined || value === undefined) return nothing;
  const before = old === undefined ? undefined : definition.check(old as KubeObject).object;
  const oldValue = before && valueAt(before, steps);
  const olds = oldValue === undefined ? {} : { oldSelf: toCel(oldValue, at) };
  const self = toCel(value, at);
  return found({ kind: "object", type, sized: sizedType(at), self, ...olds });
}

/** The steps of `spec.engines[0].labels[app]`; `[]` stands for any item of a list or value of a map. */
function readPath(path: string): readonly string[] | undefined {
  const steps: string[] = [];
  const step = /\.?([^.[\]]+)|\[([^\]]*)\]/y;
  while (step.lastIndex < path.length) {
    const match = step.exec(path);
    if (match === null) return undefined;
    steps.push(match[1] ?? match[2] ?? "");
  }
  return steps;
}

function schemaAt(schema: Structural, steps: readonly string[]): Structural | undefined {
  let at: Structural | undefined = schema;
  for (const step of steps) {
    if (at === undefined) return undefined;
    at = at.properties.get(step) ?? at.items ?? at.additional;
  }
  return at;
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  let at = value;
  for (const step of steps) {
    if (Array.isArray(at)) at = at[Number(step)];
    else at = isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}

/** A value that no schema describes: whole numbers are ints, all else is what it looks like. */
function plainCel(value: unknown): unknown {
  if (value instanceof FloatLiteral) return value.value;
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(plainCel);
  if (!isRecord(value)) return value;
  return new Map(Object.keys(value).map((key) => [escapeName(key) ?? key, plainCel(value[key])]));
}
