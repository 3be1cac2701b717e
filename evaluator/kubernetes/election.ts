import { formatMicroTime, type Instant } from "../../kube/instant.ts";
import { type KubeObject, numberField, stringField } from "../../kube/object.ts";
import type { Answer, KubernetesClient, Problem, ResourceKind } from "./client.ts";
import type { Clock } from "./clock.ts";

/** What running for a Lease needs. */
export interface ElectionOptions {
  /** Must not end before the work, nor before the Lease is given back. */
  readonly client: KubernetesClient;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly namespace: string;
  /** Names this process; no other may ever have had the same. */
  readonly identity: string;
  /** Whether the Lease is given back once the work has ended as it was asked to, so that another need not wait. */
  readonly releases: boolean;
  /** Hears why the Lease could not be read or written; it is tried again. */
  readonly failed: (problem: Problem) => void;
}

/** The Lease that whoever looks after DecisionModels holds. */
export const LEASE_NAME = "4aba9cc6.io";

const LEASE: ResourceKind = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  plural: "leases",
};
const LEASE_SECONDS = 15;
/** A third less than others wait, which leaves them and us 5 s for clocks that run unevenly. */
const RENEW_MILLISECONDS = 10_000;
const RETRY_MILLISECONDS = 2_000;
/** Half of it, so that one request that hangs does not cost the Lease. */
const ATTEMPT_MILLISECONDS = 5_000;

/**
 * Waits for the Lease and then does the work until `signal` aborts, or the Lease could not be renewed
 * for 10 s, which is 5 s before anybody else may take it. Work is told of the one and the other by its
 * first signal, to begin nothing more, and of the second alone by `lost`, to break off what is under
 * way. Resolves when the work has ended; who lost the Lease had better start anew.
 */
export async function lead(
  options: ElectionOptions,
  signal: AbortSignal,
  work: (signal: AbortSignal, lost: AbortSignal) => Promise<void>,
): Promise<"lost" | "stopped"> {
  const candidate = new Candidate(options);
  await candidate.win(signal);
  if (signal.aborted) {
    await candidate.leave();
    return "stopped";
  }
  const ended = new AbortController();
  const renewing = candidate.renew(ended.signal);
  try {
    // The Lease is kept while the work comes to its end.
    await work(AbortSignal.any([signal, candidate.lost]), candidate.lost);
  } finally {
    ended.abort();
  }
  await renewing;
  const isLost = candidate.lost.aborted;
  await candidate.leave();
  return isLost ? "lost" : "stopped";
}

/** What an attempt at the Lease came to; `unknown` is one that failed, or may have failed. */
type Attempt = "held" | "elsewhere" | "unknown";

class Candidate {
  readonly #options: ElectionOptions;
  readonly #lost = new AbortController();
  readonly #left = new AbortController();
  /** The Lease as this process wrote it last, as long as nothing contradicts it. */
  #written: KubeObject | undefined;
  /** What another one wrote last, and how long that has been waited for since it was first seen. */
  #seen: { readonly record: string; waited: number } | undefined;
  /** Ends the timer that would end the term. */
  #term: AbortController | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
  }

  /** Aborts once the Lease may soon be another's. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Resolves when the Lease is held, or the signal aborts. */
  async win(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    while (!signal.aborted) {
      if ((await this.#try(signal)) === "held") return;
      // Time is counted by waiting: the clock of a machine may be set.
      const wait = RETRY_MILLISECONDS * (1 + random() / 2);
      await clock.after(wait, signal);
      if (this.#seen !== undefined) this.#seen.waited += wait;
    }
  }

  /** Renews the Lease until the signal aborts or it is lost. */
  async renew(ended: AbortSignal): Promise<void> {
    const until = AbortSignal.any([ended, this.lost]);
    for (;;) {
      await this.#options.clock.after(RETRY_MILLISECONDS, until);
      if (until.aborted) return;
      if ((await this.#try(until)) === "elsewhere") this.#lost.abort();
    }
  }

  /** Ends the term, and gives the Lease back where that is wanted and it is surely held. */
  async leave(): Promise<void> {
    const { client, releases, failed } = this.#options;
    this.#left.abort();
    if (!releases || this.lost.aborted || this.#written === undefined) return;
    const spec = { ...(this.#written.spec as object), holderIdentity: "", leaseDurationSeconds: 1 };
    const answer = await client.replace(LEASE, { ...this.#written, spec });
    if (!answer.ok) failed(answer.problem);
  }

  /** An attempt, from whose beginning on the term counts if the Lease is held by it. */
  async #try(signal: AbortSignal): Promise<Attempt> {
    const { clock } = this.#options;
    const term = new AbortController();
    let isOver = false;
    void clock
      .after(RENEW_MILLISECONDS, AbortSignal.any([term.signal, this.#left.signal]))
      .then(() => {
        if (term.signal.aborted || this.#left.signal.aborted) return;
        isOver = true;
        if (this.#term === term) this.#lost.abort();
      });
    const attempt = this.#attempt().then((came) => {
      if (came !== "held") {
        term.abort();
        return came;
      }
      if (isOver) return "unknown";
      this.#term?.abort();
      this.#term = term;
      return came;
    });
    const ended = new AbortController();
    const late = clock.after(ATTEMPT_MILLISECONDS, AbortSignal.any([signal, ended.signal]));
    const came = await Promise.race([attempt, late.then(() => "unknown" as const)]);
    ended.abort();
    return came;
  }

  async #attempt(): Promise<Attempt> {
    const { client, namespace, identity } = this.#options;
    if (this.#written !== undefined) {
      const answer = await client.replace(LEASE, this.#claimed(this.#written));
      if (answer.ok || answer.problem.reason !== "Conflict") return this.#took(answer);
      // Who wrote it, if it was not an earlier try of ours?
      this.#written = undefined;
    }
    const found = await client.get(LEASE, namespace, LEASE_NAME);
    if (!found.ok) {
      if (found.problem.reason !== "NotFound") return this.#took(found);
      return this.#took(await client.create(LEASE, this.#claimed(undefined)));
    }
    const lease = found.value;
    const holder = stringField(lease, "spec", "holderIdentity") ?? "";
    if (holder !== identity && holder !== "" && !this.#isExpired(lease)) return "elsewhere";
    return this.#took(await client.replace(LEASE, this.#claimed(lease)));
  }

  #took(answer: Answer<KubeObject>): Attempt {
    if (answer.ok) {
      this.#written = answer.value;
      this.#seen = undefined;
      return "held";
    }
    this.#written = undefined;
    const { reason } = answer.problem;
    // Another one was quicker.
    if (reason !== "Conflict" && reason !== "AlreadyExists") this.#options.failed(answer.problem);
    return "unknown";
  }

  /** Whether its holder has not renewed it for as long as it said that it would. */
  #isExpired({ metadata, spec }: KubeObject): boolean {
    const record = stringField(metadata, "resourceVersion") ?? "";
    if (this.#seen?.record !== record) this.#seen = { record, waited: 0 };
    const seconds = numberField(spec, "leaseDurationSeconds") ?? LEASE_SECONDS;
    return this.#seen.waited >= seconds * 1000;
  }

  /** The Lease with this process as its holder, now. */
  #claimed(lease: KubeObject | undefined): KubeObject {
    const { clock, namespace, identity } = this.#options;
    const now = formatMicroTime(clock.now() as Instant);
    const isOurs = stringField(lease, "spec", "holderIdentity") === identity;
    const transitions = numberField(lease, "spec", "leaseTransitions") ?? 0;
    const term = isOurs
      ? {}
      : { acquireTime: now, leaseTransitions: lease === undefined ? 0 : transitions + 1 };
    return {
      apiVersion: LEASE.apiVersion,
      kind: LEASE.kind,
      ...lease,
      metadata: lease?.metadata ?? { name: LEASE_NAME, namespace },
      spec: {
        ...(lease?.spec as object | undefined),
        holderIdentity: identity,
        leaseDurationSeconds: LEASE_SECONDS,
        renewTime: now,
        ...term,
      },
    };
  }
}
