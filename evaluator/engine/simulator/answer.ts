/** An answer that is not a success: thrown nowhere, returned by whatever finds the fault. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly detail?: readonly Issue[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** One thing that is wrong with a body. */
export interface Issue {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** What a request is answered with. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Breaks the connection in the middle of the body. */
  readonly cut?: boolean;
}

/** A request as it arrived. */
export interface SimulatedRequest {
  readonly method: string;
  /** With its query. */
  readonly target: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** `undefined` where it has more bytes than a body may have. */
  readonly body: Uint8Array | undefined;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

const JSON_TYPE = { "content-type": "application/json" };

/** An answer with a JSON body. */
export function json(status: number, value: unknown): Answer {
  return { status, headers: JSON_TYPE, body: JSON.stringify(value) };
}

/** An answer without a body. */
export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body: "" };
}

/** A refusal as it goes over the wire. */
export function refusalAnswer({ status, code, error, detail, headers = {} }: Refusal): Answer {
  const body = JSON.stringify({ error, code, ...(detail === undefined ? {} : { detail }) });
  return { status, headers: { ...JSON_TYPE, ...headers }, body };
}

/** A refusal of a model that is not in the store, in upstream's words. */
export function modelNotFound(name: string, suffix = ""): Refusal {
  const error = `model "${name}" not found, try pulling it first${suffix}`;
  return { status: 404, code: "MODEL_NOT_FOUND", error };
}

/** A refusal for everything that is wrong with a body; `code` says of what kind that is. */
export function invalid(detail: readonly Issue[], code = "INVALID_REQUEST"): Refusal {
  const shown = detail.map(({ loc, msg }) => {
    const path = loc.filter((part, index) => index > 0 || part !== "body").join(".");
    return path === "" ? msg : `${path}: ${msg}`;
  });
  return { status: 422, code, error: shown.join("; "), detail };
}

/** Tells a refusal from what was wanted instead. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "code" in value && "error" in value;
}
