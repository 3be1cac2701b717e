import { LABELS } from "../../api/decision-model.ts";
import { formatModelName, parseModelName } from "../../api/model-name.ts";
import { canonicalJson } from "../../kube/canonical.ts";
import type { Instant } from "../../kube/instant.ts";
import { field, isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import type { Definitions } from "../../schema/definitions.ts";
import { DEFAULT_HOST, makeModel, type SimulatedModel } from "../engine/simulator/catalog.ts";
import {
  createSimulatedEngine,
  type SimulatedEngine,
  type SimulatedPod,
} from "../engine/simulator/simulated-engine.ts";
import { type Case, decodeDataset } from "../evaluation/dataset.ts";
import { type Knowledge, knownAnswers } from "./answers.ts";
import { ApiStore, type Change } from "./api-store.ts";
import { SimulatedCluster } from "./cluster.ts";
import { BUILT_IN, DECISION_MODEL, kindOf, type ServedKind } from "./kinds.ts";
import type { Exit } from "./kubelet.ts";
import type { NodeChange, TimelineModel } from "./timeline.ts";
import { describeChange, type TraceEntry } from "./trace.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { claimsOf } from "./workings.ts";

/** What a simulated world begins with. */
export interface WorldOptions {
  readonly definitions: Definitions;
  readonly models: readonly TimelineModel[];
  readonly start: Instant;
  /** Hears of everything as it happens. */
  readonly told?: ((entry: TraceEntry) => void) | undefined;
}

const MOST_CASES = 100_000;
const DOWNLOAD_MILLISECONDS = 20_000;
const START_MILLISECONDS = 3_000;
/** What a simulated model costs, as a small real one does. */
const TRAITS = {
  size: 510_000_000,
  format: "onnx",
  family: "simulated",
  quantization: "F32",
  contextLength: 4096,
  mostOptions: 64,
  loadMilliseconds: 700,
  decideMilliseconds: 58,
} as const;

const SECRET = kindOf("Secret") as ServedKind;
const CLAIM = kindOf("PersistentVolumeClaim") as ServedKind;

/**
 * Everything around an operator, in memory and in virtual time: an API server, the controllers and
 * the kubelet of a cluster, a registry of models, and engines in the pods.
 */
export class SimulatedWorld {
  readonly clock: VirtualClock;
  readonly store: ApiStore;
  readonly cluster: SimulatedCluster;
  readonly engine: SimulatedEngine;
  readonly trace: TraceEntry[] = [];
  readonly #tags = new Map<string, SimulatedModel | undefined>();
  readonly #revisions = new Map<string, number>();
  readonly #byDigest = new Map<string, SimulatedModel>();
  readonly #knowledge: ReadonlyMap<string, Knowledge>;
  readonly #cases = new Map<string, Case>();
  readonly #pods = new Map<string, SimulatedPod>();
  /** What volumes hold, by the UID of their claims. */
  readonly #volumes = new Map<string, { readonly model: string; readonly digest: string }>();
  readonly #told: WorldOptions["told"];
  #node: NodeChange = {};
  #isMine = false;

  constructor({ definitions, models, start, told }: WorldOptions) {
    this.#told = told;
    this.clock = new VirtualClock(start);
    this.#knowledge = new Map(models.map((model) => [canonical(model.name), model]));
    for (const { name } of models) this.setTag(name, "moved");
    this.store = new ApiStore({
      kinds: [...BUILT_IN, DECISION_MODEL],
      definitions,
      now: () => this.clock.now(),
      forbids: (object, old) => {
        const size = ["spec", "resources", "requests", "storage"];
        const grows =
          object.kind === "PersistentVolumeClaim" && field(object, ...size) !== field(old, ...size);
        return grows && this.#node.growth === "refused"
          ? "the storage class that provisions the claim does not support resize"
          : undefined;
      },
    });
    this.cluster = new SimulatedCluster(this.store, this.clock, {
      startMilliseconds: () => {
        const { startMilliseconds: wanted = START_MILLISECONDS } = this.#node;
        return wanted === "never" ? undefined : wanted;
      },
      exit: (pod) => this.#download(pod),
      started: (pod, address) => this.#started(pod, address),
    });
    this.engine = createSimulatedEngine({
      clock: this.clock,
      random: () => 0.5,
      registry: (name) => this.#tags.get(formatModelName(name, DEFAULT_HOST)),
      podAt: (address) => this.#pods.get(address),
      modelOf: (_, digest) => this.#byDigest.get(digest),
      judge: knownAnswers(
        (state) => this.#cases.get(state),
        ({ name }) => this.#knowledge.get(formatModelName(name, DEFAULT_HOST)),
      ),
    });
    this.store.observe((change) => this.#see(change));
  }

  /** Says something that no change shows, such as what a person does. */
  tell(subject: string, text: string): void {
    const entry = { at: this.clock.now(), subject, text };
    this.trace.push(entry);
    this.#told?.(entry);
  }

  /** Does what a person does, so that rules for an operator don't apply to it. */
  mine<Value>(act: (store: ApiStore) => Value): Value {
    this.#isMine = true;
    const value = act(this.store);
    this.#isMine = false;
    return value;
  }

  /** Whether what happens now is what a person does. */
  get isMine(): boolean {
    return this.#isMine;
  }

  /** Takes a model out of the registry, puts it back, or has its tag mean another manifest. */
  setTag(name: string, tag: "gone" | "back" | "moved"): void {
    const key = canonical(name);
    const revision = (this.#revisions.get(key) ?? 0) + (tag === "moved" ? 1 : 0);
    this.#revisions.set(key, revision);
    const model = makeModel({ ...TRAITS, name, revision });
    this.#byDigest.set(model.digest, model);
    this.#tags.set(key, tag === "gone" ? undefined : model);
  }

  /** Has the node behave otherwise from now on. */
  change(node: NodeChange): void {
    this.#node = { ...this.#node, ...node };
  }

  #see(change: Change): void {
    if (!this.#isMine || change.object.kind === "DecisionModel") {
      for (const { subject, text } of describeChange(change, (service, revision) =>
        this.#modelOf(service, revision),
      ))
        this.tell(subject, text);
    }
    const { object, type } = change;
    if (object.kind === "ConfigMap" || object.kind === "Secret") this.#learn(object);
    if (object.kind === "Pod" && stringField(object.status, "phase") === "Succeeded") {
      this.#fill(object);
    }
    if (type !== "DELETED" || object.kind !== "Pod") return;
    const address = stringField(object.status, "podIP");
    if (address !== undefined) this.#pods.delete(address);
  }

  #modelOf({ metadata }: KubeObject, hash: string): string | undefined {
    const found = this.store.get(DECISION_MODEL, metadata?.namespace ?? "", metadata?.name ?? "");
    const status = found.ok ? found.value.status : undefined;
    const known = [
      field(status, "stableRevision"),
      field(status, "candidateRevision"),
      field(status, "previousRevision", "revision"),
      field(status, "failedRevision"),
    ];
    return stringField(
      known.find((revision) => stringField(revision, "hash") === hash),
      "model",
    );
  }

  /** Whatever looks like a dataset may be asked of models. */
  #learn(object: KubeObject): void {
    const encoding = object.kind === "Secret" ? "base64" : "utf8";
    const data = isRecord(object.data) ? object.data : {};
    for (const value of Object.values(data)) {
      const decoded = decodeDataset(Buffer.from(String(value), encoding), MOST_CASES);
      if (!decoded.ok) continue;
      for (const one of decoded.dataset.cases) {
        const state = one.state === undefined ? "" : canonicalJson(JSON.parse(one.state));
        this.#cases.set(state, one);
      }
    }
  }

  #download(pod: KubeObject): Exit | undefined {
    const { downloads = "succeed", downloadMilliseconds = DOWNLOAD_MILLISECONDS } = this.#node;
    if (downloads === "hang") return undefined;
    const end = (code: number, message: string): Exit => ({
      milliseconds: downloadMilliseconds,
      code,
      message,
    });
    if (downloads !== "succeed") return end(downloads.exit, downloads.message);
    const { MODEL = "", EXPECT_DIGEST } = plainEnvironment(pod);
    const model = this.#tags.get(MODEL);
    if (model === undefined) return end(3, `${MODEL} not found in registry`);
    if (model.digest === EXPECT_DIGEST) return end(0, "");
    return end(5, `${MODEL} now has the digest ${model.digest} instead of ${EXPECT_DIGEST}`);
  }

  #fill(pod: KubeObject): void {
    const { MODEL: model, EXPECT_DIGEST: digest } = plainEnvironment(pod);
    const uid = this.#claimOf(pod);
    if (model === undefined || digest === undefined || uid === undefined) return;
    this.#volumes.set(uid, { model, digest });
  }

  #started(pod: KubeObject, address: string): void {
    const held = this.#volumes.get(this.#claimOf(pod) ?? "");
    const restarts = listField(pod.status, "containerStatuses").length;
    const { OLLAYA_DEVICE: device = "cpu", OLLAYA_KEEP_ALIVE } = plainEnvironment(pod);
    if (restarts > 0) this.engine.restart(address);
    this.#pods.set(address, {
      id: `${pod.metadata?.uid}`,
      model: held?.model ?? "",
      digest: held?.digest ?? "",
      device: device === "cuda" ? "cuda:0" : device,
      apiKey: this.#apiKeyOf(pod),
      ...(OLLAYA_KEEP_ALIVE === "-1" ? { keepAlive: Number.POSITIVE_INFINITY } : {}),
    });
  }

  #claimOf(pod: KubeObject): string | undefined {
    const [claim = ""] = claimsOf(pod);
    const found = this.store.get(CLAIM, pod.metadata?.namespace ?? "", claim);
    return found.ok ? found.value.metadata?.uid : undefined;
  }

  #apiKeyOf(pod: KubeObject): string | undefined {
    for (const variable of environment(pod)) {
      const reference = field(variable, "valueFrom", "secretKeyRef");
      if (stringField(variable, "name") !== "OLLAYA_API_KEY") continue;
      const name = stringField(reference, "name") ?? "";
      const secret = this.store.get(SECRET, pod.metadata?.namespace ?? "", name);
      const key = stringField(reference, "key") ?? "";
      const encoded = secret.ok ? stringField(secret.value.data, key) : undefined;
      return Buffer.from(encoded ?? "", "base64")
        .toString("utf8")
        .trim();
    }
    return undefined;
  }
}

/** The pods of a revision that serve or will, of those that a store has. */
export function podsOfRevision(
  store: ApiStore,
  namespace: string,
  name: string,
  revision: string,
): readonly KubeObject[] {
  const labelSelector = `${LABELS.name}=${name},${LABELS.revision}=${revision}`;
  const pods = store.list(kindOf("Pod") as ServedKind, { namespace, labelSelector });
  return pods.ok ? pods.value.items : [];
}

function canonical(text: string): string {
  const parsed = parseModelName(text, DEFAULT_HOST);
  if (!parsed.ok) throw new Error(parsed.error);
  return formatModelName(parsed.name, DEFAULT_HOST);
}

function environment(pod: KubeObject): readonly unknown[] {
  return listField(pod.spec, "containers").flatMap((container) => listField(container, "env"));
}

function plainEnvironment(pod: KubeObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    environment(pod).flatMap((variable) => {
      const value = stringField(variable, "value");
      return value === undefined ? [] : [[stringField(variable, "name") ?? "", value]];
    }),
  );
}
