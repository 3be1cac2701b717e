import {
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { MalformedMessage } from "./wire/malformed.ts";
import { WireReader } from "./wire/reader.ts";
import { WireWriter } from "./wire/writer.ts";

const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

type WatchCall = ServerWritableStream<Buffer, Buffer>;

/** The standard `grpc.health.v1.Health` service, on encoded messages. */
export interface Health {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
  /** Reports every service as not serving from now on and ends the watches, which drains them. */
  stop(): void;
}

/** Builds the health service for the given service names; the empty name means the whole server. */
export function createHealth(services: readonly string[]): Health {
  const known = new Set(["", ...services]);
  const watches = new Set<WatchCall>();
  let serving = SERVING;

  function check(call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void {
    const service = readService(call.request);
    if (service === undefined) {
      callback({ code: status.INVALID_ARGUMENT, details: "no valid HealthCheckRequest" });
    } else if (known.has(service)) {
      callback(null, response(serving));
    } else {
      const details = `service is ${JSON.stringify(service.slice(0, 200))}, which is not served`;
      callback({ code: status.NOT_FOUND, details });
    }
  }

  function watch(call: WatchCall): void {
    const service = readService(call.request);
    if (service === undefined) {
      call.emit("error", { code: status.INVALID_ARGUMENT, details: "no valid HealthCheckRequest" });
      return;
    }
    watches.add(call);
    call.on("cancelled", () => watches.delete(call));
    call.on("close", () => watches.delete(call));
    call.write(response(known.has(service) ? serving : SERVICE_UNKNOWN));
  }

  return {
    definition: {
      check: method("Check", false),
      watch: method("Watch", true),
    },
    implementation: { check, watch },
    stop() {
      serving = NOT_SERVING;
      for (const call of watches) {
        call.write(response(NOT_SERVING));
        call.end();
      }
      watches.clear();
    },
  };
}

function method(name: string, responseStream: boolean) {
  return {
    path: `/grpc.health.v1.Health/${name}`,
    requestStream: false,
    responseStream,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  };
}

function identity(bytes: Buffer): Buffer {
  return bytes;
}

/** The service name of a HealthCheckRequest, `undefined` if it is malformed. */
function readService(bytes: Buffer): string | undefined {
  const reader = new WireReader(bytes);
  let service = "";
  try {
    while (reader.at < bytes.length) {
      const tag = reader.tag(bytes.length);
      if (tag === 0x0a) service = reader.string(bytes.length);
      else reader.skip(tag, bytes.length, 1);
    }
  } catch (error) {
    if (error instanceof MalformedMessage) return undefined;
    throw error;
  }
  return service;
}

function response(servingStatus: number): Buffer {
  const writer = new WireWriter(8);
  writer.integer(0x08, servingStatus);
  return writer.finish();
}
