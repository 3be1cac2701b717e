import {
  addQuantities,
  compareQuantities,
  integerQuantity,
  parseQuantity,
  type Quantity,
  quantityFloat,
  quantityInt64,
  quantitySign,
  subtractQuantities,
} from "../../kube/quantity.ts";
import { QuantityValue } from "../values.ts";
import { CelFailure, type Overload } from "./overload.ts";

function quantity(text: string): QuantityValue {
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new CelFailure(parsed.error);
  return new QuantityValue(parsed.quantity);
}

function asInteger(value: QuantityValue): bigint {
  const whole = quantityInt64(value.quantity);
  if (whole === undefined) throw new CelFailure("cannot convert value to integer");
  return whole;
}

const order = (left: QuantityValue, right: QuantityValue) =>
  compareQuantities(left.quantity, right.quantity);
const plus = (left: QuantityValue, right: Quantity) =>
  new QuantityValue(addQuantities(left.quantity, right));
const minus = (left: QuantityValue, right: Quantity) =>
  new QuantityValue(subtractQuantities(left.quantity, right));

/** The quantity library of Kubernetes CEL. */
// biome-ignore format: a table
export const quantities: readonly Overload[] = [
  ["quantity(string): Quantity",                quantity],
  ["isQuantity(string): bool",                  (text: string) => parseQuantity(text).ok],
  ["sign(Quantity): int",                       (value: QuantityValue) => BigInt(quantitySign(value.quantity))],
  ["Quantity.isInteger(): bool",                (value: QuantityValue) => quantityInt64(value.quantity) !== undefined],
  ["Quantity.asInteger(): int",                 asInteger],
  ["Quantity.asApproximateFloat(): double",     (value: QuantityValue) => quantityFloat(value.quantity)],
  ["Quantity.compareTo(Quantity): int",         (left: QuantityValue, right: QuantityValue) => BigInt(order(left, right))],
  ["Quantity.isLessThan(Quantity): bool",       (left: QuantityValue, right: QuantityValue) => order(left, right) < 0],
  ["Quantity.isGreaterThan(Quantity): bool",    (left: QuantityValue, right: QuantityValue) => order(left, right) > 0],
  ["Quantity.add(Quantity): Quantity",          (left: QuantityValue, right: QuantityValue) => plus(left, right.quantity)],
  ["Quantity.add(int): Quantity",               (left: QuantityValue, right: bigint) => plus(left, integerQuantity(right))],
  ["Quantity.sub(Quantity): Quantity",          (left: QuantityValue, right: QuantityValue) => minus(left, right.quantity)],
  ["Quantity.sub(int): Quantity",               (left: QuantityValue, right: bigint) => minus(left, integerQuantity(right))],
];
