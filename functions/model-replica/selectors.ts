import type { ModelReplicaSpec } from "../../api/gen/modelreplicas.ts";
import { DeviceSelectors } from "../../cel/device.ts";

/** Finds every device selector of a spec that does not compile, each as field, value and reason. */
export type SelectorCheck = (spec: ModelReplicaSpec) => readonly string[];

/** How many verdicts are remembered: more than a fleet has distinct selectors, and bounded. */
const REMEMBERED = 4096;

/** Makes a check that compiles each distinct selector once, since every reconcile brings the same ones. */
export function createSelectorCheck(): SelectorCheck {
  const selectors = new DeviceSelectors();
  const verdicts = new Map<string, string | undefined>();
  const problem = (expression: string): string | undefined => {
    if (verdicts.has(expression)) return verdicts.get(expression);
    const compiled = selectors.compile(expression);
    const verdict = compiled.ok ? undefined : compiled.message;
    if (verdicts.size >= REMEMBERED) verdicts.clear();
    verdicts.set(expression, verdict);
    return verdict;
  };
  return (spec) =>
    spec.engines.flatMap((engine, e) =>
      engine.members.flatMap((member, m) =>
        (member.deviceRequests ?? []).flatMap((request, r) =>
          (request.selectors ?? []).flatMap(({ cel }, s) => {
            const message = cel === undefined ? undefined : problem(cel);
            if (message === undefined) return [];
            const path = `spec.engines[${e}].members[${m}].deviceRequests[${r}].selectors[${s}].cel`;
            return [`${path}: ${JSON.stringify(cel)} does not compile: ${message}`];
          }),
        ),
      ),
    );
}
