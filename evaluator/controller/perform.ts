import type { ModelName } from "../../api/model-name.ts";
import { parseModelName } from "../../api/model-name.ts";
import type { Clock } from "../engine/clock.ts";
import type { CallLimits, DecideOutcome, Engine } from "../engine/engine.ts";
import { type CaseResult, concludeRun } from "../evaluation/run.ts";
import type { Server, Work } from "../rollout/decision.ts";
import type { RunResult } from "../rollout/world.ts";

/** What work needs besides what a decision says of it. */
export interface Surroundings {
  readonly engine: Engine;
  readonly clock: Clock;
  /** The host that names without one mean. */
  readonly defaultHost: string;
  /** The key of the servers; it is in no result. */
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
}

const RESOLVE_MILLISECONDS = 60_000;
const INSPECT_MILLISECONDS = 5_000;

/** Does a piece of work and says what came of it; it ends early, with any result, once the signal aborts. */
export async function perform(work: Work, around: Surroundings): Promise<RunResult> {
  switch (work.type) {
    case "Resolve":
      return resolve(work.model, around);
    case "WarmUp": {
      const model = nameOf(work.model, around);
      const outcome = await around.engine.warm(
        engineServer(work.server, around),
        model,
        limits(around, work.milliseconds),
      );
      return { type: "WarmUp", problem: outcome.state === "warm" ? undefined : outcome.message };
    }
    case "Inspect": {
      const server = engineServer(work.server, around);
      const outcome = await around.engine.inspect(server, limits(around, INSPECT_MILLISECONDS));
      return {
        type: "Inspect",
        outcome:
          outcome.state === "inspected"
            ? outcome
            : { state: "unreachable", message: outcome.message },
      };
    }
    case "Evaluate":
      return evaluate(work, around);
  }
}

async function resolve(model: ModelName, around: Surroundings): Promise<RunResult> {
  const found = await around.engine.resolve(model, limits(around, RESOLVE_MILLISECONDS));
  switch (found.state) {
    case "resolved": {
      const manifest = Buffer.from(found.manifest).toString("base64");
      return { type: "Resolve", outcome: { state: "resolved", digest: found.digest, manifest } };
    }
    case "transient":
      return { type: "Resolve", outcome: { state: "unreachable", message: found.message } };
    case "absent":
    case "refused":
      return { type: "Resolve", outcome: found };
  }
}

/**
 * Puts every case to the servers, a few at a time, each to the server whose turn it is. One case that
 * comes to nothing ends the run, since the rest would be another dataset's.
 */
async function evaluate(
  { servers, model, cases, tolerance, deadline, parallelism }: Extract<Work, { type: "Evaluate" }>,
  around: Surroundings,
): Promise<RunResult> {
  const { engine, clock } = around;
  const name = nameOf(model, around);
  const results: (CaseResult | undefined)[] = cases.map(() => undefined);
  const given = new AbortController();
  const signal = AbortSignal.any([around.signal, given.signal]);
  let next = 0;
  const takeTurns = async (turn: number) => {
    while (!signal.aborted && next < cases.length) {
      const index = next++;
      const one = cases[index];
      const server = servers[turn % servers.length];
      if (one === undefined || server === undefined) return;
      const outcome = await engine.decide(
        engineServer(server, around),
        { model: name, state: one.state, questions: one.questions },
        { milliseconds: Math.max(0, deadline - clock.now()), signal },
      );
      results[index] = caseResult(outcome);
      if (outcome.state !== "answered") given.abort();
    }
  };
  const turns = Math.min(cases.length, Math.max(1, parallelism));
  await Promise.all(Array.from({ length: turns }, (_, turn) => takeTurns(turn)));
  // A case that was cut off because another one failed says nothing of its own.
  const first = results.findIndex((result) => result !== undefined && result.state !== "answered");
  const told =
    first < 0 ? results : results.map((result, index) => (index > first ? undefined : result));
  return { type: "Evaluate", outcome: concludeRun(cases, told, tolerance) };
}

function caseResult(outcome: DecideOutcome): CaseResult {
  switch (outcome.state) {
    case "answered":
    case "rejected":
      return outcome;
    case "transient":
    case "refused":
      return { state: "broken", message: outcome.message };
  }
}

function limits({ signal }: Surroundings, milliseconds: number): CallLimits {
  return { milliseconds, signal };
}

function engineServer({ address }: Server, { engine, apiKey }: Surroundings) {
  const host = address.includes(":") ? `[${address}]` : address;
  return { origin: `http://${host}:${engine.serve.port}`, apiKey };
}

/** Only names that were parsed before are ever recorded. */
function nameOf(model: string, { defaultHost }: Surroundings): ModelName {
  const parsed = parseModelName(model, defaultHost);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.name;
}
