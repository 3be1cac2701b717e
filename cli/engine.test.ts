import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recorded } from "../test/support/terminal.ts";
import { commandNames, loadCommand, runSluice } from "./dispatch.ts";

const KEY = "correct horse";
let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "sluice-engine-"));
  const files = {
    "no.yaml": "answers: [",
    "two.yaml": "answers: {}\n---\nanswers: {}\n",
    "rule.yaml": "answers: {laya:en: {q: {answer: a, probability: 2}}}",
    "unknown.yaml": "answers: {laya:e: {q: {answer: a}}}",
    "no-name.yaml": "models: [{size: 1}]",
    "small.yaml": "models: [{name: m, mostOptions: 1}]",
    "typo.yaml": "models: [{name: m, mostOption: 1}]",
    "questions.yaml": "models: [{name: m, questions: {q: {type: rank}}}]",
    key: KEY,
    empty: "\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
});
afterAll(() => rmSync(cwd, { recursive: true }));

const run = (...argv: string[]) =>
  recorded(
    (terminal) => runSluice(["engine", ...argv], commandNames, loadCommand, () => "0", terminal),
    { cwd },
  );

test.each<[readonly string[], string]>([
  [[], "Give --simulate for a server that answers like Ollaya and runs no model"],
  [["--listen", "127.0.0.1"], '--listen is "127.0.0.1"; give HOST:PORT'],
  [["--listen", "127.0.0.1:70000"], "give HOST:PORT"],
  [["--listen", ":11435"], "give HOST:PORT"],
  [["--device", "gpu"], '--device is "gpu"; give cpu, metal or cuda:0'],
  [["--seed", "x"], '--seed is "x"; give a whole number from 0'],
  [["--max-queue", "0"], '--max-queue is "0"; give a whole number from 1'],
  [["--latency", "fast"], '--latency is "fast"; give a duration such as 20ms, 1.5s or 5m'],
  [["--latency=-1"], '--latency is "-1"; give a duration'],
  [["--load-time", "fast"], '--load-time is "fast"; give a duration'],
  [["--keep-alive", "long"], '--keep-alive is "long"; give a duration'],
  [
    ["--answers", "none.yaml"],
    "--answers none.yaml can't be read: there is no such file or directory",
  ],
  [["--answers", "no.yaml"], "--answers no.yaml can't be read: "],
  [["--answers", "two.yaml"], "--answers two.yaml holds 2 documents; give one"],
  [["--answers", "rule.yaml"], '--answers rule.yaml: answers["laya:en"]["q"][0]: probability is 2'],
  [["--answers", "unknown.yaml"], 'there is no model "laya:e"; there are laya:en, '],
  [
    ["--models", "no-name.yaml"],
    "--models no-name.yaml: models[0].name is missing; give MODEL:TAG",
  ],
  [["--models", "small.yaml"], "models[0].mostOptions is 1; give a whole number from 2 to 255"],
  [["--models", "typo.yaml"], "models[0].mostOption is unknown; a model has name, revision, size"],
  [["--models", "questions.yaml"], "models[0].questions are not acceptable: questions.q: "],
  [["--models", "rule.yaml"], "--models rule.yaml: models is missing"],
  [["--api-key-file", "none"], "--api-key-file none there is no such file or directory"],
  [["--api-key-file", "empty"], "--api-key-file empty must hold one word"],
  [["--api-key-file", "key"], "--api-key-file key must hold one word"],
])("%j: %s", async (argv, message) => {
  const simulate = argv.length === 0 ? [] : ["--simulate"];
  const { code, out, err } = await run(...simulate, ...argv);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(message);
  for (const word of KEY.split(" ")) expect(err).not.toContain(word);
});
