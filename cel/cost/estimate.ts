import type { Checked } from "../checking/checked.ts";
import { type CelType, DYN } from "../checking/type.ts";
import type {
  Call,
  Comprehension,
  Expression,
  ListLiteral,
  MapLiteral,
} from "../syntax/expression.ts";
import { coreCallCost, TEXT } from "./core-calls.ts";
import { isBinding, isScalar, ownSize } from "./expression-size.ts";
import { libraryCallCost } from "./library-calls.ts";
import { listCallCost } from "./list-calls.ts";
import { Path } from "./path.ts";
import { exactly, MAX_UINT64, product, type Range, scale, sum, UNKNOWN, union } from "./range.ts";
import { type CallCost, declaredSize, type Operand, type SizedType } from "./sized.ts";

/**
 * The least and the largest cost of one evaluation of a checked expression, as the API server
 * estimates it when a rule is created (cel-go `checker/cost.go`). `root` bounds the variables: every
 * one of them is sized as this, unless it names the only one.
 */
export function estimateCost(checked: Checked, root: SizedType): Range {
  return new Estimate(checked, root).cost(checked.expression);
}

const FREE = exactly(0n);
const ONE = exactly(1n);
const LIST = exactly(10n);
const MAP = exactly(30n);
const STRUCT = exactly(40n);
const NOTHING_YET: Range = { min: MAX_UINT64, max: 0n };
const ACCUMULATORS: ReadonlySet<string> = new Set(["__result__", "@result"]);

/** The sizes of what a list or map holds; only known where an expression builds it. */
interface EntrySize {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

/** What is known of a variable that a macro declares. */
interface Local {
  readonly path: Path | undefined;
  readonly size: Range | undefined;
  readonly entry: EntrySize | undefined;
}

class Estimate {
  readonly #checked: Checked;
  readonly #root: SizedType;
  readonly #paths = new Map<number, Path | undefined>();
  readonly #sizes = new Map<number, Range>();
  readonly #entries = new Map<number, EntrySize>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, root: SizedType) {
    this.#checked = checked;
    this.#root = root;
  }

  cost(node: Expression): Range {
    switch (node.kind) {
      case "constant":
        return FREE;
      case "identifier": {
        const local = this.#local(node.name);
        this.#paths.set(node.id, local === undefined ? Path.of(node.name) : local.path);
        return ONE;
      }
      case "select": {
        const operand = this.cost(node.operand);
        if (node.testOnly) return operand;
        const { kind } = this.#type(node.operand);
        const isOpaqueObject = kind === "map" || kind === "object" || kind === "parameter";
        this.#paths.set(node.id, Path.extend(this.#path(node.operand), node.field));
        return isOpaqueObject ? sum(operand, ONE) : operand;
      }
      case "call":
        return this.#call(node);
      case "list":
        return this.#list(node);
      case "map":
        return this.#map(node);
      case "struct":
        return STRUCT;
      case "comprehension":
        return isBinding(node) ? this.#binding(node) : this.#loop(node);
    }
  }

  #list(node: ListLiteral): Range {
    const costs: Range[] = [LIST];
    let item = node.elements.length === 0 ? FREE : NOTHING_YET;
    for (const element of node.elements) {
      costs.push(this.cost(element));
      item = union(item, this.#size(element) ?? UNKNOWN);
    }
    this.#entries.set(node.id, { container: "list", key: ONE, value: item });
    return sum(...costs);
  }

  #map(node: MapLiteral): Range {
    const costs: Range[] = [MAP];
    let key = node.entries.length === 0 ? FREE : NOTHING_YET;
    let value = key;
    for (const entry of node.entries) {
      costs.push(this.cost(entry.key), this.cost(entry.value));
      key = union(key, this.#size(entry.key) ?? UNKNOWN);
      value = union(value, this.#size(entry.value) ?? UNKNOWN);
    }
    this.#entries.set(node.id, { container: "map", key, value });
    return sum(...costs);
  }

  #call(node: Call): Range {
    if (node.name === "dyn" && node.args[0] !== undefined) {
      const [argument] = node.args;
      const cost = sum(ONE, this.cost(argument));
      this.#copySizes(node, argument);
      return cost;
    }
    const argCosts: Range[] = [];
    const args: Operand[] = [];
    for (const arg of node.args) {
      argCosts.push(this.cost(arg));
      args.push(this.#operand(arg));
    }
    const overloads = this.#checked.overloads.get(node.id) ?? [];
    if (overloads.length === 0) return FREE;
    const targetCost = node.target === undefined ? FREE : this.cost(node.target);
    const target = node.target && this.#operand(node.target);
    let cost = NOTHING_YET;
    let size: Range | undefined;
    for (const overload of overloads) {
      const call = this.#overload(node, overload, target, args, argCosts);
      cost = union(cost, call.cost);
      if (call.size !== undefined) size = size === undefined ? call.size : union(size, call.size);
      const [list] = node.args;
      if (list !== undefined && (overload === "index_list" || overload === "index_map")) {
        size = this.#entry(list)?.value;
        const step = overload === "index_list" ? "@items" : "@values";
        this.#paths.set(node.id, Path.extend(this.#path(list), step));
      }
      size ??= this.#size(node);
    }
    if (size !== undefined) this.#sizes.set(node.id, size);
    return sum(targetCost, cost);
  }

  /** The cost of one overload of a call with its arguments, but without its target. */
  #overload(
    node: Call,
    overload: string,
    target: Operand | undefined,
    args: readonly Operand[],
    argCosts: readonly Range[],
  ): CallCost {
    const all = sum(...argCosts);
    const own =
      listCallCost(overload, target, args, this.#root) ??
      libraryCallCost(node.name, overload, target, args, this.#root);
    if (own !== undefined) return { ...own, cost: sum(own.cost, all) };
    const [first = FREE, second = FREE, third = FREE] = argCosts;
    switch (overload) {
      case "logical_or":
      case "logical_and":
        // The right side may not be needed.
        return { cost: { min: first.min, max: all.max } };
      case "conditional":
        return { cost: sum(first, union(second, third)), size: this.#choice(node, args) };
      case "add_string":
      case "add_bytes":
      case "add_list":
        return this.#concatenation(node, overload, args, all);
      default: {
        const core = coreCallCost(overload, target, args);
        return core === undefined
          ? { cost: sum(ONE, all) }
          : { ...core, cost: sum(core.cost, all) };
      }
    }
  }

  #choice(node: Call, [, yes, no]: readonly Operand[]): Range {
    this.#setEntry(node, this.#entriesOf(yes, no));
    return union(yes?.size ?? UNKNOWN, no?.size ?? UNKNOWN);
  }

  #concatenation(
    node: Call,
    overload: string,
    [left, right]: readonly Operand[],
    args: Range,
  ): CallCost {
    const size = sum(left?.size ?? UNKNOWN, right?.size ?? UNKNOWN);
    this.#setEntry(node, this.#entriesOf(left, right));
    const own = overload === "add_list" ? ONE : scale(size, TEXT);
    return { cost: sum(own, args), size };
  }

  #loop(node: Comprehension): Range {
    const outside = sum(this.cost(node.range), this.cost(node.initial));
    this.#declare(node.accumulator, this.#asLocal(node.initial));
    const { variable, variable2, range } = node;
    if (variable2 === undefined) {
      const part = this.#isList(range) ? "value" : "key";
      this.#declare(variable, this.#iterated(range, part));
    } else {
      this.#declare(variable, this.#iterated(range, "key"));
      this.#declare(variable2, this.#iterated(range, "value"));
    }
    const condition = this.cost(node.condition);
    const step = this.cost(node.step);
    this.#forget(variable);
    if (variable2 !== undefined) this.#forget(variable2);
    const result = this.cost(node.result);
    this.#forget(node.accumulator);
    const times = this.#size(range) ?? UNKNOWN;
    const { initial } = node;
    if (initial.kind === "constant") {
      const size = this.#size(initial);
      if (size !== undefined) this.#sizes.set(node.id, size);
    } else if (initial.kind === "list" || initial.kind === "map") {
      this.#sizes.set(node.id, times);
      this.#setEntry(node, this.#entry(node.step));
    }
    return sum(outside, result, product(times, sum(step, condition)));
  }

  #binding(node: Comprehension): Range {
    const outside = sum(this.cost(node.range), this.cost(node.initial));
    this.#declare(node.accumulator, this.#asLocal(node.initial));
    const result = this.cost(node.result);
    this.#forget(node.accumulator);
    this.#copySizes(node, node.result);
    return sum(outside, result);
  }

  #asLocal(node: Expression): Local {
    const path = this.#path(node);
    return { path, entry: this.#entry(node), size: this.#size(node) };
  }

  #iterated(range: Expression, part: "key" | "value"): Local {
    const entry = this.#entry(range);
    const steps = this.#isList(range)
      ? { key: "@indices", value: "@items" }
      : { key: "@keys", value: "@values" };
    const path = Path.extend(this.#path(range), steps[part]);
    return { path, size: entry?.[part], entry: undefined };
  }

  #isList(range: Expression): boolean {
    return (this.#entry(range)?.container ?? this.#type(range).kind) === "list";
  }

  #operand(node: Expression): Operand {
    const path = this.#path(node);
    const isAccumulator = path !== undefined && ACCUMULATORS.has(path.step(0));
    return {
      expression: node,
      type: this.#type(node),
      path: isAccumulator ? undefined : path,
      size: this.#size(node),
    };
  }

  #size(node: Expression): Range | undefined {
    const computed = this.#sizes.get(node.id) ?? ownSize(node);
    if (computed !== undefined) return computed;
    const declared = declaredSize(this.#root, this.#path(node));
    if (declared !== undefined) {
      this.#sizes.set(node.id, declared);
      return declared;
    }
    if (isScalar(this.#type(node))) return ONE;
    return node.kind === "identifier" ? this.#local(node.name)?.size : undefined;
  }

  #entry(node: Expression): EntrySize | undefined {
    const entry = this.#entries.get(node.id);
    if (entry !== undefined || node.kind !== "identifier") return entry;
    return this.#local(node.name)?.entry;
  }

  #entriesOf(left: Operand | undefined, right: Operand | undefined): EntrySize | undefined {
    const one = left?.expression && this.#entry(left.expression);
    const other = right?.expression && this.#entry(right.expression);
    if (one === undefined || other === undefined) return undefined;
    const { container } = one;
    return { container, key: union(one.key, other.key), value: union(one.value, other.value) };
  }

  #setEntry(node: Expression, entry: EntrySize | undefined): void {
    if (entry !== undefined) this.#entries.set(node.id, entry);
  }

  #copySizes(to: Expression, from: Expression): void {
    const size = this.#size(from);
    if (size !== undefined) this.#sizes.set(to.id, size);
    this.#setEntry(to, this.#entry(from));
  }

  #path(node: Expression): Path | undefined {
    const local = node.kind === "identifier" ? this.#local(node.name) : undefined;
    return local === undefined ? this.#paths.get(node.id) : local.path;
  }

  #type(node: Expression): CelType {
    return this.#checked.types.get(node.id) ?? DYN;
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #declare(name: string, local: Local): void {
    const stack = this.#locals.get(name) ?? [];
    stack.push(local);
    this.#locals.set(name, stack);
  }

  #forget(name: string): void {
    this.#locals.get(name)?.pop();
  }
}
