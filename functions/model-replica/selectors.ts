import type { ModelReplicaSpec } from "../../api/gen/modelreplicas.ts";
import {
  createSelectorCompiler,
  describeSelectorProblem,
  type PlacedSelector,
  selectorsTooHeavy,
} from "../composition/selector-compiler.ts";

/** Finds every device selector of a spec that does not compile, each as field, value and reason. */
export type SelectorCheck = (spec: ModelReplicaSpec) => readonly string[];

/** How many verdicts are remembered: more than a fleet has distinct selectors, and bounded. */
const REMEMBERED = 4096;

/** Makes a check that compiles each distinct selector once, since every reconcile brings the same ones. */
export function createSelectorCheck(): SelectorCheck {
  const problem = createSelectorCompiler(
    (compiled) => (compiled.ok ? undefined : compiled.message),
    REMEMBERED,
  );
  return (spec) => {
    const selectors = selectorsOf(spec);
    const tooHeavy = selectorsTooHeavy(selectors.map(({ text }) => text));
    if (tooHeavy !== undefined) {
      return [`spec.engines: the selectors of all deviceRequests ${tooHeavy}`];
    }
    return selectors.flatMap((selector) => {
      const message = problem(selector.text);
      return message === undefined ? [] : [describeSelectorProblem({ ...selector, message })];
    });
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
