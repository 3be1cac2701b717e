// `node test/schemas/record.ts REFEREE [COUNT] [SEED]` writes test/schemas/verdicts.jsonl.gz and
// formats.jsonl.gz: what the API server's own packages make of generated objects under generated
// schemas, and of texts under its formats. REFEREE is a program
// that reads {"op":"crd"|"validate", ...} a line and answers a line, over
// k8s.io/apiextensions-apiserver v0.37.2; the tests themselves only read what was recorded.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { FORMATS, formatTexts } from "./format-texts.ts";
import { question } from "./generate.ts";

const [referee = "", count = "3000", seed = "4"] = process.argv.slice(2);
const FORMAT_TEXTS = 4_000;
const questions = Array.from({ length: Number(count) }, (_, run) => question(Number(seed), run));

const crdOf = (schema: unknown) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.org" },
  spec: {
    group: "example.org",
    scope: "Namespaced",
    names: { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

const requests = questions.flatMap(({ schema, object }, id) => {
  const crd = crdOf(schema);
  const metadata = { name: "a", namespace: "default" };
  const whole = { apiVersion: "example.org/v1", kind: "Thing", metadata, ...object };
  return [
    { op: "crd", id, crd },
    { op: "validate", id, crd, object: whole },
  ];
});
const answers = ask(requests);

const lines: string[] = [];
for (const [id, { schema, object }] of questions.entries()) {
  const [crd, verdict] = [answers[2 * id], answers[2 * id + 1]];
  // What no cluster would have as a CRD can't be asked of one.
  if (crd.fatal !== undefined || crd.errors.length > 0) continue;
  const causes = verdict.errors.map((one: Record<string, string>) => [
    one.type,
    one.field,
    one.error,
  ]);
  lines.push(
    JSON.stringify({
      schema,
      object,
      ...(verdict.fatal === undefined
        ? { causes, stored: verdict.stored, unknown: verdict.warnings ?? [] }
        : { undecodable: verdict.fatal }),
    }),
  );
}
write("verdicts.jsonl.gz", lines);

const texts = formatTexts(Number(seed), FORMAT_TEXTS);
const properties = Object.fromEntries(
  FORMATS.map((format) => [format, { type: "string", format }]),
);
const items = { type: "object", properties };
const [formats] = ask([
  {
    op: "validate",
    crd: crdOf({ type: "object", properties: { spec: { type: "array", items } } }),
    object: {
      apiVersion: "example.org/v1",
      kind: "Thing",
      metadata: { name: "a", namespace: "default" },
      spec: texts.map((text) => Object.fromEntries(FORMATS.map((format) => [format, text]))),
    },
  },
]);
const refused = new Set(formats.errors.map(({ field }: { field: string }) => field));
write(
  "formats.jsonl.gz",
  texts.map((text, index) =>
    JSON.stringify([text, ...FORMATS.filter((format) => !refused.has(`spec[${index}].${format}`))]),
  ),
);

function ask(questions: readonly unknown[]) {
  const input = questions.map((one) => `${JSON.stringify(one)}\n`).join("");
  const { stdout } = spawnSync(referee, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function write(name: string, lines: readonly string[]): void {
  const bytes = gzipSync(lines.join("\n"), { level: 9 });
  writeFileSync(new URL(name, import.meta.url), bytes);
  process.stdout.write(`${name}: ${lines.length} lines, ${bytes.length} bytes\n`);
}
