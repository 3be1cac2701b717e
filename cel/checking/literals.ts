import { replaceClauses, VERB_TYPES, wrongType } from "../libraries/format-clauses.ts";
import { CelFailure } from "../libraries/overload.ts";
import { parseDuration, parseTimestamp, timestampOf } from "../libraries/time.ts";
import { areTooLarge, type PatternCache } from "../pattern.ts";
import {
  type Call,
  type Expression,
  type ListLiteral,
  type MapLiteral,
  walk,
} from "../syntax/expression.ts";
import type { Issue } from "../syntax/place.ts";
import type { Checked } from "./checked.ts";
import { type CelType, DYN, formatType, isSameType, optionalValue, typeName } from "./type.ts";

/** What literals are refused for: when the expression is checked, or else when it is made ready to run. */
export interface LiteralProblems {
  /** Why the expression is not judged here at all. */
  readonly tooLarge: Issue | undefined;
  readonly issues: readonly Issue[];
  readonly failing: Issue | undefined;
}

/**
 * What the API server refuses in a checked expression by looking at its literals: durations,
 * timestamps and patterns that are none, lists and maps of mixed types, format strings that don't fit.
 */
export function literalIssues(checked: Checked, patterns: PatternCache): LiteralProblems {
  const issues: Issue[] = [];
  let failing: Issue | undefined;
  if (areTooLarge(writtenPatterns(checked.expression))) {
    const message = "the patterns of this expression are too large together to be compiled here";
    return { tooLarge: { message, position: 0 }, issues, failing };
  }
  walk(checked.expression, (node, inside) => {
    if (node.kind === "call") {
      issues.push(...callIssues(node, checked, patterns));
      failing ??= patternFailure(node, patterns);
    }
    // What is written into a text may be of any type.
    if (inside.includes("format")) return;
    if (node.kind === "list") issues.push(...listIssues(node, checked));
    if (node.kind === "map") issues.push(...mapIssues(node, checked));
  });
  return { tooLarge: undefined, issues, failing };
}

/** Every text that stands where a pattern may. */
function writtenPatterns(expression: Expression): readonly string[] {
  const patterns: string[] = [];
  walk(expression, (node) => {
    if (node.kind !== "call" || !PATTERN_CALL.test(node.name)) return;
    patterns.push(...node.args.flatMap((argument) => textOf(argument) ?? []));
  });
  return patterns;
}

const PATTERN_CALL = /^(matches|find|findAll)$/;

/** A pattern that the API server only compiles when it makes the expression ready to run. */
function patternFailure(node: Call, patterns: PatternCache): Issue | undefined {
  if (!PATTERN_CALL.test(node.name)) return undefined;
  const pattern = node.args[node.target === undefined ? 1 : 0];
  const source = textOf(pattern);
  const compiled = source === undefined ? undefined : patterns.compile(source);
  if (compiled === undefined || compiled.ok) return undefined;
  return { message: compiled.error, position: pattern?.start ?? 0 };
}

function callIssues(node: Call, checked: Checked, patterns: PatternCache): readonly Issue[] {
  const [first] = node.args;
  const text =
    first?.kind === "constant" && typeof first.value === "string" ? first.value : undefined;
  const invalid = (what: string) => [
    { message: `invalid ${what} argument`, position: (first as Expression).start },
  ];
  switch (node.name) {
    case "duration":
      return text !== undefined && parseDuration(text) === undefined ? invalid("duration") : [];
    case "timestamp":
      return first?.kind === "constant" && !isTimestamp(first.value) ? invalid("timestamp") : [];
    case "matches": {
      // The first argument is looked at in either style, also where the pattern is the second.
      const compiled = text === undefined ? undefined : patterns.compile(text);
      if (compiled === undefined || compiled.ok) return [];
      const message = "invalid matches argument";
      return [{ message, position: first?.start ?? 0, detail: compiled.error }];
    }
    case "format":
      return node.target === undefined ? [] : formatIssues(node, checked);
    default:
      return [];
  }
}

function textOf(node: Expression | undefined): string | undefined {
  return node?.kind === "constant" && typeof node.value === "string" ? node.value : undefined;
}

function isTimestamp(value: unknown): boolean {
  try {
    if (typeof value === "bigint") timestampOf(value * 1_000_000_000n);
    if (typeof value !== "string") return true;
    const parsed = parseTimestamp(value);
    return parsed !== undefined && timestampOf(parsed.nanos) !== undefined;
  } catch (failure) {
    if (failure instanceof CelFailure) return false;
    throw failure;
  }
}

function typeOf(node: Expression, checked: Checked): CelType {
  return checked.types.get(node.id) ?? DYN;
}

function mismatch(at: Expression, expected: CelType, found: CelType): Issue {
  const message = `expected type '${formatType(expected)}' but found '${formatType(found)}'`;
  return { message, position: at.start };
}

function held(type: CelType, optional: boolean): CelType {
  return optional ? (optionalValue(type) ?? type) : type;
}

function listIssues(node: ListLiteral, checked: Checked): readonly Issue[] {
  let expected: CelType | undefined;
  for (const [index, element] of node.elements.entries()) {
    const type = held(typeOf(element, checked), node.optional.has(index));
    expected ??= type;
    if (!isEquivalent(expected, type)) return [mismatch(element, expected, type)];
  }
  return [];
}

function mapIssues(node: MapLiteral, checked: Checked): readonly Issue[] {
  const [first] = node.entries;
  if (first === undefined) return [];
  const keyType = typeOf(first.key, checked);
  const valueType = held(typeOf(first.value, checked), first.optional);
  return node.entries.flatMap(({ key, value, optional }) => {
    const [ours, theirs] = [typeOf(key, checked), held(typeOf(value, checked), optional)];
    return [
      ...(isEquivalent(keyType, ours) ? [] : [mismatch(key, keyType, ours)]),
      ...(isEquivalent(valueType, theirs) ? [] : [mismatch(value, valueType, theirs)]),
    ];
  });
}

function isEquivalent(left: CelType, right: CelType): boolean {
  return isSameType(left, right);
}

/** What is wrong with a format string and the list that it is given, where both are written out. */
function formatIssues(node: Call, checked: Checked): readonly Issue[] {
  const text = textOf(node.target);
  const [list] = node.args;
  if (text === undefined || list?.kind !== "list") return [];
  const { elements } = list;
  let used = 0;
  let wrong: Expression | undefined;
  try {
    replaceClauses(text, elements.length, ({ verb, index }) => {
      used = index + 1;
      const element = elements[index] as Expression;
      wrong = wrongIn(element, verb, checked);
      if (wrong !== undefined) {
        throw new CelFailure(wrongType(verb, shownType(typeOf(wrong, checked))));
      }
      return "";
    });
  } catch (failure) {
    if (!(failure instanceof CelFailure)) throw failure;
    return [{ message: failure.message, position: (wrong ?? node).start }];
  }
  if (elements.length <= used) return [];
  const message = `too many arguments supplied to string.format (expected ${used}, got ${elements.length})`;
  return [{ message, position: node.start }];
}

/** The part of an argument that a verb does not take, or undefined. */
function wrongIn(node: Expression, verb: string, checked: Checked): Expression | undefined {
  const type = typeOf(node, checked);
  const isKnown = type.kind === "dyn" || VERB_TYPES.get(verb)?.types.includes(type.kind) === true;
  if (!isKnown) return node;
  if (verb !== "s") return undefined;
  const parts =
    node.kind === "list"
      ? node.elements
      : node.kind === "map"
        ? node.entries.flatMap(({ key, value }) => [key, value])
        : [];
  for (const part of parts) {
    const wrong = wrongIn(part, verb, checked);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function shownType(type: CelType): string {
  if (type.kind === "timestamp") return "google.protobuf.Timestamp";
  if (type.kind === "duration") return "google.protobuf.Duration";
  return type.kind === "null" ? "null_type" : typeName(type);
}
