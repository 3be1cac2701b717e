/** A list of type set: it equals another in any order, and `+` adds only what it does not have. */
export class SetList extends Array<unknown> {
  // What is made from it is a plain list.
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** Holds the items of a list. */
  static holding(items: readonly unknown[]): SetList {
    const list = new SetList();
    for (const item of items) list.push(item);
    return list;
  }
}

/**
 * A list of type map: it equals another in any order, and `+` puts an item in the place of the one
 * that has its keys. The keys are names of fields as rules write them.
 */
export class KeyedList extends Array<unknown> {
  keyNames: readonly string[] = [];

  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** Holds the items of a list. */
  static withKeys(items: readonly unknown[], keyNames: readonly string[]): KeyedList {
    const list = new KeyedList();
    for (const item of items) list.push(item);
    list.keyNames = keyNames;
    return list;
  }
}

/**
 * A value that no schema describes: it can only be compared, by its JSON. Where its field is declared
 * it counts like any other; where it is not, the API server lets it be missing on the other side.
 */
export class PreservedValue {
  readonly isDeclared: boolean;
  readonly #write: () => string;

  /** `write` gives the JSON; few rules compare what no schema describes, so it waits to be asked. */
  constructor(write: () => string, isDeclared: boolean) {
    this.#write = write;
    this.isDeclared = isDeclared;
  }

  get json(): string {
    return this.#write();
  }
}
