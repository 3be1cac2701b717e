/** A valid ModelReplica as a person writes it, for tests that change a line of its text. */
export const REPLICA_MANIFEST = `apiVersion: modelplane.ai/v1alpha1
kind: ModelReplica
metadata:
  name: chat
  namespace: ml-team
spec:
  clusterName: eu-1
  engines:
  - name: main
    members:
    - nodePoolName: gpu
      deviceRequests:
      - name: gpu
        deviceClassName: gpu.nvidia.com
      template:
        spec:
          containers:
          - name: engine
            image: example.org/engine:1
`;
