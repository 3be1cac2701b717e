import type { ModelDeploymentSpec } from "../../api/gen/modeldeployments.ts";
import type {
  DeviceRequest,
  Engine,
  Member,
  ModelReplicaSpec,
} from "../../api/gen/modelreplicas.ts";
import { MODEL_REPLICA } from "../../api/model-replica.ts";
import { type KubeObject, listField, stringField } from "../../kube/object.ts";
import { withServedModelName } from "../builders/model-replica.ts";
import type { EnginePlacement, MemberPlacement } from "./scheduling/placement.ts";

type DeploymentEngine = ModelDeploymentSpec["template"]["spec"]["engines"][number];
type DeploymentMember = DeploymentEngine["members"][number];

/**
 * Writes the spec of a replica: the deployment's template, pinned to a cluster, its members to the
 * pools of their engines, and their requests to the device classes found there. What has no device
 * to claim has no `deviceRequests` at all. `model` is the name that requests call the model by.
 */
export function stampReplica(
  spec: ModelDeploymentSpec,
  cluster: string,
  engines: readonly EnginePlacement[],
  model: string,
): ModelReplicaSpec {
  const { modelCacheRef, serving, engines: wanted } = spec.template.spec;
  return {
    clusterName: cluster,
    ...(modelCacheRef === undefined ? {} : { modelCacheRef }),
    ...(serving === undefined ? {} : { serving }),
    engines: wanted.map((engine, at) => {
      return withServedModelName(stampEngine(engine, engines[at]), model);
    }),
  };
}

function stampEngine(engine: DeploymentEngine, placement: EnginePlacement | undefined): Engine {
  const { name, copies, phase, members } = engine;
  if (placement === undefined) throw new Error(`engine ${name} has no place`);
  return {
    name,
    copies,
    ...(phase === undefined ? {} : { phase }),
    members: members.map((member, at) => stampMember(member, placement.members[at])),
  };
}

function stampMember(member: DeploymentMember, placement: MemberPlacement | undefined): Member {
  if (placement === undefined) throw new Error("a member has no place");
  const { role, worker, template, nodeSelector } = member;
  const requests = (nodeSelector?.devices ?? []).flatMap(
    ({ name, count, selectors }, at): readonly DeviceRequest[] => {
      const deviceClassName = placement.deviceClasses[at];
      if (deviceClassName === undefined) return [];
      return [{ name, deviceClassName, count, ...(selectors === undefined ? {} : { selectors }) }];
    },
  );
  return {
    role,
    nodePoolName: placement.pool,
    ...(requests.length === 0 ? {} : { deviceRequests: requests }),
    ...(worker === undefined ? {} : { worker }),
    template,
  };
}

/**
 * A replica of the deployment on no cluster in particular, that claims all it could, for checking
 * the template before any replica has it.
 */
export function specimenReplica({ metadata }: KubeObject, spec: ModelDeploymentSpec): KubeObject {
  const { namespace = "", name = "" } = metadata ?? {};
  const engines = spec.template.spec.engines.map((engine) => ({
    name: engine.name,
    members: engine.members.map(({ nodeSelector }) => ({
      pool: "pool",
      deviceClasses: (nodeSelector?.devices ?? []).map(() => "device-class"),
    })),
  }));
  const stamped = stampReplica(spec, "cluster", engines, `${namespace}/${name}`);
  return { ...MODEL_REPLICA, metadata: { namespace, name }, spec: stamped };
}

/**
 * Reads where a replica stands from its own spec, request by request, so that it can be told whether
 * the template has changed since; `undefined` when the template has other engines or members now.
 */
export function decodePlacement(
  stamped: unknown,
  spec: ModelDeploymentSpec,
): readonly EnginePlacement[] | undefined {
  const wanted = spec.template.spec.engines;
  const engines = listField(stamped, "engines");
  if (engines.length !== wanted.length) return undefined;
  const placements: EnginePlacement[] = [];
  for (const [e, { name, members }] of wanted.entries()) {
    const stampedMembers = listField(engines[e], "members");
    if (stringField(engines[e], "name") !== name || stampedMembers.length !== members.length) {
      return undefined;
    }
    placements.push({
      name,
      members: members.map(({ nodeSelector }, m) => ({
        pool: stringField(stampedMembers[m], "nodePoolName") ?? "",
        deviceClasses: (nodeSelector?.devices ?? []).map((request) =>
          stringField(
            listField(stampedMembers[m], "deviceRequests").find(
              (one) => stringField(one, "name") === request.name,
            ),
            "deviceClassName",
          ),
        ),
      })),
    });
  }
  return placements;
}
