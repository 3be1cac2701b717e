import { LABEL } from "../../api/labels.ts";
import type { KubeObject } from "../../kube/object.ts";
import { PICKER_PORT } from "./inference-pool.ts";

/** Builds the Service where the gateway asks a picker; the gateway speaks HTTP/2 to it. */
export function buildPickerService(name: string, namespace: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: {
      selector: { [LABEL.app]: name },
      ports: [
        {
          name: "grpc-ext-proc",
          port: PICKER_PORT,
          targetPort: PICKER_PORT,
          protocol: "TCP",
          appProtocol: "http2",
        },
      ],
    },
  };
}
