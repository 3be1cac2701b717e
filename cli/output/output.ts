import { stringField } from "../../kube/object.ts";
import { visible } from "../render/text.ts";
import type { Place } from "../source.ts";
import type { Verdict } from "../verdict.ts";

/** What could not be judged, and why. */
export interface Unreadable {
  readonly file: string;
  readonly place?: Place | undefined;
  readonly message: string;
}

/** How many documents a run met, by what became of them. */
export interface Totals {
  /** All but the skipped ones. */
  readonly documents: number;
  readonly invalid: number;
  readonly unreadable: number;
  /** Of kinds that no schema was given for. */
  readonly skipped: number;
}

/** How a run is printed: each thing as it comes, and at the end what they add up to. */
export interface Output {
  verdict(verdict: Verdict): void;
  unreadable(unreadable: Unreadable): void;
  finish(totals: Totals, exitCode: number): void;
}

/** What a run's outputs need to know of its flags. */
export interface OutputOptions {
  /** Whether unknown fields make an object invalid. */
  readonly strict: boolean;
  /** Whether to print the object as it would be stored. */
  readonly stored: boolean;
}

/** Whether a verdict lets an object pass. */
export function isValid({ findings, unknown }: Verdict, { strict }: OutputOptions): boolean {
  return findings.length === 0 && (!strict || unknown.length === 0);
}

/** A file and a place in it, as compilers print them. */
export function at(file: string, place?: Place): string {
  const name = file === "-" ? "<stdin>" : visible(file);
  return place === undefined ? name : `${name}:${place.line}:${place.column}`;
}

/** An object's kind, namespace and name; names that are no text are left out. */
export function title({ object }: Verdict): string {
  const text = (key: string) => stringField(object, "metadata", key);
  const name = text("name") ?? text("generateName") ?? "without a name";
  const namespace = text("namespace");
  return visible(`${object.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`);
}

/** The one line that tells of skipped documents, `undefined` where there are none. */
export function skippedLine({ skipped }: Totals): string | undefined {
  if (skipped === 0) return undefined;
  const objects = skipped === 1 ? "1 object" : `${skipped} objects`;
  return `${objects} of other kinds skipped, for which no schema is given; --schemas adds them`;
}

/** How many objects there were and what became of them. */
export function summaryLine({ documents, invalid, unreadable }: Totals): string {
  const objects = documents === 1 ? "object" : "objects";
  const unread = unreadable > 0 ? `, ${unreadable} not understood` : "";
  return `${documents} ${objects}, ${invalid} invalid${unread}`;
}
