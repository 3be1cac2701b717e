import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { field, type KubeObject } from "../../kube/object.ts";
import { names, playTimeline, timelineOf } from "./timelines.ts";

const PREFIX = 8;

/** Every value of a Secret, in each form in which it could leak. */
function formsOf(secret: KubeObject): readonly string[] {
  const data = Object.entries((field(secret, "data") ?? {}) as Record<string, string>);
  return data.flatMap(([key, encoded]) => {
    const value = Buffer.from(encoded, "base64").toString("utf8");
    // The digest of a dataset names what a candidate passed, so it is public; its cases are not.
    if (key.endsWith(".jsonl")) return [encoded, ...statesOf(value)];
    const digest = (text: string) => createHash("sha256").update(text).digest("hex");
    const hmac = createHmac("sha256", secret.metadata?.uid ?? "")
      .update(value)
      .digest("hex");
    return [encoded, value, value.slice(0, PREFIX), digest(value), digest(encoded), hmac];
  });
}

function statesOf(dataset: string): readonly string[] {
  const lines = dataset.trim().split("\n");
  return lines.map((line) => String(field(JSON.parse(line) as unknown, "state")));
}

test("80: no log line, event, status or message of any roll-out holds a secret, part of one or its digest", async () => {
  let secrets = 0;
  for (const name of names) {
    const timeline = timelineOf(name);
    const logged: string[] = [];
    const seen: KubeObject[] = [];
    const written: string[] = [];
    const played = await playTimeline(timeline, {
      logged: (facts, message) => logged.push(`${message} ${JSON.stringify(facts)}`),
      changed: ({ object }) => {
        if (object.kind === "Secret") seen.push(object);
        else if (object.kind === "DecisionModel") written.push(JSON.stringify(object.status ?? {}));
        else if (object.kind === "Event") written.push(JSON.stringify(object));
      },
    });
    const traced = played.world.trace
      .filter(({ subject }) => subject !== "you")
      .map(({ text }) => text);
    const all = [...logged, ...written, ...traced].join("\n");
    for (const form of seen.flatMap(formsOf)) {
      secrets += 1;
      expect(all.includes(form), `${name} shows ${form.slice(0, 2)}…`).toBe(false);
    }
  }
  expect(secrets).toBeGreaterThan(10);
});
