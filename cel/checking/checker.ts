import type {
  Call,
  Comprehension,
  Expression,
  ListLiteral,
  MapLiteral,
  Select,
} from "../syntax/expression.ts";
import type { Issue } from "../syntax/place.ts";
import type { Checked } from "./checked.ts";
import { dottedName, resolveNames } from "./dotted-names.ts";
import type { Declaration, Functions } from "./functions.ts";
import { constantType, isDeclaredAsObject } from "./known-types.ts";
import { isDyn, mostGeneral, Substitution } from "./substitution.ts";
import {
  BOOL,
  type CelType,
  DYN,
  ERROR,
  formatType,
  INT,
  isSameType,
  listOf,
  mapOf,
  optionalOf,
  optionalValue,
  STRING,
} from "./type.ts";

/** What an expression may name. */
export interface Names {
  readonly variables: ReadonlyMap<string, CelType>;
  /** Type names, each with the type that it stands for. */
  readonly types: ReadonlyMap<string, CelType>;
  readonly functions: Functions;
}

/** A checked expression, or everything that is wrong with it. */
export type CheckResult =
  | { readonly ok: true; readonly checked: Checked; readonly type: CelType }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Gives every node of an expression its type, as the API server's checker does. */
export function check(expression: Expression, names: Names): CheckResult {
  const checker = new Checker(names);
  checker.check(expression);
  if (checker.issues.length > 0) return { ok: false, issues: checker.issues };
  const checked = checker.finish(expression);
  return { ok: true, checked, type: checked.types.get(expression.id) ?? DYN };
}

class Checker {
  readonly issues: Issue[] = [];
  readonly #names: Names;
  readonly #substitution = new Substitution();
  readonly #types = new Map<number, CelType>();
  readonly #overloads = new Map<number, readonly string[]>();
  readonly #resolved = new Map<number, string>();
  #scopes: ReadonlyMap<string, CelType>[] = [];

  constructor(names: Names) {
    this.#names = names;
  }

  finish(expression: Expression): Checked {
    const types = new Map<number, CelType>();
    for (const [id, type] of this.#types) types.set(id, this.#substitution.apply(type, true));
    const resolved = resolveNames(expression, this.#resolved);
    return { expression: resolved, types, overloads: this.#overloads };
  }

  check(node: Expression): CelType {
    const type = this.#typeOf(node);
    this.#types.set(node.id, type);
    return type;
  }

  #typeOf(node: Expression): CelType {
    switch (node.kind) {
      case "constant":
        return constantType(node.value);
      case "identifier":
        return this.#resolve(node, node.name) ?? this.#undeclared(node, node.name);
      case "select":
        return this.#select(node);
      case "call":
        return this.#call(node);
      case "list":
        return this.#list(node);
      case "map":
        return this.#map(node);
      case "struct":
        return this.#undeclared(node, node.name);
      case "comprehension":
        return this.#comprehension(node);
    }
  }

  #problem(message: string, at: { readonly start: number }): CelType {
    this.issues.push({ message, position: at.start });
    return ERROR;
  }

  #undeclared(at: { readonly start: number }, name: string): CelType {
    return this.#problem(`undeclared reference to '${name}' (in container '')`, at);
  }

  #mismatch(at: { readonly start: number }, expected: CelType, found: CelType): CelType {
    const [wanted, given] = [this.#format(expected), this.#format(found)];
    return this.#problem(`expected type '${wanted}' but found '${given}'`, at);
  }

  #format(type: CelType): string {
    return formatType(this.#substitution.apply(type));
  }

  /** The type of a variable or of a type's name; a leading dot skips what macros declared. */
  #resolve(node: { readonly id: number }, name: string): CelType | undefined {
    const plain = name.replace(/^\./, "");
    const scoped =
      plain === name ? this.#scopes.findLast((one) => one.has(name))?.get(name) : undefined;
    const type = scoped ?? this.#names.variables.get(plain);
    if (type !== undefined) {
      this.#resolved.set(node.id, scoped === undefined ? plain : name);
      return type;
    }
    const named = this.#names.types.get(plain);
    if (named === undefined) return undefined;
    this.#resolved.set(node.id, plain);
    return { kind: "type", of: named };
  }

  #select(node: Select): CelType {
    const path = node.testOnly ? undefined : dottedName(node);
    // `a` in `a.b.c` may be a variable, or the whole a type's name: the longer name is tried first.
    if (path !== undefined && !this.#isVariable(path.split(".", 1)[0] as string)) {
      const type = this.#resolve(node, path);
      if (type !== undefined) return type;
    }
    const type = this.#field(node, this.check(node.operand), node.field, false);
    return node.testOnly ? BOOL : type;
  }

  #isVariable(name: string): boolean {
    return this.#scopes.some((one) => one.has(name)) || this.#names.variables.has(name);
  }

  #field(
    at: { readonly start: number },
    operand: CelType,
    field: string,
    optional: boolean,
  ): CelType {
    const given = this.#substitution.apply(operand);
    const held = optionalValue(given);
    const type = this.#fieldOf(at, held ?? given, field);
    const result = optional || held !== undefined ? optionalOf(type) : type;
    return this.#substitution.apply(result);
  }

  #fieldOf(at: { readonly start: number }, type: CelType, field: string): CelType {
    switch (type.kind) {
      case "map":
        return type.value;
      case "object":
        return type.fields.get(field) ?? this.#problem(`undefined field '${field}'`, at);
      case "parameter":
        this.#substitution.assignable([DYN], [type]);
        return DYN;
      case "dyn":
      case "error":
        return DYN;
      case "opaque":
        if (isDeclaredAsObject(type.name)) {
          return this.#problem(`unexpected failed resolution of '${type.name}'`, at);
        }
        return this.#noFields(at, type);
      default:
        return this.#noFields(at, type);
    }
  }

  #noFields(at: { readonly start: number }, type: CelType): CelType {
    this.#problem(`type '${formatType(type)}' does not support field selection`, at);
    return DYN;
  }

  #call(node: Call): CelType {
    const { name, target, args } = node;
    if (name === "_?._") return this.#optionalField(node);
    for (const arg of args) this.check(arg);
    if (target === undefined) {
      const found = this.#names.functions.get(name.replace(/^\./, ""));
      return found === undefined ? this.#undeclared(node, name) : this.#choose(node, found, args);
    }
    const prefix = dottedName(target);
    const namespaced = prefix && this.#names.functions.get(`${prefix.replace(/^\./, "")}.${name}`);
    if (namespaced) {
      this.#resolved.set(node.id, `${prefix}.${name}`);
      return this.#choose(node, namespaced, args);
    }
    this.check(target);
    const found = this.#names.functions.get(name);
    if (found === undefined) return this.#undeclared(node, name);
    return this.#choose(node, found, [target, ...args], true);
  }

  #optionalField(node: Call): CelType {
    const [operand, field] = node.args as [Expression, Expression];
    const name = field.kind === "constant" ? String(field.value) : "";
    this.#types.set(field.id, STRING);
    this.#overloads.set(node.id, ["select_optional_field"]);
    return this.#field(node, this.check(operand), name, true);
  }

  #choose(
    node: Call,
    declarations: readonly Declaration[],
    args: readonly Expression[],
    method = false,
  ): CelType {
    const given = args.map((arg) => this.#types.get(arg.id) ?? ERROR);
    if (node.name === "_&&_" || node.name === "_||_") return this.#logical(node, args, given);
    const fitting: string[] = [];
    let result: CelType | undefined;
    for (const one of declarations) {
      if (one.method !== method) continue;
      const types = [one.result, ...one.parameters];
      const [own, ...wanted] = this.#substitution.instantiate(types) as [CelType, ...CelType[]];
      if (!this.#substitution.assignable(given, wanted)) continue;
      fitting.push(one.id);
      const type = this.#substitution.apply(own);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !isSameType(type, result)) result = DYN;
    }
    if (result === undefined) return this.#noOverload(node, given, method);
    this.#overloads.set(node.id, fitting);
    return result;
  }

  #logical(node: Call, args: readonly Expression[], given: readonly CelType[]): CelType {
    let failed = false;
    for (const [index, type] of given.entries()) {
      if (this.#substitution.assignable([type], [BOOL])) continue;
      this.#mismatch(args[index] as Expression, BOOL, type);
      failed = true;
    }
    if (failed) return ERROR;
    this.#overloads.set(node.id, [node.name === "_&&_" ? "logical_and" : "logical_or"]);
    return BOOL;
  }

  #noOverload(node: Call, given: readonly CelType[], method: boolean): CelType {
    const types = given.map((type) => formatType(this.#substitution.apply(type, true)));
    const receiver = method ? `${types[0]}.` : "";
    const list = (method ? types.slice(1) : types).join(", ");
    const name = this.#resolved.get(node.id) ?? node.name;
    return this.#problem(
      `found no matching overload for '${name}' applied to '${receiver}(${list})'`,
      node,
    );
  }

  /** What an element behind `?` holds. */
  #held(at: Expression, type: CelType, optional: boolean): CelType {
    if (!optional) return type;
    const held = optionalValue(this.#substitution.apply(type));
    if (held !== undefined) return held;
    if (!isDyn(type)) this.#mismatch(at, optionalOf(type), type);
    return type;
  }

  // What is mixed is dyn here; the API server refuses it later, by its own look at literals.
  #join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type;
    if (this.#substitution.assignable([before], [type])) return mostGeneral(before, type);
    return DYN;
  }

  #list(node: ListLiteral): CelType {
    let element: CelType | undefined;
    for (const [index, one] of node.elements.entries()) {
      const type = this.#held(one, this.check(one), node.optional.has(index));
      element = this.#join(element, type);
    }
    return listOf(element ?? this.#substitution.fresh());
  }

  #map(node: MapLiteral): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of node.entries) {
      key = this.#join(key, this.check(entry.key));
      const type = this.#held(entry.value, this.check(entry.value), entry.optional);
      value = this.#join(value, type);
    }
    return mapOf(key ?? this.#substitution.fresh(), value ?? this.#substitution.fresh());
  }

  #comprehension(node: Comprehension): CelType {
    const range = this.#substitution.apply(this.check(node.range));
    const accumulator = this.check(node.initial);
    const [first, second] = this.#loopTypes(node, range);
    this.#scopes.push(new Map([[node.accumulator, accumulator]]));
    const loop = new Map([[node.variable, first]]);
    if (node.variable2 !== undefined) loop.set(node.variable2, second);
    this.#scopes.push(loop);
    this.#assert(node.condition, BOOL);
    this.#assert(node.step, accumulator);
    this.#scopes.pop();
    const result = this.check(node.result);
    this.#scopes.pop();
    return this.#substitution.apply(result);
  }

  #assert(node: Expression, wanted: CelType): void {
    const type = this.check(node);
    if (!this.#substitution.assignable([wanted], [type])) this.#mismatch(node, wanted, type);
  }

  /** The types of the loop's variables. */
  #loopTypes(node: Comprehension, range: CelType): readonly [CelType, CelType] {
    const two = node.variable2 !== undefined;
    switch (range.kind) {
      case "list":
        return two ? [INT, range.element] : [range.element, ERROR];
      case "map":
        return [range.key, range.value];
      case "parameter":
        this.#substitution.assignable([DYN], [range]);
        return [DYN, DYN];
      case "dyn":
      case "error":
        return [DYN, DYN];
      default: {
        const message = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
        return [this.#problem(message, node.range), ERROR];
      }
    }
  }
}
