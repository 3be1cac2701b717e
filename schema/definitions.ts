import type { KubeObject } from "../kube/object.ts";
import type { Finding } from "./finding.ts";
import type { Structural } from "./structural.ts";

/** An object as the API server would store it (pruned, nulls dropped, defaulted), and why it is refused. */
export interface Checked {
  readonly object: KubeObject;
  /** Empty when the object is valid. */
  readonly findings: readonly Finding[];
  /** Paths that pruning removed, as the API server prints them. */
  readonly unknownFields: readonly string[];
  /** The same in full, where the definition can tell. */
  readonly unknown?: readonly UnknownField[];
}

/** A field that no schema names, so that it was dropped. */
export interface UnknownField {
  readonly field: string;
  readonly path: readonly (string | number)[];
  /** The known name beside it that is spelled most alike, where one comes close. */
  readonly nearest?: string;
}

/** Checks objects of one served version of a kind: prune, drop nulls, default, schema, CEL rules. */
export interface Definition {
  readonly apiVersion: string;
  readonly kind: string;
  /** Whether its objects live in namespaces; those of a cluster-scoped kind don't. */
  readonly namespaced: boolean;
  /** The schema behind it, where there is one to show. */
  readonly schema?: Structural;
  /**
   * Judges an object as the API server does when a user writes it: `status` is left as it is and
   * never judged. With `"status"`, as when a controller writes the status: all of it is judged.
   * With the object as it is stored, an update is judged: its status stays, rules about `oldSelf`
   * apply, and what was wrong before and has not changed is let pass.
   */
  check(object: KubeObject, written?: "object" | "status", old?: KubeObject): Checked;
}

/** The kinds that can be checked, by `apiVersion/kind` (`modelplane.ai/v1alpha1/ModelReplica`). */
export type Definitions = ReadonlyMap<string, Definition>;
