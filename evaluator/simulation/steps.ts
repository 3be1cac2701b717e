import {
  ANNOTATIONS,
  deploymentName,
  LABELS,
  prefetchJobName,
  storeName,
} from "../../api/decision-model.ts";
import type { DecisionModel, Revision } from "../../api/gen/decisionmodels.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, type KubeObject, stringField } from "../../kube/object.ts";
import { approvalOf } from "../rollout/policy.ts";
import { DECISION_MODEL, kindOf, type ServedKind } from "./kinds.ts";
import type { Expected, ObjectReference, Role, Step, Timeline } from "./timeline.ts";
import { formatPassed } from "./trace.ts";
import { podsOfRevision, type SimulatedWorld } from "./world.ts";

/** The operator's process as steps change it. */
export interface Processes {
  start(): void;
  stop(): Promise<void>;
  kill(): void;
}

/** Does the steps of a timeline, one after the other. */
export class Steps {
  readonly #world: SimulatedWorld;
  readonly #processes: Processes;
  readonly #problems: string[] = [];

  constructor(world: SimulatedWorld, processes: Processes) {
    this.#world = world;
    this.#processes = processes;
  }

  /** Does all of them, and says what was not as it should be. */
  async all({ objects, steps, expect }: Timeline): Promise<readonly string[]> {
    this.#apply(objects);
    this.#processes.start();
    await this.#world.clock.advanceTo(this.#world.clock.now());
    for (const [index, step] of steps.entries()) {
      await this.#do(step, `steps[${index}]`);
      if (this.#problems.length > 0) return this.#problems;
      await this.#world.clock.advanceTo(this.#world.clock.now());
    }
    const missing = this.#differences(expect, undefined);
    return [...this.#problems, ...missing.map((one) => `expect: ${one}`)];
  }

  async #do(step: Step, at: string): Promise<void> {
    const { clock } = this.#world;
    if (step.on !== undefined && this.#model(step.on).metadata.uid === undefined) {
      this.#problems.push(`${at}: there is no DecisionModel ${step.on}`);
      return;
    }
    switch (step.do) {
      case "apply":
        return this.#apply(step.objects);
      case "patch":
        return this.#patch(step.of, step.patch, step.on, at);
      case "approve":
        return this.#approve(step.with, step.on);
      case "wait":
        return clock.advanceTo(clock.now() + step.milliseconds);
      case "until":
        return this.#until(step, at);
      case "delete":
        return this.#delete(step.of, step.on);
      case "crash":
        for (const pod of this.#somePods(step.role, step.on, at)) {
          this.#world.cluster.kubelet.crash(pod, step.forever);
        }
        return this.#world.tell("fault", `the containers of the ${step.role} revision crash`);
      case "registry":
        this.#world.setTag(step.model, step.tag);
        return this.#world.tell("fault", `registry: ${step.model} is ${step.tag}`);
      case "registry-fault":
        return this.#fault(this.#world.engine.registryFaults, step.fault, "registry");
      case "engine-fault":
        for (const pod of this.#somePods(step.role, step.on, at)) {
          const address = stringField(pod.status, "podIP") ?? "";
          const name = `engine in ${pod.metadata?.name}`;
          this.#fault(this.#world.engine.faultsAt(address), step.fault, name);
        }
        return undefined;
      case "node":
        this.#world.change(step.node);
        return this.#world.tell("fault", `node: ${JSON.stringify(step.node)}`);
      case "operator":
        return this.#operator(step.change);
    }
  }

  async #operator(change: "restart" | "stop" | "start"): Promise<void> {
    if (change === "restart") this.#processes.kill();
    else if (change === "start") this.#processes.start();
    else await this.#processes.stop();
    if (change !== "restart") this.#world.tell("operator", change);
  }

  #fault(
    faults: SimulatedWorld["engine"]["registryFaults"],
    fault: Extract<Step, { do: "engine-fault" }>["fault"],
    of: string,
  ): void {
    if (fault === "none") faults.clear();
    else faults.add(fault);
    this.#world.tell("fault", `${of}: ${fault === "none" ? "none" : JSON.stringify(fault)}`);
  }

  #apply(objects: readonly KubeObject[]): void {
    for (const object of objects) {
      const { namespace = "default", name = "" } = object.metadata ?? {};
      const placed = { ...object, metadata: { ...object.metadata, namespace } };
      const kind = served(object.kind);
      this.#world.tell("you", `apply ${object.kind} ${name}`);
      const there = this.#world.store.get(kind, namespace, name);
      const answer = this.#world.mine((store) =>
        there.ok ? store.replace(kind, placed) : store.create(kind, placed),
      );
      if (!answer.ok)
        this.#problems.push(`apply ${object.kind} ${name}: ${answer.problem.message}`);
    }
  }

  #patch(of: ObjectReference | undefined, patch: object, on: string | undefined, at: string): void {
    const { metadata } = this.#model(on);
    const { namespace = "" } = metadata;
    const kind = of === undefined ? DECISION_MODEL : served(of.kind);
    const name = of === undefined ? (metadata.name ?? "") : this.#nameOf(of, on);
    this.#world.tell("you", `patch ${kind.kind} ${name}: ${JSON.stringify(patch)}`);
    const answer = this.#world.mine((store) =>
      store.patch(kind, { namespace, name }, patch, { part: "object", type: "merge" }),
    );
    if (!answer.ok) this.#problems.push(`${at}: ${answer.problem.message}`);
  }

  #approve(how: Extract<Step, { do: "approve" }>["with"], on: string | undefined): void {
    const { status = {} } = this.#model(on);
    const { hash = "" } = status.candidateRevision ?? {};
    const approval = how === "approval" ? approvalOf(hash, status) : hash;
    const value = typeof how === "object" ? how.value : approval;
    const patch = { metadata: { annotations: { [ANNOTATIONS.promote]: value } } };
    this.#patch(undefined, patch, on, "approve");
  }

  #delete(of: ObjectReference, on: string | undefined): void {
    const { namespace = "" } = this.#model(on).metadata;
    const name = this.#nameOf(of, on);
    this.#world.tell("you", `delete ${of.kind} ${name}`);
    const answer = this.#world.mine((store) => store.delete(served(of.kind), namespace, name));
    if (!answer.ok) this.#problems.push(`delete ${of.kind} ${name}: ${answer.problem.message}`);
  }

  async #until(
    { state, milliseconds, on }: Extract<Step, { do: "until" }>,
    at: string,
  ): Promise<void> {
    const { clock } = this.#world;
    const end = clock.now() + milliseconds;
    while (this.#differences(state, on).length > 0) {
      const { next } = clock;
      if (next === undefined || next > end) {
        const waited = formatPassed(milliseconds);
        const [first] = this.#differences(state, on);
        this.#problems.push(`${at}: waited ${waited} in vain: ${first}`);
        return;
      }
      await clock.advanceTo(next);
    }
  }

  /** What of a state a DecisionModel does not show. */
  #differences(expected: Expected, on: string | undefined): readonly string[] {
    const model = this.#model(on);
    const { status = {} } = model;
    const seen: Record<string, unknown> = {
      phase: status.phase,
      stable: modelOf(status.stableRevision),
      candidate: modelOf(status.candidateRevision),
      failed: modelOf(status.failedRevision),
      previous: modelOf(status.previousRevision?.revision as Revision | undefined),
      ready: status.replicas?.modelReady,
      traffic: this.#traffic(model),
    };
    const { conditions = {}, ...plain } = expected;
    const named = model.metadata.name;
    const wrong = Object.entries(plain)
      .filter(([name, value]) => seen[name] !== value)
      .map(([name, value]) => `${named}: ${name} is ${seen[name]} and not ${value}`);
    const wrongConditions = Object.entries(conditions).flatMap(([type, value]) => {
      const found = findCondition(model as KubeObject, type);
      const shown = found === undefined ? "absent" : `${found.status}/${found.reason}`;
      return shown === value ? [] : [`${named}: condition ${type} is ${shown} and not ${value}`];
    });
    return [...wrong, ...wrongConditions];
  }

  #traffic({ metadata, status = {} }: DecisionModel): string {
    const { namespace = "", name = "" } = metadata;
    const service = this.#world.store.get(served("Service"), namespace, name);
    if (!service.ok) return "none";
    const hash = stringField(service.value.spec, "selector", LABELS.revision);
    const known = [
      status.stableRevision,
      status.candidateRevision,
      status.failedRevision,
      status.previousRevision?.revision as Revision | undefined,
    ];
    return known.find((revision) => revision?.hash === hash)?.model ?? `revision ${hash}`;
  }

  /** The pods of a revision, of which a step must have some. */
  #somePods(role: Role, on: string | undefined, at: string): readonly KubeObject[] {
    const pods = this.#pods(role, on);
    if (pods.length === 0) this.#problems.push(`${at}: there is no pod of a ${role} revision`);
    return pods;
  }

  #pods(role: Role, on: string | undefined): readonly KubeObject[] {
    const { namespace = "", name = "" } = this.#model(on).metadata;
    return podsOfRevision(this.#world.store, namespace, name, this.#hashOf(role, on));
  }

  #nameOf({ kind, name, role }: ObjectReference, on: string | undefined): string {
    if (name !== undefined) return name;
    const { metadata } = this.#model(on);
    const model = metadata.name ?? "";
    if (role === undefined) return model;
    const hash = this.#hashOf(role, on);
    if (kind === "Pod") return this.#pods(role, on)[0]?.metadata?.name ?? "";
    if (kind === "PersistentVolumeClaim") return storeName(model, hash);
    return kind === "Job" ? prefetchJobName(model, hash) : deploymentName(model, hash);
  }

  #hashOf(role: Role, on: string | undefined): string {
    return String(field(this.#model(on).status, `${role}Revision`, "hash") ?? "");
  }

  /** The DecisionModel of that name, or the first there is. */
  #model(on: string | undefined): DecisionModel {
    const all = this.#world.store.list(DECISION_MODEL);
    const items = all.ok ? (all.value.items as readonly DecisionModel[]) : [];
    const found = items.find(({ metadata }) => on === undefined || metadata.name === on);
    return found ?? ({ metadata: { namespace: "default", name: on ?? "none" } } as DecisionModel);
  }
}

function modelOf(revision: Revision | undefined): string {
  return revision?.model ?? "none";
}

function served(name: string): ServedKind {
  const kind = name === DECISION_MODEL.kind ? DECISION_MODEL : kindOf(name);
  if (kind === undefined) throw new Error(`kind ${name} is not served in a simulation`);
  return kind;
}
