import {
  frozenReasonText,
  moveReasonText,
  releaseReasonText,
} from "../../functions/model-deployment/reasons.ts";
import type { Explanation } from "../../functions/model-deployment/scheduling/explanation.ts";
import { explanationLine } from "../../functions/model-deployment/scheduling/explanation-line.ts";
import type {
  Charge,
  OwnReplica,
  Snapshot,
} from "../../functions/model-deployment/scheduling/fleet.ts";
import type { OverCommitment } from "../../functions/model-deployment/scheduling/ledger.ts";
import type {
  KeptReplica,
  Schedule,
} from "../../functions/model-deployment/scheduling/placement.ts";
import type { Scheduler } from "../../functions/model-deployment/scheduling/schedule.ts";
import { followPasses, type Move } from "./passes.ts";

/** Where one of the deployment's replicas stands, and whether it stays there. */
export interface Standing {
  readonly replica: string;
  readonly cluster: string;
  readonly index: number;
  readonly nodes: readonly Charge[];
  readonly ready: boolean;
  readonly serving: boolean;
  readonly state: "Stays" | "Frozen" | "Moving" | "Held" | "Leaving" | "Deleting";
  /** Why it is in this state; empty where it just stays. */
  readonly message: string;
}

/** Why a deployment's replicas are where they are, and what comes next. */
export interface ExplainedDeployment {
  readonly deployment: { readonly namespace: string; readonly name: string };
  /** The changes that were tried, as they were given. */
  readonly whatIf: readonly string[];
  readonly desired: number;
  /** Of those, the ones that stand or are placed in the next pass. */
  readonly placed: number;
  /** Why one more replica fits or not, in a line. */
  readonly line: string;
  readonly clusters: Explanation["clusters"];
  readonly replicas: readonly Standing[];
  readonly overCommitted: readonly OverCommitment[];
  /** What follows by itself, in order, if every replica becomes ready and nobody else acts. */
  readonly moves: readonly Move[];
  /** What it comes to. */
  readonly end: {
    /** Wanted replicas that have no place. */
    readonly missing: number;
    /** Replicas that stand where they can't stay. */
    readonly held: number;
    /** False when replicas were still moving after the last pass that was looked at. */
    readonly settled: boolean;
  };
  /** Clusters whose status was derived as if they were ready. */
  readonly assumed: readonly string[];
}

/** Explains a snapshot, and follows what the passes do from there. */
export function explainDeployment(
  snapshot: Snapshot,
  scheduler: Scheduler,
  about: Pick<ExplainedDeployment, "deployment" | "whatIf" | "assumed">,
): ExplainedDeployment {
  const schedule = scheduler.schedule(snapshot);
  const explanation = scheduler.explain(snapshot, schedule);
  const course = followPasses(snapshot, about.deployment, scheduler.schedule);
  return {
    ...about,
    desired: snapshot.demand.replicas,
    placed: snapshot.demand.replicas - schedule.missing,
    line: explanationLine(explanation),
    clusters: explanation.clusters,
    replicas: standings(snapshot.own, schedule),
    overCommitted: schedule.overCommitted,
    moves: course.moves,
    end: {
      missing: course.missing,
      held: course.kept.filter((one) => one.as === "moving").length,
      settled: course.settled,
    },
  };
}

function standings(own: readonly OwnReplica[], schedule: Schedule): readonly Standing[] {
  const deleting = own.filter((replica) => replica.deleting);
  const all = [
    ...schedule.kept.map((one) => standing(one.replica, ...keptState(one))),
    ...schedule.released.map(({ replica, because }) =>
      standing(replica, "Leaving", releaseReasonText(because)),
    ),
    ...deleting.map((replica) => standing(replica, "Deleting", "it is being deleted")),
  ];
  return all.sort((a, b) =>
    a.cluster === b.cluster ? a.index - b.index : a.cluster < b.cluster ? -1 : 1,
  );
}

function standing(
  { name, cluster, index, charges, ready, serving }: OwnReplica,
  state: Standing["state"],
  message: string,
): Standing {
  return { replica: name, cluster, index, nodes: charges, ready, serving, state, message };
}

function keptState(one: KeptReplica): readonly [Standing["state"], string] {
  const { cluster } = one.replica;
  switch (one.as) {
    case "retained":
      return ["Stays", ""];
    case "frozen":
      return ["Frozen", frozenReasonText(one.because, cluster)];
    case "moving": {
      const held = one.progress === "NothingFits";
      return [held ? "Held" : "Moving", moveReasonText(one.reason, cluster)];
    }
  }
}
