import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PREFETCH_SCRIPT } from "./prefetch-script.ts";

const NEEDED = ["/bin/sh", "/usr/bin/sha256sum"];
const missing = NEEDED.filter((file) => !existsSync(file));
const MANIFEST = '{"schemaVersion":2}';
const OTHER = '{"schemaVersion":2,"layers":[]}';
const PATH = "manifests/ollaya.dev/library/laya/en";
const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sluice-prefetch-"));
  for (const name of ["bin", "home", "store"]) mkdirSync(join(root, name));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes a file below the test's folder, and the folders above it. */
function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Starts the script as its container would, with an `ollaya` that does this. */
function start(ollaya: string): ChildProcess {
  write("bin/ollaya", `#!/bin/sh\necho "$*" > "${root}/asked"\n${ollaya}\n`);
  chmodSync(join(root, "bin/ollaya"), 0o755);
  const script = PREFETCH_SCRIPT.replaceAll("/seed/", `${root}/seed/`)
    .replaceAll("/dev/termination-log", `${root}/said`)
    .replaceAll("/home/ollaya/.ollaya", `${root}/home`);
  const env = {
    PATH: `${root}/bin:/usr/bin:/bin`,
    MODEL: "laya:en",
    EXPECT_DIGEST: digestOf(MANIFEST),
    OLLAYA_MODELS: `${root}/store/0123456789abcdef`,
    MANIFEST_PATH: PATH,
    STORE_ROOT: `${root}/store`,
    KEEP_SUBPATHS: "0123456789abcdef",
  };
  return spawn("/bin/sh", ["-c", script], { env, stdio: "ignore" });
}

/** Waits for the script: its exit code, and what its termination message says. */
function ended(child: ChildProcess): Promise<readonly [number | null, string]> {
  return new Promise((resolve) => {
    child.on("exit", (code) => {
      const said = join(root, "said");
      resolve([code, existsSync(said) ? readFileSync(said, "utf8") : ""]);
    });
  });
}

const run = (ollaya: string) => ended(start(ollaya));

/** The commands by which the fake engine leaves a manifest. */
const leaves = (manifest: string) =>
  `mkdir -p "$OLLAYA_MODELS/${dirname(PATH)}" && printf '%s' '${manifest}' > "$OLLAYA_MODELS/${PATH}"`;

const manifestIn = (revision: string) => join(root, "store", revision, PATH);

describe.skipIf(missing.length > 0)(`the prefetch script (needs ${NEEDED.join(", ")})`, () => {
  test("asks for the model and ends well where its manifest has the digest", async () => {
    expect(await run(leaves(MANIFEST))).toEqual([0, ""]);
    expect(readFileSync(join(root, "asked"), "utf8")).toBe("pull laya:en\n");
  });

  test.each<readonly [string, string, number, string]>([
    [
      "a model that is not there is permanent",
      `echo 'pulling manifest'; echo 'Error: model "laya:en" not found in registry ollaya.dev' >&2; exit 1`,
      3,
      'Error: model "laya:en" not found in registry ollaya.dev',
    ],
    [
      "anything else may be better another time",
      "echo 'pulling manifest'; echo 'Error: connection reset by peer' >&2; exit 1",
      1,
      "Error: connection reset by peer",
    ],
    ["so may an engine that says nothing", "exit 137", 1, ""],
    [
      "and a download that leaves no manifest",
      "exit 0",
      1,
      `the download left no manifest at ${PATH}`,
    ],
    [
      "another digest than the expected is permanent",
      leaves(OTHER),
      4,
      `laya:en has the digest ${digestOf(OTHER)} instead of ${digestOf(MANIFEST)}`,
    ],
  ])("%s", async (_, ollaya, code, said) => {
    expect(await run(ollaya)).toEqual([code, said]);
  });

  test("no more is said than a status can hold", async () => {
    const [, said] = await run(`printf '%01000d' 7; exit 1`);
    expect(said).toBe("0".repeat(500));
  });

  test("a manifest of another digest does not stay, so that nothing serves it", async () => {
    await run(leaves(OTHER));
    expect(existsSync(manifestIn("0123456789abcdef"))).toBe(false);
  });

  describe("with the manifest that the tag had", () => {
    beforeEach(() => write("seed/manifest", MANIFEST));

    test("the engine finds it in the store", async () => {
      expect(await run("exit 0")).toEqual([0, ""]);
      expect(readFileSync(manifestIn("0123456789abcdef"), "utf8")).toBe(MANIFEST);
    });

    test("a tag that was moved is told from a download that went wrong", async () => {
      const said = `laya:en now has the digest ${digestOf(OTHER)} instead of ${digestOf(MANIFEST)}: its tag was moved`;
      expect(await run(leaves(OTHER))).toEqual([5, said]);
    });

    test("a store that can't be written may be so another time", async () => {
      write("store/0123456789abcdef", "a file where the folder should be");
      expect(await run("exit 0")).toEqual([1, "the store can't be written"]);
    });
  });

  test("only folders of other revisions go, and only once the model is there", async () => {
    const kept = [
      "0123456789abcdef",
      "lost+found",
      "0123456789abcde",
      "0123456789ABCDEF",
      "blobs",
      "abcdef0123x",
    ];
    const gone = ["fedcba9876543210", "fedcba9876"];
    for (const name of [...kept, ...gone]) write(`store/${name}/file`, "");
    write("store/aaaaaaaaaa", "a file of such a name is no folder");
    await run("exit 1");
    expect([...kept, ...gone].filter((name) => !existsSync(join(root, "store", name)))).toEqual([]);
    await run(leaves(MANIFEST));
    const left = [...kept, ...gone, "aaaaaaaaaa"].filter((name) =>
      existsSync(join(root, "store", name)),
    );
    expect(left).toEqual([...kept, "aaaaaaaaaa"]);
  });

  test("a stop ends the download at once, as nothing that failed for good", async () => {
    const child = start(
      `sleep 600 & trap 'kill $!; : > "${root}/stopped"; exit' TERM; : > "${root}/began"; wait`,
    );
    await expect.poll(() => existsSync(join(root, "began"))).toBe(true);
    child.kill("SIGTERM");
    expect(await ended(child)).toEqual([1, "the download was stopped"]);
    await expect.poll(() => existsSync(join(root, "stopped"))).toBe(true);
  });
});
