import type { PodTemplate } from "./pod.ts";

/** What varies between the workloads of gangs, whichever kind runs them. */
export interface GangParameters {
  readonly name: string;
  readonly namespace: string;
  readonly copies: number;
  /** Worker pods beside the leader in each copy. */
  readonly workers: number;
  readonly leader: PodTemplate;
  readonly worker: PodTemplate;
}
