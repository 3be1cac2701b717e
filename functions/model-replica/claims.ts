import type { Engine, Member } from "../../api/gen/modelreplicas.ts";
import { decodeProviderObject } from "../../api/provider-object.ts";
import { childName } from "../../kube/names.ts";
import { stringField } from "../../kube/object.ts";
import {
  buildResourceClaimTemplate,
  type DeviceRequest,
  deviceRequestsHash,
  requestsOfTemplate,
} from "../builders/resource-claim-template.ts";
import type { ObservedResources } from "../composition/composition.ts";
import { requestedKey } from "../composition/object-keys.ts";
import { claimKey, claimKeyPrefix, engineOfClaimKey } from "./keys.ts";
import type { Planned, ReplicaContext } from "./plan.ts";

/** The claim templates of one engine. */
export interface EngineClaims {
  readonly templates: readonly Planned[];
  /** The template's name by the member's role; members that claim nothing have none. */
  readonly names: ReadonlyMap<Member["role"], string>;
}

/** Plans a claim template for each member of an engine that has device requests. */
export function planClaims(
  context: ReplicaContext,
  engine: Engine,
  observed: ObservedResources,
): EngineClaims {
  const templates: Planned[] = [];
  const names = new Map<Member["role"], string>();
  for (const member of engine.members) {
    if (member.deviceRequests === undefined) continue;
    const requests = member.deviceRequests.map(withExpressions);
    const { key, name } = identify(context, engine.name, member.role, requests, observed);
    names.set(member.role, name);
    templates.push({
      key,
      manifest: buildResourceClaimTemplate({ name, namespace: context.namespace, requests }),
    });
  }
  return { templates, names };
}

/**
 * Lists the observed keys of an engine's older templates. The claims of its running pods come from
 * them, so they stay composed until the engine's workload is fully updated. On another cluster there
 * is nothing to update: the workload there is being let go.
 */
export function olderClaimKeys(
  engine: string,
  current: ReadonlySet<string>,
  providerConfig: string,
  observed: ObservedResources,
): readonly string[] {
  const prefix = claimKeyPrefix(engine);
  return observed.keys.filter((key) => {
    if (current.has(key) || !key.startsWith(prefix)) return false;
    const object = observed.get(key);
    const decoded = object === undefined ? undefined : decodeProviderObject(object);
    if (decoded?.providerConfig !== providerConfig) return false;
    return engineOfClaimKey(requestedKey(key, decoded)) === engine;
  });
}

/**
 * Chooses key and name by the requests' hash, since a template can't change. The template that
 * upstream named without one is kept as long as it asks for the same devices.
 */
function identify(
  context: ReplicaContext,
  engine: string,
  role: string,
  requests: readonly DeviceRequest[],
  observed: ObservedResources,
): { readonly key: string; readonly name: string } {
  const hash = deviceRequestsHash(requests);
  const unhashed = claimKey(engine, role);
  const object = observed.get(unhashed);
  const present = object === undefined ? undefined : decodeProviderObject(object);
  if (present !== undefined && !present.deleting) {
    const name = stringField(present.wanted, "metadata", "name");
    const same = requestsOfTemplate(present.wanted);
    if (name !== undefined && same !== undefined && deviceRequestsHash(same) === hash) {
      return { key: unhashed, name };
    }
  }
  const parts = [context.replica, engine, role.toLowerCase(), "devices", hash];
  return { key: claimKey(engine, role, hash), name: childName(parts) };
}

function withExpressions(request: NonNullable<Member["deviceRequests"]>[number]): DeviceRequest {
  const selectors = (request.selectors ?? []).flatMap(({ cel }) =>
    cel === undefined ? [] : [cel],
  );
  return { ...request, selectors };
}
