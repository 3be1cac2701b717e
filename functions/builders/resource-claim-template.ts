import { sha256Hex } from "../../kube/canonical.ts";
import {
  isRecord,
  type KubeObject,
  listField,
  numberField,
  stringField,
} from "../../kube/object.ts";

/** One device request of a member, with the XRD's defaults filled in. */
export interface DeviceRequest {
  readonly name: string;
  readonly deviceClassName: string;
  readonly count: number;
  /** DRA selectors in CEL, all of which a device must satisfy. */
  readonly selectors: readonly string[];
}

/** Hashes device requests to 5 hexadecimal digits; a template's spec can't change, so its name does. */
export function deviceRequestsHash(requests: readonly DeviceRequest[]): string {
  const canonical = requests.map(({ name, deviceClassName, count, selectors }) => ({
    name,
    deviceClassName,
    count,
    selectors,
  }));
  return sha256Hex(JSON.stringify(canonical), 5);
}

/** What varies between the claim templates of members. */
export interface ResourceClaimTemplateParameters {
  readonly name: string;
  readonly namespace: string;
  readonly requests: readonly DeviceRequest[];
}

/** Builds the template that gives each pod of a member its own claim on devices. */
export function buildResourceClaimTemplate(
  parameters: ResourceClaimTemplateParameters,
): KubeObject {
  const { name, namespace, requests } = parameters;
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaimTemplate",
    metadata: { name, namespace },
    spec: {
      spec: {
        devices: {
          requests: requests.map((request) => ({
            name: request.name,
            exactly: {
              deviceClassName: request.deviceClassName,
              count: request.count,
              ...(request.selectors.length === 0
                ? {}
                : { selectors: request.selectors.map((expression) => ({ cel: { expression } })) }),
            },
          })),
        },
      },
    },
  };
}

/** Reads back the requests of a template's manifest, `undefined` where one is not of our shape. */
export function requestsOfTemplate(manifest: unknown): readonly DeviceRequest[] | undefined {
  const requests: DeviceRequest[] = [];
  for (const request of listField(manifest, "spec", "spec", "devices", "requests")) {
    const exactly = isRecord(request) ? request.exactly : undefined;
    const name = stringField(request, "name");
    const deviceClassName = stringField(exactly, "deviceClassName");
    const selectors = listField(exactly, "selectors").map((selector) =>
      stringField(selector, "cel", "expression"),
    );
    if (name === undefined || deviceClassName === undefined) return undefined;
    const expressions = selectors.filter((expression) => expression !== undefined);
    if (expressions.length !== selectors.length) return undefined;
    const count = numberField(exactly, "count") ?? 1;
    requests.push({ name, deviceClassName, count, selectors: expressions });
  }
  return requests;
}
