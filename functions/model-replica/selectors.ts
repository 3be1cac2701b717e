import type { ModelReplicaSpec } from "../../api/gen/modelreplicas.ts";
import { DeviceSelectors } from "../../cel/device.ts";
import { compilationWeight } from "../../cel/pattern.ts";

/** Finds every device selector of a spec that does not compile, each as field, value and reason. */
export type SelectorCheck = (spec: ModelReplicaSpec) => readonly string[];

/**
 * What the selectors of one replica may weigh together. All of them count, known or not, since an
 * answer depends on the request alone; a replica of ours has far fewer and lighter ones.
 */
const MOST_WEIGHT = 20_000;

/** How much of a selector a message quotes, in characters. */
const MOST_QUOTED = 200;

/** How many verdicts are remembered: more than a fleet has distinct selectors, and bounded. */
const REMEMBERED = 4096;

/** Makes a check that compiles each distinct selector once, since every reconcile brings the same ones. */
export function createSelectorCheck(): SelectorCheck {
  // Made when the first selector comes by: many replicas have none.
  let selectors: DeviceSelectors | undefined;
  const verdicts = new Map<string, string | undefined>();
  const problem = (expression: string): string | undefined => {
    if (verdicts.has(expression)) return verdicts.get(expression);
    selectors ??= new DeviceSelectors();
    const compiled = selectors.compile(expression);
    const verdict = compiled.ok ? undefined : compiled.message;
    if (verdicts.size >= REMEMBERED) verdicts.clear();
    verdicts.set(expression, verdict);
    return verdict;
  };
  return (spec) => {
    const weight = selectorsOf(spec).reduce((sum, cel) => sum + compilationWeight(cel), 0);
    if (weight > MOST_WEIGHT) {
      return [
        `spec.engines: the selectors of all deviceRequests take too long to compile together (${Math.ceil(weight)} of ${MOST_WEIGHT}): use fewer, or smaller repetitions in their patterns`,
      ];
    }
    return spec.engines.flatMap((engine, e) =>
      engine.members.flatMap((member, m) =>
        (member.deviceRequests ?? []).flatMap((request, r) =>
          (request.selectors ?? []).flatMap(({ cel }, s) => {
            const message = cel === undefined ? undefined : problem(cel);
            if (cel === undefined || message === undefined) return [];
            const path = `spec.engines[${e}].members[${m}].deviceRequests[${r}].selectors[${s}].cel`;
            const text = cel.length > MOST_QUOTED ? `${cel.slice(0, MOST_QUOTED)}…` : cel;
            return [`${path}: ${JSON.stringify(text)} does not compile: ${message}`];
          }),
        ),
      ),
    );
  };
}

function selectorsOf(spec: ModelReplicaSpec): readonly string[] {
  const requests = spec.engines.flatMap(({ members }) =>
    members.flatMap(({ deviceRequests }) => deviceRequests ?? []),
  );
  const texts = requests.flatMap(({ selectors }) => selectors ?? []);
  return [...new Set(texts.flatMap(({ cel }) => cel ?? []))];
}
