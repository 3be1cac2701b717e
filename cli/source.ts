import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { yamlProblem } from "./yaml-problem.ts";
import { plainScalar } from "./yaml-scalar.ts";

/** A place in a file, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One value of a file, a whole document or an item of a `kind: List`, and where its parts stand. */
export interface SourceDocument {
  readonly value: unknown;
  /** Where the document begins. */
  readonly start: Place;
  /** Where a field stands; for one that is missing, what should hold it. */
  locate(path: readonly (string | number)[]): Place;
}

/** The documents of a file, or the first thing that makes it unreadable. */
export type Source =
  | { readonly ok: true; readonly documents: readonly SourceDocument[] }
  | {
      readonly ok: false;
      readonly message: string;
      readonly place?: Place;
      /** The documents before the broken one, where there are some. */
      readonly before?: readonly SourceDocument[];
    };

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 200;
const TOO_DEEP = "is nested too deeply";
// What aliases may add to a document; without a bound a few lines can grow into gigabytes.
const MAX_ALIASED = 100_000;

/** Reads the YAML or JSON documents of a file as Kubernetes' own parser does. */
export function readSource(bytes: Uint8Array): Source {
  if (bytes.length > MAX_BYTES) {
    return { ok: false, message: `is larger than ${MAX_BYTES / 1024 / 1024} MiB` };
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { ok: false, message: encodingProblem(bytes) };
  }
  const counter = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const documents: SourceDocument[] = [];
  const failed = (message: string, place?: Place): Source => ({
    ok: false,
    message,
    ...(place === undefined ? {} : { place }),
    ...(documents.length === 0 ? {} : { before: documents }),
  });
  try {
    const parsed = parseAllDocuments(text, {
      lineCounter: counter,
      prettyErrors: false,
      schema: "failsafe",
      uniqueKeys: false,
      keepSourceTokens: false,
    });
    for (const document of Array.isArray(parsed) ? parsed : []) {
      const [error] = document.errors;
      if (error !== undefined) {
        const place = placeAt(error.pos[0]);
        const tooDeep = error.message.startsWith("Maximum call stack");
        const message = tooDeep ? TOO_DEEP : yamlProblem(error, text, place.line);
        return failed(message, place);
      }
      documents.push(...new Reader(document, placeAt).documents());
    }
    return { ok: true, documents };
  } catch (error) {
    if (error instanceof Unreadable) {
      return failed(error.message, placeAt(error.offset));
    }
    if (error instanceof RangeError) return failed(TOO_DEEP);
    throw error;
  }
}

/** What a file that is no UTF-8 text looks like instead. */
function encodingProblem([first, second]: Uint8Array): string {
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 ? "is not UTF-8 text but UTF-16; save it as UTF-8" : "is not UTF-8 text";
}

class Unreadable extends Error {
  readonly offset: number;

  constructor(message: string, node: Node | undefined) {
    super(message);
    this.offset = node?.range?.[0] ?? 0;
  }
}

/** Builds the values of one document; a node is built once for every place that it stands in. */
class Reader {
  readonly #document: Document.Parsed;
  readonly #placeAt: (offset: number) => Place;
  readonly #anchors = new Map<string, Node>();
  readonly #targets = new Map<Node, Node>();
  readonly #open = new Set<Node>();
  #aliased = 0;
  #inAlias = 0;

  constructor(document: Document.Parsed, placeAt: (offset: number) => Place) {
    this.#document = document;
    this.#placeAt = placeAt;
  }

  documents(): readonly SourceDocument[] {
    const root = this.#document.contents as Node | null;
    if (root === null) return [];
    const value = this.#build(root, 0);
    if (value === null || value === "") return [];
    const items = listItems(value);
    if (items === undefined) return [this.#documentAt(root, value)];
    const nodes = this.#target(this.#child(root, "items")?.node);
    return items.map((item, index) =>
      this.#documentAt((isSeq(nodes) ? (nodes.items[index] as Node) : undefined) ?? root, item),
    );
  }

  #documentAt(root: Node, value: unknown): SourceDocument {
    return {
      value,
      start: this.#placeAt(root.range?.[0] ?? 0),
      locate: (path) => this.#locate(root, path),
    };
  }

  #locate(root: Node, path: readonly (string | number)[]): Place {
    let at: Node = root;
    let offset = root.range?.[0] ?? 0;
    for (const step of path) {
      const found = this.#child(at, step);
      if (found === undefined) break;
      offset = found.offset;
      at = found.node;
    }
    return this.#placeAt(offset);
  }

  #child(node: Node, step: string | number): { node: Node; offset: number } | undefined {
    const at = this.#target(node);
    if (isSeq(at) && typeof step === "number") {
      const item = at.items[step] as Node | undefined;
      return item && { node: item, offset: item.range?.[0] ?? 0 };
    }
    if (!isMap(at) || typeof step !== "string") return undefined;
    for (const pair of at.items as Pair<Node, Node | null>[]) {
      if (keyText(pair.key) === step && !isMergeKey(pair.key)) {
        return { node: pair.value ?? pair.key, offset: pair.key.range?.[0] ?? 0 };
      }
    }
    for (const merged of this.#merged(at)) {
      const found = this.#child(merged, step);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #target(node: Node | undefined): Node | undefined {
    return node === undefined ? undefined : (this.#targets.get(node) ?? node);
  }

  #build(node: Node | null | undefined, depth: number): unknown {
    if (node === null || node === undefined) return null;
    if (depth > MAX_DEPTH) throw new Unreadable(`is nested deeper than ${MAX_DEPTH} levels`, node);
    if (this.#inAlias > 0) {
      this.#aliased += 1;
      if (this.#aliased > MAX_ALIASED)
        throw new Unreadable("has aliases that grow too large", node);
    }
    if (isAlias(node)) return this.#buildAlias(node, depth);
    if ("anchor" in node && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return scalarValue(node);
    this.#open.add(node);
    const built = isSeq(node)
      ? node.items.map((item) => this.#build(isPair(item) ? undefined : (item as Node), depth + 1))
      : this.#buildMap(node as YAMLMap<Node, Node | null>, depth);
    this.#open.delete(node);
    return built;
  }

  #buildAlias(node: Node & { source: string }, depth: number): unknown {
    const target = this.#anchors.get(node.source);
    if (target === undefined) throw new Unreadable(`unknown anchor ${node.source}`, node);
    if (this.#open.has(target)) {
      throw new Unreadable(`the anchor ${node.source} contains itself`, node);
    }
    this.#targets.set(node, target);
    this.#inAlias += 1;
    const built = this.#build(target, depth);
    this.#inAlias -= 1;
    return built;
  }

  #buildMap(map: YAMLMap<Node, Node | null>, depth: number): Readonly<Record<string, unknown>> {
    const built: Record<string, unknown> = {};
    for (const { key, value } of map.items) {
      if (isMergeKey(key)) {
        this.#build(value, depth + 1);
        continue;
      }
      const name = keyText(key);
      if (name === undefined) {
        // {{ .Values.x }} reads as a mapping whose key is a mapping.
        const template = isMap(key)
          ? "a key must be a string; if this is a template ({{ … }}), render it first"
          : undefined;
        throw new Unreadable(template ?? "a key must be a string", key);
      }
      if (Object.hasOwn(built, name)) {
        throw new Unreadable(`the key ${JSON.stringify(name)} stands here twice`, key);
      }
      setOwn(built, name, this.#build(value, depth + 1));
    }
    for (const merged of this.#merged(map)) {
      const values = this.#build(merged, depth + 1) as Readonly<Record<string, unknown>>;
      for (const name of Object.keys(values)) {
        if (!Object.hasOwn(built, name)) setOwn(built, name, values[name]);
      }
    }
    return built;
  }

  /** The mappings that `<<` takes in, the first one wins. */
  #merged(map: YAMLMap): readonly Node[] {
    const found: Node[] = [];
    for (const { key, value } of map.items as Pair<Node, Node | null>[]) {
      if (!isMergeKey(key)) continue;
      const target = this.#target(value ?? undefined);
      const sources = isSeq(target) ? target.items : [target];
      for (const source of sources) {
        const one = this.#target(source as Node | undefined);
        if (!isMap(one)) throw new Unreadable("<< takes in mappings only", key);
        found.push(one);
      }
    }
    return found;
  }
}

function scalarValue(node: Scalar): unknown {
  const text = String(node.value ?? "");
  switch (node.tag) {
    case undefined:
      return node.type === "PLAIN" ? plainScalar(node.source ?? "") : text;
    case "tag:yaml.org,2002:str":
      return text;
    case "tag:yaml.org,2002:int":
    case "tag:yaml.org,2002:float":
    case "tag:yaml.org,2002:bool":
    case "tag:yaml.org,2002:null":
      return plainScalar(text);
    default:
      throw new Unreadable(`the tag ${node.tag} is not known here`, node);
  }
}

function isMergeKey(key: Node): boolean {
  return isScalar(key) && key.type === "PLAIN" && key.source === "<<";
}

/** The text of a key; Kubernetes' parser turns numbers and words such as `yes` into text too. */
function keyText(key: Node): string | undefined {
  if (!isScalar(key)) return undefined;
  if (key.type !== "PLAIN") return String(key.value ?? "");
  const value = plainScalar(key.source ?? "");
  if (value === null) return undefined;
  return typeof value === "object" ? (key.source ?? "") : String(value);
}

function listItems(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { kind, items } = value as { kind?: unknown; items?: unknown };
  return kind === "List" && Array.isArray(items) ? items : undefined;
}

function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  const descriptor = { value, writable: true, enumerable: true, configurable: true };
  Object.defineProperty(target, key, descriptor);
}
