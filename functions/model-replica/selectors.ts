import type { ModelReplicaSpec } from "../../api/gen/modelreplicas.ts";
import { estimateCost } from "../../cel/cost/estimate.ts";
import { DEVICE_SIZES } from "../../cel/device.ts";
import type { Compiled } from "../../cel/environment.ts";
import { compilationWeight } from "../../cel/pattern.ts";
import { placeOf } from "../../cel/syntax/place.ts";
import { excerpt } from "../composition/findings.ts";
import { createSelectorCompiler } from "../composition/selector-compiler.ts";

/** Finds every device selector of a spec that the API server would refuse, each as field, value and reason. */
export type SelectorCheck = (spec: ModelReplicaSpec) => readonly string[];

/**
 * What the selectors of one spec may weigh together. All of them count, known or not, since an
 * answer depends on the request alone; a spec of ours has far fewer and lighter ones.
 */
const MOST_WEIGHT = 20_000;

/**
 * What the selectors of one spec may cost one device together, in the API server's units: four times
 * the most of one, some 150 ms. Those that people write cost some ten each.
 */
const MOST_COST = 4_000_000n;

/** How much of a selector a message quotes, in characters. */
const MOST_QUOTED = 200;

/** How many verdicts are remembered: more than a fleet has distinct selectors, and bounded. */
const REMEMBERED = 4096;

/** Makes a check that compiles each distinct selector once, since every reconcile brings the same ones. */
export function createSelectorCheck(): SelectorCheck {
  const judge = createSelectorCompiler(
    (compiled, text) => ({ refusal: refusal(compiled, text), cost: costOf(compiled) }),
    REMEMBERED,
  );
  return (spec) => {
    const selectors = selectorsOf(spec);
    const tooHeavy = selectorsTooHeavy(selectors.map(({ text }) => text));
    if (tooHeavy !== undefined) {
      return [`spec.engines: the selectors of all deviceRequests ${tooHeavy}`];
    }
    const refused = selectors.flatMap((selector) => {
      const why = judge(selector.text).refusal;
      return why === undefined ? [] : [describe(selector, why)];
    });
    if (refused.length > 0) return refused;
    const texts = [...new Set(selectors.map(({ text }) => text))];
    const cost = texts.reduce((sum, text) => sum + judge(text).cost, 0n);
    if (cost <= MOST_COST) return [];
    return [
      `spec.engines: the selectors of all deviceRequests may take ${cost} of at most ${MOST_COST} units together on one device: use fewer, or loop over less`,
    ];
  };
}

function selectorsOf(spec: ModelReplicaSpec): readonly PlacedSelector[] {
  return spec.engines.flatMap((engine, e) =>
    engine.members.flatMap((member, m) =>
      (member.deviceRequests ?? []).flatMap((request, r) =>
        (request.selectors ?? []).flatMap(({ cel }, s) => {
          const path = `spec.engines[${e}].members[${m}].deviceRequests[${r}].selectors[${s}].cel`;
          return cel === undefined ? [] : [{ path, text: cel }];
        }),
      ),
    ),
  );
}

/** A CEL selector of a spec. */
interface PlacedSelector {
  /** Where its text stands in the object, such as `spec.engines[0].members[0]…cel`. */
  readonly path: string;
  readonly text: string;
}

/** Why selectors may not be compiled together, `undefined` where they may. */
function selectorsTooHeavy(texts: readonly string[]): string | undefined {
  const weight = [...new Set(texts)].reduce((sum, text) => sum + compilationWeight(text), 0);
  if (weight <= MOST_WEIGHT) return undefined;
  return `take too long to compile together (${Math.ceil(weight)} of ${MOST_WEIGHT}): use fewer, or smaller repetitions in their patterns`;
}

/** Why a selector is refused, and where in its text; `undefined` where it is not. */
function refusal(compiled: Compiled, text: string): string | undefined {
  if (compiled.ok) return undefined;
  const { message, position, stage } = compiled;
  if (stage === "estimate") return `is refused: ${message}`;
  if (position === undefined) return `does not compile: ${message}`;
  const { line, column } = placeOf(text, position);
  return `does not compile: line ${line}, column ${column}: ${message}`;
}

/** What a selector may cost one device. */
function costOf(compiled: Compiled): bigint {
  return compiled.ok ? estimateCost(compiled.program.checked, DEVICE_SIZES).max : 0n;
}

/** Says that a selector is refused: its path, its text and why. */
function describe({ path, text }: PlacedSelector, why: string): string {
  return `${path}: ${JSON.stringify(excerpt(text, MOST_QUOTED))} ${why}`;
}
