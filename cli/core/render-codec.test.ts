import { expect, test } from "vitest";
import { frame } from "../../test/wire-messages.ts";
import { decodeRenderResponse, encodeRenderRequest } from "./render-codec.ts";

const object = (name: string) => ({ apiVersion: "v1", kind: "K", metadata: { name } });

test("a request frames what it is rendered from by the engine's field numbers, in order", () => {
  const request = encodeRenderRequest({
    composite: object("xr"),
    composition: object("composition"),
    functions: { "function-sluice": "127.0.0.1:1" },
    observed: [object("o1"), object("o2")],
    required: [object("r1")],
  });
  const names = [
    ...request.toString("latin1").matchAll(/xr|composition|function-sluice|127|o1|o2|r1/g),
  ];
  expect(names.map(([name]) => name)).toEqual([
    "xr",
    "composition",
    "function-sluice",
    "127",
    "o1",
    "o2",
    "r1",
  ]);
  expect(request[0]).toBe(0x12);
});

// A Struct with one field `a` whose value is the string `b`.
const struct = frame(0x0a, frame(0x0a, "a"), frame(0x12, frame(0x1a, "b")));

test("a response is read by its field numbers, and what is not asked for is skipped", () => {
  const event = frame(0x22, frame(0x0a, "Normal"), frame(0x12, "R"), frame(0x1a, "said"));
  const output = [
    frame(0x0a, struct),
    frame(0x12, struct),
    frame(0x1a, struct),
    event,
    frame(0x2a, "x"),
  ];
  const response = Buffer.concat([frame(0x0a), frame(0x12, ...output), frame(0x1a, "other")]);
  expect(decodeRenderResponse(response)).toEqual({
    composite: { a: "b" },
    composed: [{ a: "b" }],
    deleted: [{ a: "b" }],
    events: [{ type: "Normal", reason: "R", message: "said" }],
  });
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["another answer", frame(0x1a, "x")],
  ["half a message", frame(0x12, frame(0x0a, struct)).subarray(0, 5)],
])("%s is no response", (_, bytes) => {
  expect(() => decodeRenderResponse(bytes)).toThrow();
});
