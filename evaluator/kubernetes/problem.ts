import { numberField, stringField } from "../../kube/object.ts";
import type { Problem } from "./client.ts";

/** The most characters of a server's own words that are passed on. */
const MOST_WORDS = 1000;

/**
 * What an answer other than a success means. `body` is its JSON, `undefined` where it has none; a
 * proxy's page may hold anything, so nothing but a Status is quoted.
 */
export function problemOf(status: number, body: unknown, isWrite: boolean): Problem {
  const isStatus = stringField(body, "kind") === "Status";
  const said = isStatus ? (stringField(body, "message") ?? "") : "";
  const message = said === "" ? unexplained(status) : said.slice(0, MOST_WORDS);
  return { reason: reasonOf(status, isStatus ? body : undefined, isWrite), message };
}

/** What an ERROR event of a watch means; `object` is its Status. */
export function watchProblem(object: unknown): Problem {
  return problemOf(numberField(object, "code") ?? 500, object, false);
}

function unexplained(status: number): string {
  if (status >= 300 && status < 400) {
    return `the server answered ${status}, a redirect, which is not followed: give it the URL of the API server itself`;
  }
  if (status === 404) {
    return "the server answered 404, as if it had no such kind: is its definition installed?";
  }
  return `the server answered ${status} without a reason`;
}

function reasonOf(status: number, body: unknown, isWrite: boolean): Problem["reason"] {
  const reason = stringField(body, "reason");
  switch (status) {
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      // Without a name it is the kind, or the path, that is not there; no object is missing then.
      return (stringField(body, "details", "name") ?? "") !== "" ? "NotFound" : "Unavailable";
    case 409:
      return reason === "AlreadyExists" ? "AlreadyExists" : "Conflict";
    case 410:
      return "Gone";
    case 429:
      return "Unavailable";
    case 503:
      // Of all failures of a server this one says that it did not begin.
      return isWrite && reason !== "ServiceUnavailable" ? "Lost" : "Unavailable";
  }
  if (status < 400) return "Unavailable";
  if (status >= 500 || status === 408) return isWrite ? "Lost" : "Unavailable";
  return "Invalid";
}
