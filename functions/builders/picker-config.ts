import { sortKeys } from "../../kube/canonical.ts";
import type { KubeObject } from "../../kube/object.ts";

/** The file that a picker reads its configuration from, and its key in the ConfigMap. */
export const PICKER_CONFIG_FILE = "epp-config.yaml";

/** The tokens of one block of the key-value cache, where the engine's flags do not say. */
const DEFAULT_BLOCK_SIZE = 16;

/** What varies between default picker configurations. */
export interface PickerConfigParameters {
  readonly mode: "Unified" | "PrefillDecode";
  /** The engine's arguments, whose block size the picker must share to predict cache hits. */
  readonly engineArgs: readonly string[];
}

/**
 * Composes the default configuration of the mode. Under PrefillDecode a prompt is prefilled
 * elsewhere only if the prefix producer, a threshold above zero and a fixed block size are all
 * there: with any of them missing every request is decoded where it is prefilled.
 */
export function defaultPickerConfig(
  parameters: PickerConfigParameters,
): Readonly<Record<string, unknown>> {
  const disaggregated = parameters.mode === "PrefillDecode";
  return {
    apiVersion: "llm-d.ai/v1alpha1",
    kind: "EndpointPickerConfig",
    plugins: [
      ...(disaggregated ? DISAGGREGATION_PLUGINS : []),
      {
        type: "approx-prefix-cache-producer",
        parameters: {
          autoTune: false,
          blockSizeTokens: blockSize(parameters.engineArgs),
          maxPrefixBlocksToMatch: 256,
          lruCapacityPerServer: 31250,
        },
      },
      { type: "prefix-cache-scorer" },
      { type: "queue-scorer" },
      { type: "max-score-picker" },
    ],
    schedulingProfiles: disaggregated
      ? [
          { name: "prefill", plugins: [{ pluginRef: "prefill-filter" }, ...SCORING] },
          { name: "decode", plugins: [{ pluginRef: "decode-filter" }, ...SCORING] },
        ]
      : [{ name: "default", plugins: SCORING }],
  };
}

const DISAGGREGATION_PLUGINS = [
  { type: "disagg-headers-handler" },
  { type: "prefill-filter" },
  { type: "decode-filter" },
  { type: "prefix-based-pd-decider", parameters: { nonCachedTokens: 16 } },
  {
    type: "disagg-profile-handler",
    parameters: { deciders: { prefill: "prefix-based-pd-decider" } },
  },
];

const SCORING = [
  { pluginRef: "prefix-cache-scorer", weight: 2 },
  { pluginRef: "queue-scorer", weight: 1 },
  { pluginRef: "max-score-picker" },
];

/**
 * Reads the block size from an engine's arguments as the engine would: `--block-size` or
 * `--page-size`, in one word or two, the last one counts; 16 where it is no positive integer.
 */
export function blockSize(args: readonly string[]): number {
  let last: string | undefined;
  for (const [at, argument] of args.entries()) {
    const match = /^--(?:block|page)-size(?:=(.*))?$/s.exec(argument);
    if (match !== null) last = match[1] ?? args[at + 1] ?? "";
  }
  const size = last !== undefined && /^[0-9]{1,9}$/.test(last) ? Number(last) : 0;
  return size > 0 ? size : DEFAULT_BLOCK_SIZE;
}

/** Writes a configuration as text: JSON, which is YAML too, with sorted keys. */
export function pickerConfigText(config: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(sortKeys(config), undefined, 2)}\n`;
}

/** Builds the ConfigMap that a picker's configuration is mounted from. */
export function buildPickerConfigMap(name: string, namespace: string, text: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
    data: { [PICKER_CONFIG_FILE]: text },
  };
}
