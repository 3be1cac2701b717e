import type { Meter } from "../evaluating/meter.ts";
import type { PatternCache } from "../pattern.ts";
import { conversions } from "./conversions.ts";
import { formats } from "./format.ts";
import { lists, sets } from "./lists.ts";
import { namedFormats } from "./named-formats.ts";
import { networks } from "./networks.ts";
import { builtIns, operators } from "./operators.ts";
import { optionals } from "./optionals.ts";
import type { Overload } from "./overload.ts";
import { quantities } from "./quantity.ts";
import { regex } from "./regex.ts";
import { semvers } from "./semver.ts";
import { strings } from "./strings.ts";
import { times } from "./times.ts";
import { urls } from "./urls.ts";

/**
 * Every function of Kubernetes 1.37's CEL environments but those of its authorizer, which neither
 * rules of CRDs nor device selectors are given.
 */
export function kubernetesFunctions(patterns: PatternCache, meter: Meter): readonly Overload[] {
  return [
    ...builtIns,
    ...operators,
    ...conversions,
    ...times(),
    ...strings(meter),
    ...formats(meter),
    ...lists(meter),
    ...sets(meter),
    ...optionals,
    ...regex(patterns, meter),
    ...urls,
    ...networks,
    ...quantities,
    ...semvers,
    ...namedFormats,
  ];
}
