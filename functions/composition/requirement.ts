import type { KubeObject } from "../../kube/object.ts";

/**
 * What Crossplane said about a required resource: not asked yet, asked and not there, or there.
 * The three need different answers, so they are never folded into one (crossplane requirements).
 */
export type Resolution<T> =
  | { readonly state: "unresolved" }
  | { readonly state: "absent" }
  | { readonly state: "present"; readonly value: T };

/** Names the objects a handler wants to read: one by name, or all that carry the labels. */
export interface ResourceSelector {
  readonly apiVersion: string;
  readonly kind: string;
  /** Leave out for cluster-scoped kinds, or to search every namespace. */
  readonly namespace?: string;
  readonly match: { readonly name: string } | { readonly labels: Readonly<Record<string, string>> };
}

/**
 * The fields that a reader needs of an object: `true` is all of a field, a tree what it names of it.
 * Of a list the tree is said of each item.
 */
export interface FieldTree {
  readonly [field: string]: true | FieldTree;
}

/**
 * Answers what Crossplane resolved for a requirement by its name; lists come sorted by namespace and
 * name. Given fields, the answer need have no others but type, name and namespace: what is left out
 * of a fleet's objects is skipped on the wire, unread and unchecked.
 */
export type RequiredResources = (
  requirement: string,
  fields?: FieldTree,
) => Resolution<readonly KubeObject[]>;

/** Narrows a requirement matched by name to its one object. */
export function single(resolution: Resolution<readonly KubeObject[]>): Resolution<KubeObject> {
  if (resolution.state !== "present") return resolution;
  const [object] = resolution.value;
  return object === undefined ? { state: "absent" } : { state: "present", value: object };
}
