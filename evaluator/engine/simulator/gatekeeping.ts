import { isRecord } from "../../../kube/object.ts";
import { invalid, type Refusal, type SimulatedRequest } from "./answer.ts";
import type { Call, ServerSettings } from "./state.ts";

type Headers = SimulatedRequest["headers"];

/** As parsers of JSON in Rust have it. */
const MOST_DEPTH = 127;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?$/i;

/** Refuses a host name that is not ours, on loopback addresses, and the pages of other origins. */
export function checkSource(headers: Headers, settings: ServerSettings): Refusal | undefined {
  const { host = "", origin } = headers;
  if (settings.loopback && !LOOPBACK.test(host)) return forbidden("host is not allowed");
  if (origin !== undefined && !isAllowedOrigin(origin, settings)) {
    return forbidden("origin is not allowed");
  }
  return undefined;
}

/** The headers by which a browser learns that a page of an allowed origin may ask. */
export function crossOrigin({ origin }: Headers): Readonly<Record<string, string>> {
  return origin === undefined ? {} : { "Access-Control-Allow-Origin": origin, Vary: "Origin" };
}

/** The answer to a browser that asks before it asks. */
export const PREFLIGHT_HEADERS = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE",
  "Access-Control-Allow-Headers": "Authorization, Content-Type, X-Request-Id",
};

/** Tells that question of a browser from other requests. */
export function isPreflight({ method, headers }: SimulatedRequest): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** Refuses a request without the server's key, where it has one. */
export function checkKey(
  { authorization = "" }: Headers,
  { apiKey }: ServerSettings,
): Refusal | undefined {
  const given = /^bearer +(.*)$/i.exec(authorization)?.[1];
  if (apiKey === undefined || given === apiKey) return undefined;
  return {
    status: 401,
    code: "UNAUTHORIZED",
    error: "a valid API key is needed",
    headers: { "WWW-Authenticate": "Bearer" },
  };
}

/** The object that a body holds, or why it holds none. */
export function readBody(
  body: Uint8Array | undefined,
  { mostBodyBytes }: ServerSettings,
): Pick<Call, "body"> | Refusal {
  if (body === undefined || body.length > mostBodyBytes) {
    const error = `request body is larger than ${mostBodyBytes} bytes`;
    return { status: 413, code: "REQUEST_TOO_LARGE", error };
  }
  if (body.length === 0) return invalidJson("missing request body");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return invalidJson("request body is not valid JSON");
  }
  if (isDeeper(value, MOST_DEPTH)) return invalidJson("request body is nested too deeply");
  if (isRecord(value)) return { body: value };
  return invalid([{ loc: ["body"], msg: "Input should be an object", type: "dict_type" }]);
}

function isAllowedOrigin(origin: string, { origins }: ServerSettings): boolean {
  if (origins.includes("*") || origins.includes(origin)) return true;
  return LOOPBACK.test(origin.replace(/^https?:\/\//, ""));
}

/** Whether values lie within one another in more than so many steps; what is too deep is not entered. */
function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeper(item, depth - 1));
}

const forbidden = (error: string): Refusal => ({ status: 403, code: "FORBIDDEN", error });
const invalidJson = (error: string): Refusal => ({ status: 400, code: "INVALID_JSON", error });
