import { type CelType, isSameType, mapParameters, parametersOf, typeName } from "./type.ts";

/**
 * What the open type parameters of one check stand for. A trial that fails is taken back, so that
 * it leaves nothing behind.
 */
export class Substitution {
  readonly #bound = new Map<string, CelType>();
  readonly #undo: [string, CelType | undefined][] = [];
  #count = 0;

  /** A type parameter that nothing else knows. */
  fresh(): CelType {
    const name = `_var${this.#count}`;
    this.#count += 1;
    return { kind: "parameter", name };
  }

  /** Fresh parameters in place of those of a signature. */
  instantiate(types: readonly CelType[]): CelType[] {
    const own = new Map<string, CelType>();
    const replace = (type: CelType): CelType => {
      if (type.kind !== "parameter") return mapParameters(type, replace);
      const known = own.get(type.name) ?? this.fresh();
      own.set(type.name, known);
      return known;
    };
    return types.map(replace);
  }

  /** Tells whether values of the one list of types may stand where those of the other are wanted. */
  assignable(given: readonly CelType[], wanted: readonly CelType[]): boolean {
    const mark = this.#undo.length;
    if (this.#assignableAll(given, wanted)) {
      this.#undo.length = 0;
      return true;
    }
    for (let step = this.#undo.pop(); step !== undefined; step = this.#undo.pop()) {
      const [name, before] = step;
      if (before === undefined) this.#bound.delete(name);
      else this.#bound.set(name, before);
      if (this.#undo.length === mark) break;
    }
    return false;
  }

  /** A type with its parameters replaced by what they stand for; the open ones by dyn when `close`. */
  apply(type: CelType, close = false): CelType {
    if (type.kind === "parameter") {
      const bound = this.#bound.get(type.name);
      if (bound !== undefined) return this.apply(bound, close);
      return close ? { kind: "dyn" } : type;
    }
    return mapParameters(type, (part) => this.apply(part, close));
  }

  #assignableAll(given: readonly CelType[], wanted: readonly CelType[]): boolean {
    return (
      given.length === wanted.length &&
      given.every((type, index) => this.#assignable(type, wanted[index] as CelType))
    );
  }

  #assignable(left: CelType, right: CelType): boolean {
    if (right.kind === "parameter") {
      const bound = this.#bound.has(right.name);
      if (this.#bind(left, right)) return true;
      if (bound) return false;
    }
    if (left.kind === "parameter") return this.#bind(right, left);
    if (isWild(left) || isWild(right)) return true;
    if (left.kind === "null") return isNullable(right);
    if (right.kind === "null") return isNullable(left);
    switch (left.kind) {
      case "type":
        return right.kind === "type";
      case "opaque":
      case "list":
      case "map":
        return (
          left.kind === right.kind &&
          typeName(left) === typeName(right) &&
          this.#assignableAll(parametersOf(left), parametersOf(right))
        );
      default:
        return isSameType(left, right);
    }
  }

  /** Lets a parameter stand for a type too, as far as that agrees with what it stands for already. */
  #bind(type: CelType, parameter: CelType & { kind: "parameter" }): boolean {
    if (isSameType(type, parameter)) return true;
    const bound = this.#bound.get(parameter.name);
    if (bound === undefined) {
      if (this.#occursIn(parameter, type)) return false;
      this.#set(parameter.name, type);
      return true;
    }
    if (isSameType(type, bound)) return true;
    if (!this.#assignable(type, bound)) return false;
    const general = mostGeneral(type, bound);
    if (!this.#occursIn(parameter, general)) this.#set(parameter.name, general);
    return true;
  }

  #set(name: string, type: CelType): void {
    this.#undo.push([name, this.#bound.get(name)]);
    this.#bound.set(name, type);
  }

  #occursIn(parameter: CelType & { kind: "parameter" }, type: CelType): boolean {
    if (isSameType(parameter, type)) return true;
    if (type.kind === "parameter") {
      const bound = this.#bound.get(type.name);
      return bound !== undefined && this.#occursIn(parameter, bound);
    }
    return parametersOf(type).some((part) => this.#occursIn(parameter, part));
  }
}

/** Of two types that agree, the one that says less. */
export function mostGeneral(left: CelType, right: CelType): CelType {
  return isLessSpecific(left, right) ? left : right;
}

function isLessSpecific(left: CelType, right: CelType): boolean {
  if (isDyn(left) || left.kind === "parameter") return true;
  if (isDyn(right) || right.kind === "parameter") return false;
  if (left.kind !== right.kind || typeName(left) !== typeName(right)) return false;
  if (left.kind === "type") return true;
  const [ours, theirs] = [parametersOf(left), parametersOf(right)];
  return (
    ours.length === theirs.length &&
    ours.every((part, index) => isLessSpecific(part, theirs[index] as CelType))
  );
}

/** Whether a type may be anything until the expression runs. */
export function isDyn(type: CelType): boolean {
  return type.kind === "dyn";
}

function isWild(type: CelType): boolean {
  return isDyn(type) || type.kind === "error";
}

function isNullable(type: CelType): boolean {
  return ["null", "opaque", "object", "timestamp", "duration"].includes(type.kind);
}
