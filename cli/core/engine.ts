import { spawn } from "node:child_process";
import { pino } from "pino";
import type { FunctionResult, Handler } from "../../functions/composition/composition.ts";
import { startServer } from "../../functions/server.ts";
import { MalformedMessage } from "../../functions/wire/malformed.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Definitions } from "../../schema/definitions.ts";
import { isOurFunction } from "../answers.ts";
import { controllerUid, objectId } from "../simulation/cluster.ts";
import { KEY_ANNOTATION } from "../simulation/composed.ts";
import type { SimulatedComposite, Simulation, World } from "../simulation/simulate.ts";
import type { Step } from "../simulation/step.ts";
import {
  decodeRenderResponse,
  encodeRenderRequest,
  type RenderEvent,
  type RenderRequest,
  type RenderResponse,
} from "./render-codec.ts";

/** Says that Crossplane's engine can't be run, or did not answer as one, and what to do about it. */
export class EngineUnavailable extends Error {
  override readonly name = "EngineUnavailable";
}

/** What the engine renders with, beside the world. */
export interface EngineOptions {
  /** The path of Crossplane's core binary, 2.3 or newer. */
  readonly binary: string;
  readonly handlers: readonly Handler[];
  readonly definitions: Definitions;
  steps(apiVersion: string, kind: string): readonly Step[] | undefined;
}

/** Crossplane exits with it when a step has failed; what was rendered until then is there all the same. */
const STEP_FAILED = 3;
const LONGEST_SAID = 1_000;

/**
 * Renders each composite of a world once with the reconciler of a real Crossplane, which calls our
 * function over the loopback. What composites compose is not reconciled in turn. Throws
 * EngineUnavailable.
 */
export async function renderWithCore(world: World, options: EngineOptions): Promise<Simulation> {
  const server = await startServer(
    {
      address: "127.0.0.1:0",
      certificates: undefined,
      debug: false,
      maxMessageBytes: 2 ** 31 - 1,
      metricsAddress: undefined,
    },
    options.handlers,
    pino({ enabled: false }),
  );
  const address = `127.0.0.1:${server.port}`;
  try {
    const composites: SimulatedComposite[] = [];
    for (const composite of world.composites) {
      composites.push(await renderOne(composite, world, options, address));
    }
    return {
      composites,
      refused: [],
      objects: composites.flatMap(({ composite, applied }) => [
        composite,
        ...applied.map(({ object }) => object),
      ]),
      settled: true,
    };
  } finally {
    await server.drain(1_000);
  }
}

async function renderOne(
  given: KubeObject,
  { observed, others }: World,
  { binary, definitions, steps }: EngineOptions,
  address: string,
): Promise<SimulatedComposite> {
  // The engine fills in no defaults, as the API server would have done.
  const { apiVersion, kind } = given;
  const composite = definitions.get(`${apiVersion}/${kind}`)?.check(given).object ?? given;
  const pipeline = steps(apiVersion, kind) ?? [];
  const foreign = pipeline.find(({ functionName }) => !isOurFunction(functionName));
  if (foreign !== undefined) {
    throw new EngineUnavailable(
      `step "${foreign.step}" runs ${foreign.functionName}, and --engine core calls function-sluice alone; leave --engine out`,
    );
  }
  const own = observed.filter((object) => belongsTo(object, composite));
  const { response, failed } = await run(binary, {
    composite,
    composition: compositionOf(composite, pipeline),
    functions: Object.fromEntries(pipeline.map(({ functionName }) => [functionName, address])),
    observed: own,
    required: others,
  });
  return simulated(response, own, failed);
}

function belongsTo(object: KubeObject, composite: KubeObject): boolean {
  const controller = controllerUid(object);
  return controller === undefined || controller === composite.metadata?.uid;
}

function compositionOf({ apiVersion, kind }: KubeObject, pipeline: readonly Step[]): KubeObject {
  return {
    apiVersion: "apiextensions.crossplane.io/v1",
    kind: "Composition",
    metadata: { name: "preview" },
    spec: {
      compositeTypeRef: { apiVersion, kind },
      mode: "Pipeline",
      pipeline: pipeline.map(({ step, functionName, input }) => ({
        step,
        functionRef: { name: functionName },
        ...(input === undefined ? {} : { input }),
      })),
    },
  };
}

function simulated(
  { composite, composed, deleted, events }: RenderResponse,
  observed: readonly KubeObject[],
  failed: string | undefined,
): SimulatedComposite {
  const keyed = (objects: readonly KubeObject[]) =>
    objects.map((object) => ({
      key: object.metadata?.annotations?.[KEY_ANNOTATION] ?? "",
      object,
    }));
  const before = new Map(keyed(observed).map(({ key, object }) => [key, object]));
  const unready = new Set(
    events.flatMap(
      ({ message }) => /^Composed resource "(.*)" is not yet ready$/.exec(message)?.[1] ?? [],
    ),
  );
  return {
    composite,
    applied: keyed(composed).map(({ key, object }) => ({
      key,
      object,
      before: before.get(key),
      ready: !unready.has(key),
      findings: [],
    })),
    deleted: keyed(deleted),
    results: events.flatMap(stepResult),
    error: failed,
    composedAs: undefined,
  };
}

/** The result of a function that an event tells of; Crossplane's own events say what conditions say. */
function stepResult({ type, reason, message }: RenderEvent): readonly FunctionResult[] {
  const text = /^Pipeline step "[^"]*": (.*)$/s.exec(message)?.[1];
  if (text === undefined) return [];
  return [{ severity: type === "Warning" ? "Warning" : "Normal", reason, message: text }];
}

interface Run {
  readonly response: RenderResponse;
  /** What a failed step said. */
  readonly failed: string | undefined;
}

function run(binary: string, request: RenderRequest): Promise<Run> {
  const which = `${request.composite.kind} "${objectId(request.composite).split("/").at(-1)}"`;
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(new EngineUnavailable(`${binary} did not render ${which}: ${why}`));
    const child = spawn(binary, ["internal", "render"], {
      stdio: ["pipe", "pipe", "pipe"],
      // A proxy is for what is elsewhere, and our function is here.
      env: { PATH: process.env.PATH },
    });
    const out: Buffer[] = [];
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-LONGEST_SAID);
    });
    child.stdin.on("error", () => {});
    child.on("error", (error) => fail(`${error.message}; name Crossplane's core binary`));
    child.on("close", (code) => {
      if (code !== 0 && code !== STEP_FAILED) {
        return fail(
          `it ended with ${code}: ${said.trim()}; it must be Crossplane's core, 2.3 or newer`,
        );
      }
      try {
        const failed = code === STEP_FAILED ? said.trim() || "a step failed" : undefined;
        resolve({ response: decodeRenderResponse(Buffer.concat(out)), failed });
      } catch (error) {
        if (!(error instanceof MalformedMessage)) return reject(error);
        fail(`its answer can't be read: ${error.message}`);
      }
    });
    child.stdin.end(encodeRenderRequest(request));
  });
}
