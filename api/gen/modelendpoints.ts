// Made by `npm run generate` from package/apis/modelendpoints/definition.yaml; do not edit.
// Every field that has a default is present, since these are the types of an object as the API
// server stores it.
import type { KubeObject, ObjectMeta } from "../../kube/object.ts";

/** A server that answers requests for a model. A ModelDeployment makes one for each replica that serves; write one yourself for a server that sluice does not run. */
export interface ModelEndpoint extends KubeObject {
  readonly apiVersion: "modelplane.ai/v1alpha1";
  readonly kind: "ModelEndpoint";
  readonly metadata: ObjectMeta;
  readonly spec: ModelEndpointSpec;
  readonly status?: ModelEndpointStatus;
}
/** Where the server is, and how it is spoken to. */
export interface ModelEndpointSpec {
  /** Scheme, host and, unless it is the scheme's own, port of the server, such as https://api.provider.example or http://10.0.0.9:8000. A path goes into api.prefix. */
  readonly origin: string;
  readonly api?: Api;
  /** The name that the server knows its model by. Left out, requests keep the name that they come with. */
  readonly model?: string;
  readonly credential?: Credential;
  readonly crossplane?: CrossplaneSpec;
}
/** The API that the server has. Left out, it is as if every field had its default. */
export interface Api {
  /** Whose API it is like. */
  readonly schema: "OpenAI" | "Anthropic";
  /** The path under which the server has it, without a slash at the end. */
  readonly prefix: string;
}
/** What the server wants to see of its callers. */
export interface Credential {
  readonly apiKey?: ApiKey;
}
/** A key to send with every request. */
export interface ApiKey {
  readonly secretRef: SecretRef;
}
/** The Secret with the key, in this namespace. */
export interface SecretRef {
  /** Name of the Secret. */
  readonly name: string;
  /** The Secret's key that holds it. */
  readonly key: string;
}
/** How Crossplane reconciles this composite resource. */
export interface CrossplaneSpec {
  readonly compositionRef?: CompositionRef;
  readonly compositionSelector?: CompositionSelector;
  readonly compositionRevisionRef?: CompositionRevisionRef;
  readonly compositionRevisionSelector?: CompositionRevisionSelector;
  readonly compositionUpdatePolicy?: "Automatic" | "Manual";
  readonly resourceRefs?: readonly ResourceRef[];
}
/** spec.crossplane.compositionRef of a ModelEndpoint. */
export interface CompositionRef {
  readonly name: string;
}
/** spec.crossplane.compositionSelector of a ModelEndpoint. */
export interface CompositionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.compositionRevisionRef of a ModelEndpoint. */
export interface CompositionRevisionRef {
  readonly name: string;
}
/** spec.crossplane.compositionRevisionSelector of a ModelEndpoint. */
export interface CompositionRevisionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.resourceRefs[] of a ModelEndpoint. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
}
/** Whether the endpoint can be used. */
export interface ModelEndpointStatus {
  /** Conditions of the resource. */
  readonly conditions?: readonly Condition[];
}
/** status.conditions[] of a ModelEndpoint. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
