import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import type { Answerer } from "./answers.ts";
import { decodeResponse, encodeRequest } from "./client-codec.ts";

const method = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction";
const callMilliseconds = 20_000;

/** Says that a function server can't be reached or does not answer as one. */
export class FunctionUnavailable extends Error {
  override readonly name = "FunctionUnavailable";
}

/** The `HOST:PORT` of a `grpc://HOST:PORT` address, or `undefined` when it is none. */
export function grpcTarget(address: string): string | undefined {
  return /^grpc:\/\/((?:\[[0-9a-fA-F:]+\]|[^\s/:@]+):\d{1,5})\/?$/.exec(address)?.[1];
}

/** Answers calls through a function server that speaks plaintext; `close` ends the connection. */
export function answerVia(target: string): { answer: Answerer; close(): void } {
  const client = new Client(target, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  const answer: Answerer = (request) =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        method,
        (bytes: Buffer) => bytes,
        decodeResponse,
        encodeRequest(request),
        { deadline: Date.now() + callMilliseconds },
        (error: ServiceError | null, response) => {
          if (error !== null) reject(new FunctionUnavailable(explain(target, error)));
          else if (response !== undefined) resolve(response);
        },
      );
    });
  return { answer, close: () => client.close() };
}

function explain(target: string, { code, details }: ServiceError): string {
  const next = "start one with `sluice function --insecure`, or leave --via out";
  return `the function server at ${target} did not answer (gRPC code ${code}: ${details}); ${next}`;
}
