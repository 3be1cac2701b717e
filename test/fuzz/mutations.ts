import type { Random } from "./random.ts";

type Container = Record<string, unknown> | unknown[];

const SCALARS: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1,
  3,
  0.5,
  1e300,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  "",
  " ",
  "a",
  "0",
  "-",
  "a--b",
  "..",
  "A_b",
  "x".repeat(63),
  "x".repeat(64),
  "x".repeat(254),
  "x".repeat(20_000),
  "é\u0301\u{1f680}",
  "\u0000",
  "\ufffd",
  "../../etc",
  "(a+)+$",
  "device.driver ==",
  'device.attributes["x"].y > 1',
  "true",
  "$(POD_IP)",
  "8000",
  "10Gi",
  "1e3",
  "Prefill",
  "Leader",
  "http",
  "engine",
];
const KEYS = ["__proto__", "constructor", "toString", "", "0", "name", "spec", "x.y/z", "length"];

/** Changes one place of a JSON value, in a copy: the kinds of mistake that people and tools make. */
export function mutateJson<T>(random: Random, value: T): T {
  const copy = structuredClone(value);
  if (typeof copy !== "object" || copy === null) return copy;
  const places = containers(copy as Container);
  const container = random.pick(places);
  if (Array.isArray(container)) mutateList(random, container, places);
  else mutateObject(random, container, places);
  return copy;
}

function mutateList(random: Random, list: unknown[], places: readonly Container[]): void {
  const at = random.below(list.length + 1);
  switch (random.below(5)) {
    case 0:
      list.splice(at, 1);
      break;
    case 1:
      list.splice(at, 0, structuredClone(list[at] ?? list[0] ?? null));
      break;
    case 2:
      list.splice(at, 1, anything(random, places));
      break;
    case 3:
      list.length = 0;
      break;
    default:
      list.reverse();
  }
}

function mutateObject(
  random: Random,
  object: Record<string, unknown>,
  places: readonly Container[],
): void {
  const keys = Object.keys(object);
  const key = keys.length === 0 || random.once(8) ? random.pick(KEYS) : random.pick(keys);
  switch (random.below(5)) {
    case 0:
      delete object[key];
      break;
    case 1: {
      // The fields of a map or of a union, under a name that another place uses.
      const other = random.pick(places);
      if (!Array.isArray(other) && Object.keys(other).length > 0) {
        define(
          object,
          random.pick(Object.keys(other)),
          Object.hasOwn(object, key) ? structuredClone(object[key]) : null,
        );
      }
      break;
    }
    case 2:
      define(object, key, structuredClone(random.pick(places)));
      break;
    default:
      define(object, key, anything(random, places));
  }
}

function anything(random: Random, places: readonly Container[]): unknown {
  if (random.once(40)) return nested(random.pick([50, 300, 900]), random.once(2));
  if (random.once(10)) return structuredClone(random.pick(places));
  if (random.once(10)) return random.pick<unknown>([{}, []]);
  return random.pick(SCALARS);
}

function nested(levels: number, lists: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = lists ? [value] : { value };
  return value;
}

function define(object: Record<string, unknown>, key: string, value: unknown): void {
  const attributes = { enumerable: true, configurable: true, writable: true };
  Object.defineProperty(object, key, { ...attributes, value });
}

function containers(root: Container): readonly Container[] {
  const found: Container[] = [root];
  for (let i = 0; i < found.length && found.length < 2_000; i++) {
    for (const child of Object.values(found[i] as Container)) {
      if (typeof child === "object" && child !== null) found.push(child as Container);
    }
  }
  return found;
}

/** Damages encoded bytes the way that a broken or hostile sender would, in a copy. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  let damaged = Buffer.from(bytes);
  for (let times = 1 + random.below(4); times > 0 && damaged.length > 0; times--) {
    const at = random.below(damaged.length);
    switch (random.below(5)) {
      case 0:
        damaged[at] = random.below(256);
        break;
      case 1:
        damaged[at] = (damaged[at] ?? 0) ^ (1 << random.below(8));
        break;
      case 2:
        damaged = damaged.subarray(0, at);
        break;
      case 3: {
        const from = random.below(damaged.length);
        const piece = damaged.subarray(from, from + 1 + random.below(64));
        damaged = Buffer.concat([damaged.subarray(0, at), piece, damaged.subarray(at)]);
        break;
      }
      default:
        damaged = Buffer.concat([
          damaged.subarray(0, at),
          damaged.subarray(at + 1 + random.below(16)),
        ]);
    }
  }
  return damaged;
}
