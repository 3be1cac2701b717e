import { PROVIDER_OBJECT } from "../../api/provider-object.ts";
import type { KubeObject } from "../../kube/object.ts";

/** What varies between the Objects that carry remote manifests. */
export interface ProviderObjectParameters {
  readonly manifest: KubeObject;
  /** The ClusterProviderConfig of the remote cluster. */
  readonly providerConfig: string;
  /** A CEL query over the remote `object`; without one an applied object is ready. */
  readonly readinessQuery?: string | undefined;
  /** Left out, the provider may do everything, deletion included. */
  readonly managementPolicies?: readonly string[] | undefined;
  /** Whether the provider watches the remote object; needs the provider's watch feature. */
  readonly watch?: boolean | undefined;
}

/** Wraps a manifest for a remote cluster; Crossplane names the Object. */
export function buildProviderObject(parameters: ProviderObjectParameters): KubeObject {
  const { manifest, providerConfig, readinessQuery, managementPolicies, watch } = parameters;
  return {
    ...PROVIDER_OBJECT,
    spec: {
      providerConfigRef: { kind: "ClusterProviderConfig", name: providerConfig },
      readiness:
        readinessQuery === undefined
          ? { policy: "SuccessfulCreate" }
          : { policy: "DeriveFromCelQuery", celQuery: readinessQuery },
      ...(managementPolicies === undefined ? {} : { managementPolicies }),
      ...(watch === true ? { watch } : {}),
      forProvider: { manifest },
    },
  };
}
