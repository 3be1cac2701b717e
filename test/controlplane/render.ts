import { spawn } from "node:child_process";
import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import type { KubeObject } from "../../kube/object.ts";
import { frame } from "../wire-messages.ts";
import { binaryPath } from "./binaries.ts";

/** What one reconcile is rendered from. */
export interface RenderInput {
  readonly composite: KubeObject;
  readonly composition: KubeObject;
  /** Where each function of the pipeline listens, in plaintext. */
  readonly functions: Readonly<Record<string, string>>;
  readonly observed: readonly KubeObject[];
  readonly required: readonly KubeObject[];
}

/** What one reconcile of Crossplane's own engine gives. */
export interface Rendered {
  readonly composite: KubeObject;
  readonly composed: readonly KubeObject[];
}

/**
 * Renders one reconcile with `crossplane internal render` of the core binary: a RenderRequest of
 * `crossplane.render.v1alpha1` on its standard input, the response on its output.
 */
export async function render(input: RenderInput): Promise<Rendered> {
  const functions = Object.entries(input.functions).map(([name, address]) =>
    frame(0x1a, frame(0x0a, name), frame(0x12, address)),
  );
  const request = frame(
    0x12,
    frame(0x0a, struct(input.composite)),
    frame(0x12, struct(input.composition)),
    ...functions,
    ...input.observed.map((object) => frame(0x22, struct(object))),
    ...input.required.map((object) => frame(0x2a, struct(object))),
  );
  return decode(await run(request));
}

function struct(object: KubeObject): Uint8Array {
  const plain = JSON.parse(JSON.stringify(object)) as JsonValue;
  return toBinary(StructSchema, fromJson(StructSchema, plain));
}

function run(request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(binaryPath("crossplane"), ["internal", "render"], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env.PATH },
    });
    const out: Buffer[] = [];
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-1_000);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      // 3: a step has failed, and the output is there all the same.
      if (code === 0 || code === 3) resolve(Buffer.concat(out));
      else reject(new Error(`crossplane internal render ended with ${code}: ${said}`));
    });
    child.stdin.end(request);
  });
}

function decode(response: Buffer): Rendered {
  let composite: KubeObject | undefined;
  const composed: KubeObject[] = [];
  for (const [field, bytes] of fields(response)) {
    if (field !== 2) continue;
    for (const [inner, value] of fields(bytes)) {
      const read = () =>
        toJson(StructSchema, fromBinary(StructSchema, value)) as unknown as KubeObject;
      if (inner === 1) composite = read();
      if (inner === 2) composed.push(read());
    }
  }
  if (composite === undefined) throw new Error("the response has no composite resource");
  return { composite, composed };
}

/** The length-delimited fields of a message. */
function* fields(bytes: Uint8Array): Generator<readonly [number, Uint8Array]> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === 2) yield [field, reader.bytes()];
    else reader.skip(type, field);
  }
}
