import type { Quantity } from "../kube/quantity.ts";
import type { Semver } from "../kube/semver.ts";

/** A quantity as a CEL value; the library tells types apart by their constructor. */
export class QuantityValue {
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }
}

/** A semantic version as a CEL value. */
export class SemverValue {
  readonly version: Semver;

  constructor(version: Semver) {
    this.version = version;
  }
}

/**
 * A value that CEL can't hold as its schema says, such as 8000.0 in an integer field: `has` sees it,
 * and every expression that reads it fails with these words.
 */
export class UnreadableValue {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}
