import type { Device } from "../../../cel/device.ts";
import type { MemberExplanation, NearestDevice, RequestExplanation } from "./explanation.ts";
import type { DemandedMember, DemandedRequest, DeviceProfile, PoolDevice } from "./fleet.ts";
import { type Matcher, mostThat, REMEMBERED } from "./matcher.ts";
import { MOST_MATCHING_STEPS, matchMember } from "./matching.ts";

/** Explains how the requests of a member, by its place in the template, are met by a node of a profile. */
export type MemberExplainer = (
  member: DemandedMember,
  place: { readonly engine: number; readonly member: number },
  profile: DeviceProfile,
) => MemberExplanation;

/**
 * Makes a function that explains a member on a profile once for as long as the profile is known:
 * most pools of a fleet are alike, and every pass asks the same of them.
 */
export function createMemberExplainer(matcher: Matcher): MemberExplainer {
  const known = new Map<string, WeakMap<DeviceProfile, MemberExplanation>>();
  return (member, place, profile) => {
    const key = JSON.stringify([place, member.role, member.requests]);
    const byProfile = known.get(key) ?? new WeakMap<DeviceProfile, MemberExplanation>();
    if (!known.has(key)) {
      if (known.size >= REMEMBERED) known.clear();
      known.set(key, byProfile);
    }
    const before = byProfile.get(profile);
    if (before !== undefined) return before;
    const explained = explainMember(member, profile, matcher, (request, selector) =>
      selectorPath(place, request, selector),
    );
    byProfile.set(profile, explained);
    return explained;
  };
}

/** Names a selector by its field in a ModelDeployment. */
function selectorPath(
  { engine, member }: { readonly engine: number; readonly member: number },
  request: number,
  at: number,
): string {
  return `spec.template.spec.engines[${engine}].members[${member}].nodeSelector.devices[${request}].selectors[${at}].cel`;
}

/** Explains how the requests of a member are met by a node; `path` names a selector by its place. */
function explainMember(
  { role, requests }: DemandedMember,
  profile: DeviceProfile,
  matcher: Matcher,
  path: (request: number, selector: number) => string,
): MemberExplanation {
  const outcome = matchMember(requests, profile, matcher.meets);
  const alone = requests.map((request, at): RequestExplanation => {
    return explainRequest(request, profile, matcher, (selector) => path(at, selector));
  });
  const first = alone.find(({ problem }) => problem !== undefined);
  if (first?.problem !== undefined) {
    return { member: role, problem: first.problem, requests: alone };
  }
  if (outcome === "unknown") {
    const problem = { type: "TooManyWays", steps: MOST_MATCHING_STEPS } as const;
    return { member: role, problem, requests: alone };
  }
  if (outcome !== "none") return { member: role, requests: alone };
  const crowded = matcher.firstUnmet(requests, profile);
  const request = requests[crowded];
  if (request === undefined) return { member: role, requests: alone };
  const before = requests.slice(0, crowded);
  const fits = (count: number) =>
    typeof matchMember([...before, { ...request, count }], profile, matcher.meets) !== "string";
  const have = mostThat(request.count - 1, fits);
  const short = { request: request.name, needed: request.count, have };
  const problem = { type: "CountShort", ...short } as const;
  const explained = alone.map((one, at) => (at === crowded ? { ...one, problem } : one));
  return { member: role, problem, requests: explained };
}

/** Explains a request as if it were the only one. */
function explainRequest(
  { name, count, selectors }: DemandedRequest,
  { devices }: DeviceProfile,
  matcher: Matcher,
  path: (selector: number) => string,
): RequestExplanation {
  const byClass = new Map<string, number>();
  let nearest: { readonly device: NearestDevice; readonly met: number } | undefined;
  for (const [index, entry] of devices.entries()) {
    const verdicts = selectors.map((selector) => matcher.judge(selector, entry.device));
    const selector = verdicts.findIndex((verdict) => !verdict.ok || !verdict.matches);
    const verdict = verdicts[selector];
    if (verdict === undefined) {
      const key = classOf(entry);
      byClass.set(key, (byClass.get(key) ?? 0) + entry.count);
      continue;
    }
    const met = verdicts.filter((one) => one.ok && one.matches).length;
    if (nearest !== undefined && met <= nearest.met) continue;
    const text = selectors[selector] ?? "";
    const { driver } = entry.device;
    const has = describeDevice(entry.device, text);
    const at = { index, driver, has, selector, path: path(selector), text };
    nearest = { device: verdict.ok ? at : { ...at, error: verdict.message }, met };
  }
  if (byClass.size === 0) {
    const best = nearest === undefined ? {} : { best: nearest.device };
    return { request: name, problem: { type: "NoDevice", request: name, ...best } };
  }
  const have = Math.max(...byClass.values());
  return have >= count
    ? { request: name }
    : { request: name, problem: { type: "CountShort", request: name, needed: count, have } };
}

/** Most capacities and attributes that are told of a device of which a selector names none. */
const MOST_TOLD = 6;

function describeDevice({ capacity = {}, attributes = {} }: Device, selector: string): string {
  const values = [
    ...Object.entries(capacity).map(([name, { value }]) => [name, value] as const),
    ...Object.entries(attributes).map(([name, attribute]) => {
      return [name, Object.values(attribute).flat().join(",")] as const;
    }),
  ];
  const words = new Set(selector.match(/\w+/g));
  const named = values.filter(([name]) => words.has(name.split("/").at(-1) ?? ""));
  const told = named.length > 0 ? named : values.slice(0, MOST_TOLD);
  return told.map(([name, value]) => `${name}=${value}`).join(", ");
}

function classOf({ claim, deviceClassName }: PoolDevice): string {
  return `${claim}/${deviceClassName}`;
}
