import { type Device, type Match, matchDevice } from "../../../cel/device.ts";
import type { Compiled } from "../../../cel/environment.ts";
import { createSelectorCompiler } from "../../composition/selector-compiler.ts";
import type { DemandedRequest, DeviceProfile } from "./fleet.ts";
import { type MatchOutcome, matchMember } from "./matching.ts";

/** Tells how a member's requests are met by a node of a profile. */
export type MemberMatcher = (profile: DeviceProfile) => MatchOutcome;

/** How many selectors and how many members are remembered; a fleet has far fewer distinct ones. */
export const REMEMBERED = 1024;

/**
 * Judges selectors and members, and remembers each answer for as long as the catalogue of device
 * profiles knows the profile, since a fleet has few and every pass asks the same of them.
 */
export class Matcher {
  readonly #selector = createSelectorCompiler(rememberMatches, REMEMBERED);
  readonly #members = new Map<string, MemberMatcher>();

  /** Whether a device meets a selector; one that does not compile is met by none. */
  judge(selector: string, device: Device): Match {
    const known = this.#selector(selector);
    return typeof known === "string" ? { ok: false, message: known } : known(device);
  }

  /** Whether a device meets a selector, as far as that can be said. */
  readonly meets = (selector: string, device: Device): boolean => {
    const match = this.judge(selector, device);
    return match.ok && match.matches;
  };

  /** The place of the first request that a node can't meet with those before it, -1 if it meets all. */
  firstUnmet(requests: readonly DemandedRequest[], profile: DeviceProfile): number {
    if (typeof this.member(requests)(profile) !== "string") return -1;
    return mostThat(requests.length - 1, (count) => {
      return typeof matchMember(requests.slice(0, count), profile, this.meets) !== "string";
    });
  }

  /** Makes the function that matches a member with these requests. */
  member(requests: readonly DemandedRequest[]): MemberMatcher {
    const key = JSON.stringify(requests.map(({ count, selectors }) => [count, selectors]));
    const known = this.#members.get(key);
    if (known !== undefined) return known;
    const outcomes = new WeakMap<DeviceProfile, MatchOutcome>();
    const matcher: MemberMatcher = (profile) => {
      const before = outcomes.get(profile);
      if (before !== undefined) return before;
      const outcome = matchMember(requests, profile, this.meets);
      outcomes.set(profile, outcome);
      return outcome;
    };
    if (this.#members.size >= REMEMBERED) this.#members.clear();
    this.#members.set(key, matcher);
    return matcher;
  }
}

/** The largest number up to `most` of which a test holds that holds of 0 and of all up to some number. */
export function mostThat(most: number, test: (number: number) => boolean): number {
  let [held, failed] = [0, most + 1];
  while (failed - held > 1) {
    const middle = Math.floor((held + failed) / 2);
    if (test(middle)) held = middle;
    else failed = middle;
  }
  return held;
}

/** A selector as a function that evaluates it once for each device, or why it does not compile. */
function rememberMatches(compiled: Compiled): ((device: Device) => Match) | string {
  if (!compiled.ok) return compiled.message;
  const { program } = compiled;
  const matches = new WeakMap<Device, Match>();
  return (device) => {
    const before = matches.get(device);
    if (before !== undefined) return before;
    const match = matchDevice(program, device);
    matches.set(device, match);
    return match;
  };
}
