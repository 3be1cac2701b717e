import { type KubeObject, stringField } from "../../kube/object.ts";

/** Where a dataset is kept, in the namespace of its DecisionModel. */
export interface DatasetSource {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  readonly key: string;
}

/** The bytes of a dataset, or why there are none yet: the candidate waits until that is mended. */
export type SourcedDataset =
  | {
      readonly state: "found";
      readonly bytes: Uint8Array;
      /** A Secret that has only the label of API keys: accepted for one release, with a Warning. */
      readonly deprecatedLabel: boolean;
    }
  | {
      readonly state: "held";
      readonly reason: "DatasetNotFound" | "DatasetKeyNotFound" | "SecretNotAllowed";
      readonly message: string;
    };

const OPT_IN_LABEL = "decisionmodel.io/eval-dataset";
const DEPRECATED_LABEL = "decisionmodel.io/api-key";

/**
 * Takes the dataset out of the object that holds it, `undefined` where that does not exist. A
 * ConfigMap's `data` comes before its `binaryData`. Messages hold names and nothing of the content.
 */
export function sourceDataset(
  source: DatasetSource,
  object: KubeObject | undefined,
): SourcedDataset {
  const named = `${source.kind} ${source.name}`;
  if (object === undefined) {
    return held(
      "DatasetNotFound",
      `${named} does not exist: create it, with the key ${source.key}`,
    );
  }
  const labelled = (label: string) => stringField(object, "metadata", "labels", label) === "true";
  const optedIn = labelled(OPT_IN_LABEL);
  if (source.kind === "Secret" && !optedIn && !labelled(DEPRECATED_LABEL)) {
    return held(
      "SecretNotAllowed",
      `${named} is not labelled for evaluation: add the label ${OPT_IN_LABEL}: "true"`,
    );
  }
  const text = source.kind === "ConfigMap" ? stringField(object, "data", source.key) : undefined;
  const encoded = stringField(
    object,
    source.kind === "ConfigMap" ? "binaryData" : "data",
    source.key,
  );
  if (text === undefined && encoded === undefined) {
    return held("DatasetKeyNotFound", `${named} has no key ${source.key}: add it, or name another`);
  }
  return {
    state: "found",
    bytes: text === undefined ? Buffer.from(encoded ?? "", "base64") : Buffer.from(text, "utf8"),
    deprecatedLabel: source.kind === "Secret" && !optedIn,
  };
}

function held(
  reason: Extract<SourcedDataset, { state: "held" }>["reason"],
  message: string,
): SourcedDataset {
  return { state: "held", reason, message };
}
