import type { Device } from "../../../cel/device.ts";
import type { DemandedRequest, DeviceProfile, PoolDevice } from "./fleet.ts";

/** Tells whether a device meets a selector. */
export type Meets = (selector: string, device: Device) => boolean;

/** How the requests of a member are met by the devices of one node. */
export interface MemberMatch {
  /** For each request the DeviceClass it claims from, `undefined` where only Synthetic devices meet it. */
  readonly deviceClasses: readonly (string | undefined)[];
  /** Whether any request claims devices. */
  readonly claims: boolean;
}

/** A match, `none`, or `unknown` when the search was ended before it came to an answer. */
export type MatchOutcome = MemberMatch | "none" | "unknown";

/** How many assignments a search looks at: far more than requests that people write need. */
export const MOST_MATCHING_STEPS = 1_000;

/**
 * Finds devices of one node for all requests of a member together. A request takes its devices from
 * any entries that are claimed alike, since a claim names one DeviceClass; classes are tried in the
 * order of the pool's status, and those that can be claimed first where the member would otherwise
 * claim nothing.
 */
export function matchMember(
  requests: readonly DemandedRequest[],
  { devices }: DeviceProfile,
  meets: Meets,
): MatchOutcome {
  const suitable = requests.map(({ selectors }) =>
    devices.flatMap((entry, at) => {
      const meetsAll = () => selectors.every((selector) => meets(selector, entry.device));
      return entry.count > 0 && meetsAll() ? [at] : [];
    }),
  );
  const groups = groupDevices(devices);
  const found = new Search(requests, devices, suitable).run(groups);
  if (typeof found === "string" || found.claims) return found;
  const claimable = groups.filter(({ deviceClass }) => deviceClass !== undefined);
  if (claimable.length === 0) return found;
  const rest = groups.filter(({ deviceClass }) => deviceClass === undefined);
  return new Search(requests, devices, suitable).run([...claimable, ...rest]);
}

/** Entries that one request can take devices from together, as indexes of the pool's devices. */
interface DeviceGroup {
  readonly deviceClass: string | undefined;
  readonly entries: readonly number[];
}

function groupDevices(devices: readonly PoolDevice[]): readonly DeviceGroup[] {
  const groups = new Map<string, { deviceClass: string | undefined; entries: number[] }>();
  for (const [at, { claim, deviceClassName }] of devices.entries()) {
    const key = `${claim}/${deviceClassName}`;
    const group = groups.get(key);
    if (group !== undefined) group.entries.push(at);
    else {
      const deviceClass = claim === "DRA" ? deviceClassName : undefined;
      groups.set(key, { deviceClass, entries: [at] });
    }
  }
  return [...groups.values()];
}

/** A search through the groups that each request may take its devices from. */
class Search {
  readonly #requests: readonly DemandedRequest[];
  readonly #devices: readonly PoolDevice[];
  /** For each request the entries that it may take devices from, narrowed to one group step by step. */
  readonly #allowed: (readonly number[])[];
  #steps = 0;

  constructor(
    requests: readonly DemandedRequest[],
    devices: readonly PoolDevice[],
    suitable: readonly (readonly number[])[],
  ) {
    this.#requests = requests;
    this.#devices = devices;
    this.#allowed = [...suitable];
  }

  run(groups: readonly DeviceGroup[]): MatchOutcome {
    const chosen: DeviceGroup[] = [];
    if (!this.#choose(groups, chosen)) {
      return this.#steps >= MOST_MATCHING_STEPS ? "unknown" : "none";
    }
    const deviceClasses = chosen.map(({ deviceClass }) => deviceClass);
    return { deviceClasses, claims: deviceClasses.some((one) => one !== undefined) };
  }

  /** Chooses the group of the next request so that all of them, the later ones too, find enough. */
  #choose(groups: readonly DeviceGroup[], chosen: DeviceGroup[]): boolean {
    const at = chosen.length;
    const request = this.#requests[at];
    if (request === undefined) return true;
    const before = this.#allowed[at] ?? [];
    for (const group of groups) {
      const entries = before.filter((entry) => group.entries.includes(entry));
      const most = entries.reduce((sum, entry) => sum + (this.#devices[entry]?.count ?? 0), 0);
      if (most < request.count) continue;
      this.#allowed[at] = entries;
      chosen.push(group);
      if (this.#isEnough() && this.#choose(groups, chosen)) return true;
      chosen.pop();
      if (this.#steps >= MOST_MATCHING_STEPS) return false;
    }
    this.#allowed[at] = before;
    return false;
  }

  /** Whether every request finds its devices among the entries allowed to it (a maximum flow). */
  #isEnough(): boolean {
    this.#steps++;
    const left = this.#devices.map(({ count }) => count);
    const taken = this.#requests.map(() => this.#devices.map(() => 0));
    return this.#requests.every(({ count }, request) => {
      for (let needed = count; needed > 0; ) {
        const moved = this.#take(request, needed, left, taken, new Set());
        if (moved === 0) return false;
        needed -= moved;
      }
      return true;
    });
  }

  /** Takes up to so many devices for a request, where it must by moving other requests to other entries. */
  #take(
    request: number,
    most: number,
    left: number[],
    taken: readonly number[][],
    visited: Set<number>,
  ): number {
    const mine = taken[request] ?? [];
    for (const entry of this.#allowed[request] ?? []) {
      if (visited.has(entry)) continue;
      visited.add(entry);
      const free = Math.min(most, left[entry] ?? 0);
      if (free > 0) {
        left[entry] = (left[entry] ?? 0) - free;
        mine[entry] = (mine[entry] ?? 0) + free;
        return free;
      }
      for (const [other, theirs] of taken.entries()) {
        const held = theirs[entry] ?? 0;
        if (other === request || held === 0) continue;
        const moved = this.#take(other, Math.min(most, held), left, taken, visited);
        if (moved === 0) continue;
        theirs[entry] = held - moved;
        mine[entry] = (mine[entry] ?? 0) + moved;
        return moved;
      }
    }
    return 0;
  }
}
