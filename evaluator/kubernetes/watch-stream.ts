import { field, stringField } from "../../kube/object.ts";
import type { Answer, Problem, ResourceKind, WatchEvent } from "./client.ts";
import { watchProblem } from "./problem.ts";
import { parseJson, receivedObject } from "./received.ts";

/**
 * Tells the events of a watch, a line of JSON each, until its stream ends (`ok`), breaks, or says
 * something that is none; a line has at most `most` bytes.
 */
export async function readWatch(
  stream: AsyncIterable<Buffer>,
  kind: ResourceKind,
  most: number,
  tell: (event: WatchEvent) => void,
): Promise<Answer<undefined>> {
  let held: Buffer[] = [];
  let length = 0;
  const chunks = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const chunk = await next(chunks);
      if (chunk === "ended") return { ok: true, value: undefined };
      if (chunk === "broken") return failed("the watch was cut off");
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        const line = Buffer.concat([...held, chunk.subarray(from, end)]).toString("utf8");
        held = [];
        length = 0;
        from = end + 1;
        const problem = tellLine(line, kind, tell);
        if (problem !== undefined) return { ok: false, problem };
      }
      held.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > most) return failed(`the watch sent a line of more than ${most} bytes`);
    }
  } finally {
    await chunks.return?.();
  }
}

async function next(chunks: AsyncIterator<Buffer>): Promise<Buffer | "ended" | "broken"> {
  try {
    const { done, value } = await chunks.next();
    return done === true ? "ended" : value;
  } catch {
    return "broken";
  }
}

function tellLine(
  line: string,
  kind: ResourceKind,
  tell: (event: WatchEvent) => void,
): Problem | undefined {
  if (line.trim() === "") return undefined;
  const event = parseJson(line);
  const type = stringField(event, "type");
  const sent = field(event, "object");
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED": {
      const object = receivedObject(sent, kind);
      if (object === undefined) return garbled;
      tell({ type, object });
      return undefined;
    }
    case "BOOKMARK": {
      const resourceVersion = stringField(sent, "metadata", "resourceVersion");
      if (resourceVersion === undefined) return garbled;
      tell({ type, resourceVersion });
      return undefined;
    }
    case "ERROR":
      return watchProblem(sent);
    default:
      return garbled;
  }
}

const garbled: Problem = { reason: "Unavailable", message: "the watch sent what is no event" };

function failed(message: string): Answer<never> {
  return { ok: false, problem: { reason: "Unavailable", message } };
}
