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
  ["string_to_quantity",        "quantity(string): Quantity",                 quantity],
  ["is_quantity_string",        "isQuantity(string): bool",                   (text: string) => parseQuantity(text).ok],
  ["quantity_sign",             "sign(Quantity): int",                        (value: QuantityValue) => BigInt(quantitySign(value.quantity))],
  ["quantity_is_integer",       "Quantity->isInteger(): bool",                (value: QuantityValue) => quantityInt64(value.quantity) !== undefined],
  ["quantity_get_int",          "Quantity->asInteger(): int",                 asInteger],
  ["quantity_get_float",        "Quantity->asApproximateFloat(): double",     (value: QuantityValue) => quantityFloat(value.quantity)],
  ["quantity_compare_to",       "Quantity->compareTo(Quantity): int",         (left: QuantityValue, right: QuantityValue) => BigInt(order(left, right))],
  ["quantity_is_less_than",     "Quantity->isLessThan(Quantity): bool",       (left: QuantityValue, right: QuantityValue) => order(left, right) < 0],
  ["quantity_is_greater_than",  "Quantity->isGreaterThan(Quantity): bool",    (left: QuantityValue, right: QuantityValue) => order(left, right) > 0],
  ["quantity_add",              "Quantity->add(Quantity): Quantity",          (left: QuantityValue, right: QuantityValue) => plus(left, right.quantity)],
  ["quantity_add_int",          "Quantity->add(int): Quantity",               (left: QuantityValue, right: bigint) => plus(left, integerQuantity(right))],
  ["quantity_sub",              "Quantity->sub(Quantity): Quantity",          (left: QuantityValue, right: QuantityValue) => minus(left, right.quantity)],
  ["quantity_sub_int",          "Quantity->sub(int): Quantity",               (left: QuantityValue, right: bigint) => minus(left, integerQuantity(right))],
];
