import { describe, expect, it } from "vitest";
import { DYN, formatType } from "../cel/checking/type.ts";
import { CelEnvironment } from "../cel/environment.ts";
import { parseQuantity } from "../kube/quantity.ts";
import { placed, readRecorded } from "./cel/recorded.ts";
import { typedValue } from "./cel/typed-value.ts";

/** What Kubernetes' own compiler and evaluator made of an expression without variables. */
interface Recorded {
  readonly expression: string;
  /** It did not compile: every complaint as `line:column: message`. */
  readonly issues?: readonly string[];
  /** It compiled and could not be made ready to run. */
  readonly programError?: string;
  readonly type?: string;
  readonly error?: string;
  readonly value?: unknown;
  readonly cost?: number;
}

// Recorded with k8s.io/apiserver v0.37.2 in its environment for stored expressions, compatibility
// version 1.36, without variables.
const rows = readRecorded<Recorded>("expressions.jsonl.gz");

const environment = new CelEnvironment({
  maxLength: 16_384,
  bind: false,
  includes: true,
  costLimit: 1_000_000,
});

// Where we know less, and say so: an error on our side, never another value.
const NOT_KNOWN_HERE: ReadonlyMap<string, string> = new Map([
  ["google.protobuf.Timestamp{}", "making a google.protobuf.Timestamp is not known here"],
  ["{1.5: 2}", "map keys of this type are not known here"],
  ["{null: 2}", "map keys of this type are not known here"],
  ["{[1]: 2}", "map keys of this type are not known here"],
]);

// The library counts calls whose arguments failed; ours stops at the failure. Only where something
// absorbs it does that show in the cost of a value.
const CHEAPER: ReadonlySet<string> = new Set([
  "1/0 == 1 || true",
  "1/0 == 1 && false",
  "[0,1].exists(x, 1/x == 1)",
  "[0,2].all(x, 1/x == 1)",
  // Kubernetes does not know this name for its own, and so makes no constant of it.
  ".type(1)",
]);

// Texts in which the parsers of Go say in detail what is wrong with an address, a version or a URL;
// ours say the same in other words.
const OTHER_WORDS = [
  /^IP [Aa]ddress/,
  /^network address parse error/,
  /^IPv4-mapped/,
  /^URL parse error/,
  /^strconv\./,
  /^(Invalid character|No Major|Prerelease is|Numeric PreRelease|short version|Version string)/,
  /number must not contain leading zeroes/,
  /^got 'types\.Int'/,
];

const isSyntax = (issue: string) => /Syntax error/.test(issue);
const placeIn = (issue: string) => issue.split(": ", 1)[0];

describe("expressions as Kubernetes judges them", () => {
  const groups = new Map<string, Recorded[]>();
  for (const row of rows) {
    const outcome = row.issues
      ? "refused"
      : row.programError
        ? "failing when prepared"
        : row.error
          ? "failing"
          : "giving a value";
    const group = groups.get(outcome) ?? [];
    group.push(row);
    groups.set(outcome, group);
  }

  it("are thousands, of every outcome", () => {
    expect(rows.length).toBeGreaterThan(4500);
    for (const group of groups.values()) expect(group.length).toBeGreaterThan(100);
  });

  it.each([...groups])("%s", (_outcome, group) => {
    const wrong: unknown[] = [];
    for (const row of group) {
      const known = NOT_KNOWN_HERE.get(row.expression);
      const mine = judge(row.expression);
      if (known !== undefined) expect(JSON.stringify(mine)).toContain(known);
      else if (!isSame(row, mine)) wrong.push({ row, mine });
    }
    expect(wrong).toEqual([]);
  });
});

function judge(expression: string): Recorded {
  const compiled = environment.compile(expression, { variables: new Map(), result: DYN });
  if (!compiled.ok) {
    if (compiled.stage === "prepare") return { expression, programError: compiled.message };
    return { expression, issues: placed(expression, compiled.issues) };
  }
  const type = formatType(compiled.program.type);
  const { cost, ...outcome } = compiled.program.evaluate(new Map());
  if (!outcome.ok) return { expression, type, error: outcome.message };
  return { expression, type, value: typedValue(outcome.value), cost };
}

function isSame(theirs: Recorded, ours: Recorded): boolean {
  if (theirs.issues !== undefined) return isSameIssues(theirs.issues, ours.issues);
  if (theirs.programError !== undefined) return theirs.programError === ours.programError;
  if (theirs.type !== ours.type) return false;
  if (theirs.error !== undefined) {
    if (ours.error === undefined) return false;
    const { error } = theirs;
    return (
      error === ours.error || OTHER_WORDS.some((words) => words.test(error)) || isNested(error)
    );
  }
  const isPriced = theirs.cost === ours.cost || CHEAPER.has(theirs.expression);
  return isPriced && canonical(theirs.value) === canonical(ours.value);
}

// A call on the failure of another is named for that by Kubernetes.
function isNested(error: string): boolean {
  return error === "no such overload";
}

function isSameIssues(theirs: readonly string[], ours: readonly string[] | undefined): boolean {
  if (ours === undefined) return false;
  if (!theirs.some(isSyntax)) {
    return JSON.stringify([...theirs].sort()) === JSON.stringify([...ours].sort());
  }
  // Its parser goes on behind a mistake and words what it expects in its own way.
  const column = (issue: string) => Number(issue.split(":")[1]);
  const [first] = [...theirs].sort((left, right) => column(left) - column(right));
  return placeIn(first ?? "") === placeIn(ours[0] ?? "");
}

/** Values by their meaning: Kubernetes prints a quantity as it was written. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (key, part) => {
    const parsed = key === "quantity" ? parseQuantity(String(part)) : undefined;
    return parsed?.ok ? String(parsed.quantity.nano) : part;
  });
}
