import { isRecord } from "../../../kube/object.ts";
import { quote } from "../../../kube/quote.ts";

/** What a simulated server does wrong on purpose, to which requests and how often. */
export type Fault = FaultScope & FaultKind;

/** Which requests a fault meets. */
export interface FaultScope {
  /** A path, or how paths begin where it ends in a slash; every path where left out. */
  readonly path?: string;
  /** So many requests; all of them where left out. */
  readonly times?: number;
}

/** The faults there are. */
export type FaultKind =
  /** Everything takes so much longer. */
  | { readonly fault: "slow"; readonly milliseconds: number }
  /** An acceptable request is answered with this instead: a full queue, a redirect, a model that does not load. */
  | {
      readonly fault: "error";
      readonly status: number;
      readonly code: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The answer breaks off in the middle. */
  | { readonly fault: "cut" }
  /** The process ends without an answer, and another takes its place. */
  | { readonly fault: "restart" }
  /** `/api/ps` reports another digest than that of the model, and a registry another manifest. */
  | { readonly fault: "wrong-digest" };

const KINDS = ["slow", "error", "cut", "restart", "wrong-digest"] as const;

/** Reads a fault from JSON, or says what is wrong with it and what to write. */
export function readFault(value: unknown): Fault | string {
  if (!isRecord(value)) return "a fault is an object";
  const { fault, path, times, milliseconds, status, code = "", headers } = value;
  const kind = KINDS.find((name) => name === fault);
  if (kind === undefined) return `fault is ${show(fault)}; give one of ${KINDS.join(", ")}`;
  if (path !== undefined && (typeof path !== "string" || !path.startsWith("/"))) {
    return `path is ${show(path)}; give a path such as /v1/systemone, or /v2/ for all below it`;
  }
  if (times !== undefined && !isWhole(times, 1, 1e9)) {
    return `times is ${show(times)}; give a whole number from 1, or leave it out for always`;
  }
  const scope = {
    ...(path === undefined ? {} : { path }),
    ...(times === undefined ? {} : { times: Number(times) }),
  };
  switch (kind) {
    case "slow":
      if (!isWhole(milliseconds, 0, 86_400_000)) {
        return `milliseconds is ${show(milliseconds)}; give a whole number from 0 to 86400000`;
      }
      return { ...scope, fault: kind, milliseconds };
    case "error":
      if (!isWhole(status, 300, 599)) {
        return `status is ${show(status)}; give an HTTP status from 300 to 599`;
      }
      if (typeof code !== "string") return `code is ${show(code)}; give a text such as QUEUE_FULL`;
      if (headers !== undefined && !isHeaders(headers)) {
        return `headers is ${show(headers)}; give an object of texts, such as {"Retry-After": "1"}`;
      }
      return { ...scope, fault: kind, status, code, ...(headers === undefined ? {} : { headers }) };
    default:
      return { ...scope, fault: kind };
  }
}

/** The faults that a server still has in store. */
export class Faults {
  #faults: readonly { readonly fault: Fault; left: number }[] = [];

  /** Adds a fault; of several that meet a request all do, the first of a kind before others of it. */
  add(fault: Fault): void {
    const left = fault.times ?? Number.POSITIVE_INFINITY;
    this.#faults = [...this.#faults, { fault, left }];
  }

  clear(): void {
    this.#faults = [];
  }

  /** Those that are left, `times` being how often they still come. */
  list(): readonly Fault[] {
    return this.#faults.map(({ fault, left }) =>
      Number.isFinite(left) ? { ...fault, times: left } : fault,
    );
  }

  /** The faults that meet a request to a path, which counts against their number. */
  meet(path: string): MetFaults {
    const met: { -readonly [Kind in keyof MetFaults]: MetFaults[Kind] } = {};
    for (const entry of this.#faults) {
      const { fault } = entry;
      if (!isAbout(fault, path) || Object.hasOwn(met, fault.fault)) continue;
      Object.assign(met, { [fault.fault]: fault });
      entry.left--;
    }
    this.#faults = this.#faults.filter(({ left }) => left > 0);
    return met;
  }
}

/** At most one fault of each kind. */
export type MetFaults = {
  readonly [Kind in FaultKind["fault"]]?: Extract<FaultKind, { readonly fault: Kind }>;
};

function isAbout({ path }: FaultScope, asked: string): boolean {
  if (path === undefined) return true;
  return path.endsWith("/") && path !== "/" ? asked.startsWith(path) : asked === path;
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function isHeaders(value: unknown): value is Readonly<Record<string, string>> {
  // What HTTP can't carry would end the process that answers.
  return (
    isRecord(value) &&
    Object.entries(value).every(
      ([name, text]) =>
        /^[A-Za-z0-9-]+$/.test(name) && typeof text === "string" && /^[\x20-\x7e]*$/.test(text),
    )
  );
}

const show = (value: unknown) =>
  typeof value === "string" ? quote(value) : (JSON.stringify(value) ?? "missing");
