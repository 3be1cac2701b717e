import { labelValue, serviceName, suffixedName } from "../../kube/names.ts";
import { buildHttpRoute, httpRouteReadyQuery } from "../builders/http-route.ts";
import { buildInferencePool } from "../builders/inference-pool.ts";
import {
  buildPickerRole,
  buildPickerRoleBinding,
  buildPickerServiceAccount,
} from "../builders/picker-access.ts";
import {
  buildPickerConfigMap,
  defaultPickerConfig,
  pickerConfigText,
} from "../builders/picker-config.ts";
import { buildPickerDeployment } from "../builders/picker-deployment.ts";
import { buildPickerService } from "../builders/picker-service.ts";
import { ENGINE_CONTAINER } from "../builders/pod.ts";
import { KEY } from "./keys.ts";
import type { Planned, ReplicaContext } from "./plan.ts";

/**
 * Plans what leads requests to a replica's serving pods. It is the same for one pod and for many,
 * since exchanging a Service for a pool later would drop the requests in flight.
 */
export function planRouting(context: ReplicaContext): readonly Planned[] {
  const { replica, controlNamespace, namespace, mode, port, spec } = context;
  const picker = serviceName(replica, "epp");
  const pool = suffixedName(replica, "pool");
  const own = spec.serving?.endpointPicker;
  const configText = pickerConfigText(
    own?.config ?? defaultPickerConfig({ mode, engineArgs: pickedEngineArgs(context) }),
  );
  return [
    {
      key: KEY.pool,
      manifest: buildInferencePool({
        name: pool,
        namespace,
        servingLabel: labelValue(replica),
        port,
        picker,
        // Failing open would send requests for tokens to pods that only prefill.
        failureMode: mode === "PrefillDecode" ? "FailClose" : "FailOpen",
      }),
    },
    {
      key: KEY.route,
      manifest: buildHttpRoute({
        name: suffixedName(replica),
        namespace,
        path: `/${controlNamespace}/${replica}`,
        pool,
      }),
      readinessQuery: httpRouteReadyQuery(),
    },
    { key: KEY.pickerServiceAccount, manifest: buildPickerServiceAccount(picker, namespace) },
    { key: KEY.pickerRole, manifest: buildPickerRole(picker, namespace) },
    { key: KEY.pickerRoleBinding, manifest: buildPickerRoleBinding(picker, namespace) },
    { key: KEY.pickerConfig, manifest: buildPickerConfigMap(picker, namespace, configText) },
    {
      key: KEY.picker,
      manifest: buildPickerDeployment({
        name: picker,
        namespace,
        pool,
        configText,
        labels: context.identity,
        template: own?.template,
      }),
    },
    { key: KEY.pickerService, manifest: buildPickerService(picker, namespace) },
  ];
}

/** The arguments of the engine whose cache blocks the default picker follows: the one that decodes. */
function pickedEngineArgs({ mode, spec }: ReplicaContext): readonly string[] {
  const engine =
    mode === "PrefillDecode"
      ? spec.engines.find(({ phase }) => phase === "Decode")
      : spec.engines[0];
  const serving = engine?.members.find(({ role }) => role !== "Worker");
  const container = serving?.template.spec?.containers.find(
    ({ name }) => name === ENGINE_CONTAINER,
  );
  return container?.args ?? [];
}
