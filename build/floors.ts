import { parseAst } from "rolldown/parseAst";

/** A source file of the tree: its path from the root, with `/`, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** One part of the house (docs/architecture.md): a directory and the rooms that it may import. */
interface Room {
  readonly path: string;
  readonly mayImport: readonly string[];
  /** Values in, values out: no clock, randomness, process, logger, asynchrony or mutable state. */
  readonly pure: boolean;
}

const ground = ["kube"];
const first = [...ground, "cel", "schema"];
const second = [...first, "api"];
const third = [...second, "functions/builders", "functions/composition"];
/** The kinds' own rooms, `functions/model-replica` and its sisters, go by this name below. */
const kinds = "functions/<kind>";
const rollout = [...second, "evaluator/evaluation", "evaluator/builders"];
const evaluatorBelow = [
  ...rollout,
  "evaluator/rollout",
  "evaluator/kubernetes",
  "evaluator/engine",
];
const evaluatorAll = [
  ...evaluatorBelow,
  "evaluator/controller",
  "evaluator/simulation",
  "evaluator",
];
const functionsAll = [...third, kinds, "functions/wire", "functions"];

const rooms: readonly Room[] = [
  { path: "kube", mayImport: [], pure: true },
  { path: "cel", mayImport: ground, pure: true },
  { path: "schema", mayImport: [...ground, "cel"], pure: true },
  { path: "api", mayImport: first, pure: true },
  { path: "functions/builders", mayImport: second, pure: true },
  { path: "functions/composition", mayImport: second, pure: true },
  { path: "functions/wire", mayImport: [...third, kinds], pure: false },
  { path: kinds, mayImport: third, pure: true },
  { path: "process", mayImport: ground, pure: false },
  { path: "functions", mayImport: [...functionsAll, "process"], pure: false },
  { path: "evaluator/evaluation", mayImport: second, pure: true },
  { path: "evaluator/builders", mayImport: second, pure: true },
  { path: "evaluator/rollout", mayImport: rollout, pure: true },
  { path: "evaluator/kubernetes", mayImport: ground, pure: false },
  { path: "evaluator/engine", mayImport: second, pure: false },
  { path: "evaluator/controller", mayImport: evaluatorBelow, pure: false },
  {
    path: "evaluator/simulation",
    mayImport: [...evaluatorBelow, "evaluator/controller"],
    pure: false,
  },
  { path: "evaluator", mayImport: [...evaluatorAll, "process"], pure: false },
  { path: "cli/simulation", mayImport: third, pure: true },
  { path: "cli/render", mayImport: [...third, "cli/simulation"], pure: true },
  {
    path: "cli",
    mayImport: [...functionsAll, ...evaluatorAll, "cli/simulation", "cli/render"],
    pure: false,
  },
  { path: "build", mayImport: [...functionsAll, "cli"], pure: false },
  { path: "bench", mayImport: [...functionsAll, ...evaluatorAll, "cli", "test"], pure: false },
  {
    path: "test",
    mayImport: [...functionsAll, ...evaluatorAll, "cli", "cli/simulation", "cli/render", "build"],
    pure: false,
  },
];

const lineLimit = 350;
const drawers = /(^|\/)(utils?|helpers?|common|managers?|types)(\.[a-z.]+|\/)/;
const impureGlobals = new Set([
  ..."Date process console performance globalThis fetch".split(" "),
  ..."setTimeout setInterval setImmediate queueMicrotask".split(" "),
]);
const impurePackages = new Set(["pino", "prom-client", "@grpc/grpc-js"]);
/** The files of pure rooms that may use `node:crypto`: those that compute hashes. */
const mayHash = /^(kube\/|cli\/simulation\/identity\.ts$)/;

/** Every way in which source files break the rules of the house, each as `path:line: reason`, sorted. */
export function violations(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(checkFile).sort();
}

function checkFile({ path, text }: SourceFile): readonly string[] {
  const found: string[] = [];
  const report = (at: number, reason: string) => {
    found.push(`${path}:${text.slice(0, at).split("\n").length}: ${reason}`);
  };
  if (drawers.test(path)) report(0, "is a drawer: name the file after what it holds");
  const isTest = path.endsWith(".test.ts") || path.endsWith(".fuzz.ts");
  const lines = text.trimEnd().split("\n").length;
  const counted = !isTest && !path.startsWith("test/") && !path.includes("/gen/");
  if (counted && lines > lineLimit) {
    report(0, `has ${lines} lines, more than ${lineLimit}: it asks to be two files`);
  }
  // A table test sits beside its file but belongs to no floor: nothing may import it.
  const room = isTest ? rooms.find((at) => at.path === "test") : roomOf(path);
  if (room === undefined) report(0, "is in no room of the house: build/floors.ts lists them");
  walk(parseAst(text, { lang: "ts" }), (node, parent) => {
    if (room === undefined) return;
    const specifier = importedFrom(node);
    if (specifier !== undefined) checkImport(specifier, node.start, path, room, isTest, report);
    if (
      node.type === "ExportAllDeclaration" ||
      (node.type === "ExportNamedDeclaration" && node.source)
    ) {
      report(node.start, "re-exports: import the file that owns the name");
    }
    if (room.pure) checkPurity(node, parent, report);
  });
  return found;
}

type Report = (at: number, reason: string) => void;

/** The room a path belongs to; the longest that matches, with every other functions/ folder a kind's. */
function roomOf(path: string): Room | undefined {
  const inside = rooms
    .filter((room) => path.startsWith(`${room.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (inside?.path === "functions" && path.split("/").length > 2) {
    return rooms.find((room) => room.path === kinds);
  }
  return inside;
}

function checkImport(
  specifier: string,
  at: number,
  path: string,
  room: Room,
  isTest: boolean,
  report: Report,
): void {
  if (!specifier.startsWith(".")) {
    const hashes = specifier === "node:crypto" && mayHash.test(path);
    if (
      room.pure &&
      ((specifier.startsWith("node:") && !hashes) || impurePackages.has(specifier))
    ) {
      report(at, `imports ${specifier}, but ${room.path} is pure`);
    }
    return;
  }
  const target = resolve(path, specifier);
  if (target.endsWith(".json") || target.endsWith(".mjs")) return;
  if (target.endsWith(".test.ts")) report(at, `imports the test ${target}`);
  if (isTest) return;
  const other = roomOf(target);
  if (other === undefined) {
    report(at, `imports ${target}, which is in no room`);
    return;
  }
  const sibling = room.path === kinds && other.path === kinds;
  const same = other.path === room.path && (!sibling || kindFolder(target) === kindFolder(path));
  if (!same && (sibling || !room.mayImport.includes(other.path))) {
    report(at, `imports ${target}, but ${folder(path)} may not import from ${folder(target)}`);
  }
}

/** `functions/<kind>` of a path: a kind may have folders of its own. */
const kindFolder = (path: string) => path.split("/").slice(0, 2).join("/");

const folder = (path: string) => path.slice(0, path.lastIndexOf("/"));

/** A relative import as a path from the root. */
function resolve(from: string, specifier: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function checkPurity(node: Node, parent: Node | undefined, report: Report): void {
  if (node.async === true || node.type === "AwaitExpression") report(node.start, "is asynchronous");
  if (
    node.type === "Identifier" &&
    impureGlobals.has(String(node.name)) &&
    isReference(node, parent)
  ) {
    report(node.start, `uses ${node.name}`);
  }
  if (node.type === "MemberExpression") {
    const { object, property } = node as unknown as { object: Node; property: Node };
    if (object.name === "Math" && property.name === "random")
      report(node.start, "uses Math.random");
  }
  if (node.type === "VariableDeclaration" && isModuleLevel(parent)) {
    if (node.kind !== "const") report(node.start, "declares module-level state that can change");
    for (const { id, init } of node.declarations as readonly { id: Node; init: Node | null }[]) {
      // Declared as ReadonlyMap or ReadonlySet it stays as empty as it is.
      if (/"name":"Readonly(Map|Set)"/.test(JSON.stringify(id.typeAnnotation ?? null))) continue;
      const name = (init?.callee as Node | undefined)?.name;
      const empty = (init?.arguments as readonly unknown[] | undefined)?.length === 0;
      if (init?.type === "NewExpression" && empty && /^(Weak)?(Map|Set)$/.test(String(name))) {
        report(node.start, `declares a module-level ${name} to be filled later`);
      }
    }
  }
}

const isModuleLevel = (parent: Node | undefined) =>
  parent?.type === "Program" || parent?.type === "ExportNamedDeclaration";

/** Tells whether an identifier names a variable, and not a property, a key or a type's member. */
function isReference(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "MemberExpression")
    return parent.object === node || parent.computed === true;
  if (parent?.type === "Property" || parent?.type?.startsWith("TSPropertySignature")) {
    return parent.value === node || parent.computed === true;
  }
  return true;
}

/** A node of the ESTree that rolldown's parser returns. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

function importedFrom(node: Node): string | undefined {
  const named = [
    "ImportDeclaration",
    "ExportAllDeclaration",
    "ExportNamedDeclaration",
    "ImportExpression",
    "TSImportType",
  ];
  if (!named.includes(node.type)) return undefined;
  const source = node.source as Node | null | undefined;
  return typeof source?.value === "string" ? source.value : undefined;
}

function walk(root: unknown, visit: (node: Node, parent: Node | undefined) => void): void {
  const pending: [unknown, Node | undefined][] = [[root, undefined]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [value, parent] = next;
    if (Array.isArray(value))
      pending.push(...value.map((item): [unknown, Node | undefined] => [item, parent]));
    if (typeof value !== "object" || value === null || !("type" in value)) continue;
    const node = value as Node;
    visit(node, parent);
    for (const child of Object.values(node)) {
      if (typeof child === "object" && child !== null) pending.push([child, node]);
    }
  }
}
