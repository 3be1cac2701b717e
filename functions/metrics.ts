import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { CallFacts } from "./run.ts";

/** The function's Prometheus metrics; no label carries a name or any other word of a request. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts a call that was answered. */
  answered(facts: CallFacts, seconds: number): void;
  /** Counts a call whose request could not be decoded. */
  refused(requestBytes: number): void;
  /** Counts a request that exceeds --max-message-bytes; its size is not always known. */
  oversized(requestBytes: number | undefined): void;
  certificateExpires(secondsSince1970: number): void;
}

const SECONDS = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const BYTES = [1e3, 4e3, 1.6e4, 6.4e4, 2.56e5, 1e6, 4e6, 1.6e7, 6.4e7];

/** Builds the metrics on a registry of their own; `kind` is `apiVersion/kind` of the XR or `other`. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const calls = new Counter({
    name: "sluice_function_calls_total",
    help: "RunFunction calls by kind of the composite resource; outcome is answered, bug or invalid",
    labelNames: ["kind", "outcome"],
    registers,
  });
  const seconds = new Histogram({
    name: "sluice_function_call_seconds",
    help: "Time from a decoded gRPC message to its encoded answer",
    labelNames: ["kind"],
    buckets: SECONDS,
    registers,
  });
  const results = new Counter({
    name: "sluice_function_results_total",
    help: "Results returned, by severity: Normal, Warning or Fatal",
    labelNames: ["kind", "severity"],
    registers,
  });
  const holds = new Counter({
    name: "sluice_function_holds_total",
    help: "Calls that held the observed state since an input was absent or invalid, by reason",
    labelNames: ["kind", "reason"],
    registers,
  });
  const requestBytes = new Histogram({
    name: "sluice_function_request_bytes",
    help: "Size of RunFunctionRequest messages",
    buckets: BYTES,
    registers,
  });
  const responseBytes = new Histogram({
    name: "sluice_function_response_bytes",
    help: "Size of RunFunctionResponse messages; Crossplane takes at most 4194304 bytes",
    buckets: BYTES,
    registers,
  });
  const oversized = new Counter({
    name: "sluice_function_oversized_requests_total",
    help: "Requests refused unread since they exceed --max-message-bytes",
    registers,
  });
  const expiry = new Gauge({
    name: "sluice_function_certificate_expiry_timestamp_seconds",
    help: "When the server certificate in use expires, in seconds since 1970",
    registers,
  });
  return {
    registry,
    answered(facts, duration) {
      const { kind } = facts;
      calls.inc({ kind, outcome: facts.bug === undefined ? "answered" : "bug" });
      seconds.observe({ kind }, duration);
      for (const [severity, number] of Object.entries(facts.severities)) {
        if (number > 0) results.inc({ kind, severity }, number);
      }
      if (facts.holding !== undefined) holds.inc({ kind, reason: facts.holding });
      requestBytes.observe(facts.requestBytes);
      responseBytes.observe(facts.responseBytes);
    },
    refused(bytes) {
      calls.inc({ kind: "other", outcome: "invalid" });
      requestBytes.observe(bytes);
    },
    oversized(bytes) {
      oversized.inc();
      if (bytes !== undefined) requestBytes.observe(bytes);
    },
    certificateExpires(timestamp) {
      expiry.set(timestamp);
    },
  };
}
