import { formatInstant } from "../../kube/instant.ts";
import {
  field,
  isRecord,
  type KubeObject,
  listField,
  numberField,
  stringField,
} from "../../kube/object.ts";
import { kindOf, type ServedKind } from "./kinds.ts";

import { claimsOf, hasEnded, type Workings } from "./workings.ts";

/** How the containers of a pod's Job end. */
export interface Exit {
  readonly milliseconds: number;
  readonly code: number;
  /** What it leaves in its termination message. */
  readonly message: string;
}

/** What varies about the one node: how long things take, and what runs in its containers. */
export interface Node {
  /** How long it takes until the container of a server is up, or `undefined` if it never is. */
  startMilliseconds(pod: KubeObject): number | undefined;
  /** What comes of the container of a Job, or `undefined` if it never ends. */
  exit(pod: KubeObject): Exit | undefined;
  /** Hears that the container of a server is up, for the first time or again. */
  started(pod: KubeObject, address: string): void;
  /** The address of the pod that is the so manieth; one of 10.0.0.0/8 by default. */
  address?(count: number): string;
}

const POD = kindOf("Pod") as ServedKind;
const CLAIM = kindOf("PersistentVolumeClaim") as ServedKind;
const SECRET = kindOf("Secret") as ServedKind;
const TERMINATION_MILLISECONDS = 1000;
const RETRY_MILLISECONDS = 10_000;

/** Stands in for the kubelet and the scheduler of one node, which every pod fits on. */
export class Kubelet {
  readonly #workings: Workings;
  readonly #node: Node;
  /** The pods that mount a claim or wait for it, by `namespace/name` of the claim. */
  readonly #mounting = new Map<string, Map<string, KubeObject>>();
  readonly #begun = new Set<string>();
  #addresses = 0;

  constructor(workings: Workings, node: Node) {
    this.#workings = workings;
    this.#node = node;
    workings.store.observe(({ type, object }) => {
      if (object.kind !== "Pod") return;
      for (const key of claimKeys(object)) {
        const pods = this.#mounting.get(key) ?? new Map<string, KubeObject>();
        this.#mounting.set(key, pods);
        if (type === "DELETED") pods.delete(object.metadata?.uid ?? "");
        else pods.set(object.metadata?.uid ?? "", object);
      }
      if (type === "DELETED") this.#begun.delete(object.metadata?.uid ?? "");
    });
  }

  /** Whether a pod that has not ended mounts a claim. */
  mounts({ metadata }: KubeObject): boolean {
    const pods = this.#mounting.get(`${metadata?.namespace}/${metadata?.name}`)?.values() ?? [];
    return [...pods].some((pod) => !hasEnded(pod) && this.#begun.has(pod.metadata?.uid ?? ""));
  }

  /** Has pods look that may have waited for a claim. */
  claimChanged({ metadata }: KubeObject): void {
    const pods = this.#mounting.get(`${metadata?.namespace}/${metadata?.name}`)?.values() ?? [];
    for (const pod of pods) this.#workings.again(pod, 0);
  }

  /** Starts a pod, says whether it is ready, or ends it. */
  keepPod(pod: KubeObject): void {
    const { namespace = "", name = "", uid = "", deletionTimestamp } = pod.metadata ?? {};
    const { store, clock } = this.#workings;
    if (deletionTimestamp !== undefined) {
      clock.call(TERMINATION_MILLISECONDS, () =>
        store.delete(POD, namespace, name, { uid, now: true }),
      );
      return;
    }
    if (hasEnded(pod)) return;
    if (!this.#begun.has(uid)) this.#begin(pod);
    else this.#sayReady(pod);
  }

  /** Has the container of a pod fail; it is started again, or fails again and again. */
  crash(pod: KubeObject, forever: boolean): void {
    const restarts = restartsOf(pod) + 1;
    const waiting = { reason: "CrashLoopBackOff", message: "back-off restarting failed container" };
    this.#write(pod, {
      containerStatuses: [containerStatus(pod, restarts, forever ? { waiting } : { waiting: {} })],
      conditions: [this.#condition("ContainersReady", false), this.#condition("Ready", false)],
    });
    if (forever) return;
    const { namespace = "", name = "", uid } = pod.metadata ?? {};
    this.#workings.clock.call(this.#node.startMilliseconds(pod) ?? 0, () => {
      const now = this.#workings.store.get(POD, namespace, name);
      if (now.ok && now.value.metadata?.uid === uid) this.#up(now.value);
    });
  }

  #begin(pod: KubeObject): void {
    const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
    const { store, clock } = this.#workings;
    const claims = claimsOf(pod).map((claim) => store.get(CLAIM, namespace, claim));
    const areThere = claims.every(
      (claim) => claim.ok && claim.value.metadata?.deletionTimestamp === undefined,
    );
    // What waits for a claim is looked at when that changes.
    if (!areThere) return;
    const missing = secretsOf(pod).find((secret) => !store.get(SECRET, namespace, secret).ok);
    if (missing !== undefined) {
      this.#workings.again(pod, RETRY_MILLISECONDS);
      return;
    }
    const isJob = stringField(pod.spec, "restartPolicy") === "Never";
    this.#begun.add(uid);
    const exit = isJob ? this.#node.exit(pod) : undefined;
    const milliseconds = isJob ? exit?.milliseconds : this.#node.startMilliseconds(pod);
    if (isJob) this.#write(pod, { phase: "Running" });
    if (milliseconds === undefined) return;
    clock.call(milliseconds, () => {
      const now = store.get(POD, namespace, name);
      if (!now.ok || now.value.metadata?.uid !== uid) return;
      if (exit === undefined) this.#up(now.value);
      else this.#end(now.value, exit);
    });
  }

  #up(pod: KubeObject): void {
    const address = stringField(pod.status, "podIP") ?? this.#address();
    this.#node.started(pod, address);
    this.#write(pod, {
      phase: "Running",
      podIP: address,
      podIPs: [{ ip: address }],
      containerStatuses: [
        containerStatus(pod, restartsOf(pod), { running: { startedAt: this.#stamp } }),
      ],
      conditions: [
        this.#condition("PodScheduled", true),
        this.#condition("Initialized", true),
        this.#condition("ContainersReady", true),
        this.#condition("Ready", false),
      ],
    });
  }

  #end(pod: KubeObject, { code, message }: Exit): void {
    const terminated = { exitCode: code, message, finishedAt: this.#stamp };
    this.#write(pod, {
      phase: code === 0 ? "Succeeded" : "Failed",
      containerStatuses: [containerStatus(pod, 0, { terminated })],
    });
  }

  #sayReady(pod: KubeObject): void {
    const isTrue = (type: string) => statusOf(pod, type) === "True";
    const gates = listField(pod.spec, "readinessGates").map((gate) =>
      String(stringField(gate, "conditionType")),
    );
    const isReady = isTrue("ContainersReady") && gates.every(isTrue);
    if (statusOf(pod, "Ready") === undefined || isTrue("Ready") === isReady) return;
    this.#write(pod, { conditions: [this.#condition("Ready", isReady)] });
  }

  #write(pod: KubeObject, status: object): void {
    const { namespace = "", name = "" } = pod.metadata ?? {};
    const how = { part: "status", type: "strategic" } as const;
    this.#workings.store.patch(POD, { namespace, name }, { status }, how);
  }

  #condition(type: string, holds: boolean): object {
    return { type, status: holds ? "True" : "False", lastTransitionTime: this.#stamp };
  }

  get #stamp(): string {
    return formatInstant(this.#workings.clock.now());
  }

  #address(): string {
    const count = ++this.#addresses;
    if (this.#node.address !== undefined) return this.#node.address(count);
    return `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
  }
}

function claimKeys(pod: KubeObject): readonly string[] {
  return claimsOf(pod).map((name) => `${pod.metadata?.namespace}/${name}`);
}

function secretsOf(pod: KubeObject): readonly string[] {
  return listField(pod.spec, "containers").flatMap((container) =>
    listField(container, "env").flatMap((variable) => {
      const secret = field(variable, "valueFrom", "secretKeyRef", "name");
      return typeof secret === "string" ? [secret] : [];
    }),
  );
}

function statusOf(pod: KubeObject, type: string): string | undefined {
  const condition = listField(pod.status, "conditions").find(
    (one) => stringField(one, "type") === type,
  );
  return stringField(condition, "status");
}

function restartsOf(pod: KubeObject): number {
  const [status] = listField(pod.status, "containerStatuses");
  return numberField(status, "restartCount") ?? 0;
}

function containerStatus(pod: KubeObject, restartCount: number, state: object): object {
  const [container] = listField(pod.spec, "containers");
  const name = isRecord(container) ? container.name : "";
  return { name, restartCount, ready: Object.hasOwn(state, "running"), state };
}
