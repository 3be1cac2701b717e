// The TypeScript SDK's own server with a function that does nothing: what ours is measured against.
import {
  type FunctionHandler,
  FunctionRunner,
  newGrpcServer,
  type RunFunctionRequest,
  startServer,
  to,
} from "@crossplane-org/function-sdk-typescript";

const empty: FunctionHandler = {
  async RunFunction(request: RunFunctionRequest) {
    return to(request);
  },
};

const quiet = { info() {}, debug() {}, warn() {}, error() {}, trace() {} } as never;
const address = process.argv[2] ?? "";
const server = newGrpcServer(new FunctionRunner(empty, quiet), quiet);
startServer(server, { address, insecure: true }, quiet);
