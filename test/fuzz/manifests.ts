import { existsSync, readdirSync, readFileSync } from "node:fs";
import { stringify } from "yaml";
import { githubOutput } from "../../cli/output/github.ts";
import { jsonOutput } from "../../cli/output/json.ts";
import { sarifOutput } from "../../cli/output/sarif.ts";
import { textOutput } from "../../cli/output/text.ts";
import { readSource } from "../../cli/source.ts";
import { judgeDocument } from "../../cli/verdict.ts";
import { createRefusalsByKind } from "../../functions/refusals.ts";
import { shippedDefinitions } from "../../functions/shipped.ts";
import { isRecord } from "../../kube/object.ts";
import { loadDefinition } from "../../schema/load.ts";
import { mutateBytes, mutateJson } from "./mutations.ts";
import { createRandom, type Random } from "./random.ts";

/** What a campaign met, so that one that exercises nothing can be told from a good one. */
export interface ManifestTally {
  valid: number;
  invalid: number;
  unreadable: number;
  definitions: number;
  [name: string]: number;
}

const examples = new URL("../../examples/", import.meta.url);
const apis = new URL("../../package/apis/", import.meta.url);

/** Bits of YAML that change the meaning of what stands around them. */
const PIECES = [
  "---\n",
  "...\n",
  "&a ",
  "*a",
  "<<: *a\n",
  "<<: [*a, *a]\n",
  "!!str ",
  "!!binary ",
  "? ",
  "{{ .x }}",
  "\t",
  "\r\n",
  "\r",
  "\ufeff",
  "\u0000",
  "yes",
  "017",
  "1_000",
  "1:30",
  "0x1F",
  ".inf",
  "~",
  "null",
  "|\n",
  ">-\n",
  "%YAML 1.1\n---\n",
  "[[[[[[",
  "{{{{{{",
  "__proto__: {}\n",
  "kind: List\nitems: []\n",
  "a: &a [*a]\n",
  "'",
  '"',
  ": ",
  "- ",
  "#",
  "9223372036854775808",
  "-0.0",
  "1e400",
  "\ud800",
];

/**
 * Judges manifests number `from` up to `to` of the campaign that `seed` names, and throws on the first
 * that breaks a rule: an exception, a document without an answer, a finding without a place in the
 * file, an output that does not parse, or a different answer the second time.
 */
export function fuzzManifests(
  seed: number,
  from: number,
  to: number,
  progress: (run: number) => void,
): ManifestTally {
  const campaign = new Campaign();
  for (let run = from; run < to; run++) {
    progress(run);
    const random = createRandom(seed, run);
    try {
      campaign.run(random);
    } catch (error) {
      throw new Error(`seed ${seed}, run ${run}: ${(error as Error).stack}`, { cause: error });
    }
  }
  return campaign.tally;
}

class Campaign {
  readonly tally: ManifestTally = { valid: 0, invalid: 0, unreadable: 0, definitions: 0 };
  readonly #definitions = shippedDefinitions();
  readonly #surroundings = {
    refusals: createRefusalsByKind(),
  };
  readonly #texts = readdirSync(examples)
    .sort()
    .map((name) => new URL(`${name}/xr.yaml`, examples))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file));
  readonly #objects = this.#texts.map((text) => documents(text)[0]);
  readonly #xrds = readdirSync(apis).map(
    (name) => documents(readFileSync(new URL(`${name}/definition.yaml`, apis)))[0],
  );

  run(random: Random): void {
    // An XRD is large, and compiles all its rules anew.
    if (random.once(500)) this.#definition(mutateJson(random, random.pick(this.#xrds)));
    else this.#judge(this.#damaged(random), random);
  }

  #definition(document: unknown): void {
    loadDefinition(document);
    this.#judge(Buffer.from(JSON.stringify(document)), undefined);
    this.tally.definitions += 1;
  }

  #damaged(random: Random): Buffer {
    switch (random.below(4)) {
      case 0:
        return mutateBytes(random, random.pick(this.#texts));
      case 1: {
        let text = random.pick(this.#texts).toString("utf8");
        for (let times = 1 + random.below(3); times > 0; times -= 1) {
          const at = random.below(text.length + 1);
          text = text.slice(0, at) + random.pick(PIECES) + text.slice(at);
        }
        return Buffer.from(text);
      }
      default: {
        let object: unknown = random.pick(this.#objects);
        for (let times = 1 + random.below(3); times > 0; times -= 1)
          object = mutateJson(random, object);
        const text = random.once(2) ? JSON.stringify(object) : stringify(object);
        return Buffer.from(random.once(6) ? `${text}\n---\n${text}` : text);
      }
    }
  }

  #judge(bytes: Buffer, random: Random | undefined): void {
    const answer = this.#answer(bytes);
    this.tally[answer.way] = (this.tally[answer.way] ?? 0) + 1;
    if (random?.once(16) && this.#answer(bytes).printed !== answer.printed) {
      throw new Error("the same manifest got two answers");
    }
  }

  #answer(bytes: Buffer): { readonly way: keyof ManifestTally; readonly printed: string } {
    const source = readSource(bytes);
    if (!source.ok) return { way: "unreadable", printed: JSON.stringify(source) };
    let printed = "";
    const print = (text: string) => {
      printed += text;
    };
    const terminal = {
      out: print,
      err: () => {},
      colour: false,
      env: {},
      cwd: "",
      stdin: silence(),
    };
    const options = { strict: false, stored: true };
    const json = jsonOutput(terminal, options);
    const lines = bytes.toString("utf8").split(/\r\n?|\n/).length;
    let way: keyof ManifestTally = "valid";
    for (const document of source.documents) {
      const judged = judgeDocument("a.yaml", document, this.#definitions, this.#surroundings);
      if (!judged.ok) {
        way = "unreadable";
        continue;
      }
      const { verdict } = judged;
      if (verdict.findings.length > 0) way = "invalid";
      for (const { place } of [...verdict.findings, ...verdict.unknown, ...verdict.refusals]) {
        if (!(place.line >= 1 && place.line <= lines && place.column >= 1)) {
          throw new Error(`line ${place.line} of ${lines}`);
        }
      }
      const before = printed.length;
      json.verdict(verdict);
      JSON.parse(printed.slice(before));
      for (const output of [textOutput, githubOutput, sarifOutput]) {
        output(terminal, options).verdict(verdict);
      }
    }
    return { way, printed };
  }
}

async function* silence(): AsyncGenerator<Uint8Array> {}

function documents(bytes: Uint8Array): readonly Readonly<Record<string, unknown>>[] {
  const source = readSource(bytes);
  if (!source.ok) throw new Error(source.message);
  return source.documents.map(({ value }) => value).filter(isRecord);
}
