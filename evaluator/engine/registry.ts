import { createHash } from "node:crypto";
import { isRecord } from "../../kube/object.ts";
import type { Clock } from "./clock.ts";
import type { CallFailure, CallLimits, ResolveOutcome } from "./engine.ts";
import type { HttpOutcome, HttpSender } from "./http.ts";
import { retryAfter } from "./retry-after.ts";

const ATTEMPT_MILLISECONDS = 10_000;
const PAUSES = [100, 400];
const LONGEST_RETRY_AFTER = 30_000;
const MOST_REDIRECTS = 10;

type Response = Extract<HttpOutcome, { state: "response" }>;

/**
 * Fetches a manifest of the registry protocol (`GET /v2/NAMESPACE/MODEL/manifests/TAG`) and hashes
 * it. Three attempts, of 10 s each, at what may pass: no answer, 429 and 5xx. Redirects stay
 * within the origin, so that nobody but the registry that the user allowed says what a tag means.
 */
export async function fetchManifest(
  http: HttpSender,
  clock: Clock,
  url: URL,
  limits: CallLimits,
): Promise<ResolveOutcome> {
  const deadline = clock.now() + limits.milliseconds;
  for (let attempt = 0; ; attempt++) {
    const left = deadline - clock.now();
    if (left <= 0) return transient(url, "no time is left to ask");
    const response = await follow(http, url, Math.min(left, ATTEMPT_MILLISECONDS), limits.signal);
    const outcome = "status" in response ? read(url, response) : response;
    const pause = PAUSES[attempt];
    if (outcome.state !== "transient" || pause === undefined || limits.signal.aborted) {
      return outcome;
    }
    const asked =
      "status" in response ? retryAfter(response.headers["retry-after"], clock.now()) : 0;
    // Asked to stay away for longer, this call ends; the next one is the caller's to time.
    if (asked > LONGEST_RETRY_AFTER || clock.now() + asked >= deadline) return outcome;
    await clock.after(Math.max(pause, asked), limits.signal);
  }
}

async function follow(
  http: HttpSender,
  start: URL,
  milliseconds: number,
  signal: AbortSignal,
): Promise<Response | CallFailure> {
  let url = start;
  const until = performance.now() + milliseconds;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const left = Math.max(1, until - performance.now());
    const outcome = await http.send({ method: "GET", url, milliseconds: left, signal });
    if (outcome.state === "failed") return transient(start, outcome.problem);
    if (outcome.state === "too large") return refused(start, "the manifest is larger than 1 MiB");
    if (![301, 302, 303, 307, 308].includes(outcome.status)) return outcome;
    const { location } = outcome.headers;
    if (location === undefined || !URL.canParse(location, url.href)) {
      return refused(start, "it redirects to no URL");
    }
    const next = new URL(location, url);
    if (next.origin !== start.origin || next.username !== "" || next.password !== "") {
      return refused(start, "it redirects to another origin: name that registry in spec.model");
    }
    url = next;
  }
  return refused(start, `it redirects more than ${MOST_REDIRECTS} times`);
}

function read(url: URL, { status, body }: Response): ResolveOutcome {
  if (status === 404) {
    const message = `${url.href}: the registry has no such model or tag: check spec.model`;
    return { state: "absent", message };
  }
  if (status === 429 || status >= 500) return transient(url, `HTTP ${status}`);
  if (status === 401 || status === 403) {
    return refused(url, `HTTP ${status}: the registry wants credentials, which models can't have`);
  }
  if (status !== 200) return refused(url, `HTTP ${status}: is this a registry of models?`);
  if (schemaVersion(body) !== 2) {
    return refused(url, "it is no manifest with schemaVersion 2: is this a registry of models?");
  }
  const digest = createHash("sha256").update(body).digest("hex");
  return { state: "resolved", digest, manifest: body };
}

function schemaVersion(body: Buffer): unknown {
  try {
    const manifest: unknown = JSON.parse(body.toString("utf8"));
    return isRecord(manifest) ? manifest.schemaVersion : undefined;
  } catch {
    return undefined;
  }
}

const transient = (url: URL, problem: string) =>
  ({ state: "transient", message: `${url.href}: ${problem}` }) as const;
const refused = (url: URL, problem: string) =>
  ({ state: "refused", message: `${url.href}: ${problem}` }) as const;
