import type { ModelEndpointSpec } from "../../api/gen/modelendpoints.ts";
import { type EndpointReady, MODEL_ENDPOINT } from "../../api/model-endpoint.ts";
import { parseOrigin } from "../../api/origin.ts";
import { findCondition } from "../../kube/conditions.ts";
import type { Checked, Definitions } from "../../schema/definitions.ts";
import type { Composition, Handler } from "../composition/composition.ts";
import { quoteFindings } from "../composition/findings.ts";
import { keptFromBefore } from "../composition/holding.ts";

/**
 * Makes the handler that checks ModelEndpoints. It composes nothing: gateways read an endpoint
 * itself, so it is ready when what it says can be used.
 */
export function modelEndpointHandler(definitions: Definitions): Handler {
  const definition = definitions.get(`${MODEL_ENDPOINT.apiVersion}/${MODEL_ENDPOINT.kind}`);
  if (definition === undefined) throw new Error("the ModelEndpoint definition is not loaded");
  return {
    ...MODEL_ENDPOINT,
    compose({ composite, observed }): Composition {
      const condition = endpointReady(definition.check(composite));
      const { status, reason, message } = condition;
      const known = findCondition(composite, condition.type)?.reason === reason;
      return {
        resources: keptFromBefore(observed, new Set()),
        requirements: {},
        conditions: [condition],
        results: status === "True" || known ? [] : [{ severity: "Warning", reason, message }],
        status: {},
        ...(status === "True" ? {} : { ready: false }),
      };
    },
  };
}

function endpointReady({ object, findings }: Checked): EndpointReady {
  const type = "EndpointReady";
  if (findings.length > 0) {
    const message = quoteFindings(findings);
    return { type, status: "False", reason: "InvalidSpec", message };
  }
  const { origin } = object.spec as ModelEndpointSpec;
  const refused = (why: string): EndpointReady => {
    const message = `spec.origin is ${JSON.stringify(origin)}: ${why}`;
    return { type, status: "False", reason: "InvalidOrigin", message };
  };
  const parsed = parseOrigin(origin);
  if (!parsed.ok) return refused(parsed.error);
  const { scheme, host, port, path } = parsed.origin;
  if (path !== "" && path !== "/") {
    return refused(`it must not have a path: put ${JSON.stringify(path)} into spec.api.prefix`);
  }
  const message = `${scheme} to ${host} on port ${port}`;
  return { type, status: "True", reason: "OriginAccepted", message };
}
