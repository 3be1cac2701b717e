import {
  type Call,
  type Comprehension,
  type Constant,
  type Expression,
  type Identifier,
  type ListLiteral,
  type MapEntry,
  type MapLiteral,
  mapChildren,
  type Select,
  type StructLiteral,
} from "./expression.ts";

/** Thrown when macros make a tree out of all proportion to its text. */
export class TooLarge {}

// Twice the nodes that the longest expression can spell out.
const MAX_NODES = 200_000;

/** Makes the nodes of one tree, each with its own id. */
export class NodeFactory {
  #count = 0;

  #id(): number {
    this.#count += 1;
    if (this.#count > MAX_NODES) throw new TooLarge();
    return this.#count;
  }

  constant(start: number, value: unknown): Constant {
    return { kind: "constant", id: this.#id(), start, value };
  }

  identifier(start: number, name: string): Identifier {
    return { kind: "identifier", id: this.#id(), start, name };
  }

  select(start: number, operand: Expression, field: string, testOnly = false): Select {
    return { kind: "select", id: this.#id(), start, operand, field, testOnly };
  }

  call(start: number, name: string, args: readonly Expression[], target?: Expression): Call {
    return { kind: "call", id: this.#id(), start, name, target, args };
  }

  list(
    start: number,
    elements: readonly Expression[],
    optional: ReadonlySet<number> = new Set(),
  ): ListLiteral {
    return { kind: "list", id: this.#id(), start, elements, optional };
  }

  map(start: number, entries: readonly MapEntry[]): MapLiteral {
    return { kind: "map", id: this.#id(), start, entries };
  }

  entry(start: number, key: Expression, value: Expression, optional: boolean): MapEntry {
    return { id: this.#id(), start, key, value, optional };
  }

  struct(start: number, name: string): StructLiteral {
    return { kind: "struct", id: this.#id(), start, name };
  }

  comprehension(start: number, parts: Omit<Comprehension, "kind" | "id" | "start">): Comprehension {
    return { kind: "comprehension", id: this.#id(), start, ...parts };
  }

  /** The same tree again, with ids of its own. */
  copy(node: Expression): Expression {
    const id = this.#id();
    const copied = mapChildren(node, (child) => this.copy(child));
    if (copied.kind !== "map") return { ...copied, id };
    return { ...copied, id, entries: copied.entries.map((one) => ({ ...one, id: this.#id() })) };
  }
}
