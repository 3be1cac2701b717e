import type { Checked } from "./checking/checked.ts";
import { check, type Names } from "./checking/checker.ts";
import { declareFunctions } from "./checking/functions.ts";
import { literalIssues } from "./checking/literals.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  formatType,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  optionalOf,
  STRING,
  TIMESTAMP,
  UINT,
} from "./checking/type.ts";
import { Meter } from "./evaluating/meter.ts";
import { FailingConstant, plan } from "./evaluating/plan.ts";
import { kubernetesFunctions } from "./libraries/kubernetes.ts";
import { PatternCache } from "./pattern.ts";
import { Program } from "./program.ts";
import { walk } from "./syntax/expression.ts";
import { kubernetesMacros, type Macros } from "./syntax/macros.ts";
import { parse } from "./syntax/parser.ts";
import type { Issue } from "./syntax/place.ts";

/** A compiled expression, or what is wrong with it and where. */
export type Compiled = { readonly ok: true; readonly program: Program } | CompileFailure;

/** Why an expression can't be used; with `unjudged` the API server may accept it all the same. */
export interface CompileFailure {
  readonly ok: false;
  /** The first problem by place. */
  readonly message: string;
  readonly position?: number;
  readonly unjudged?: true;
  /** All problems that have a place in the text. */
  readonly issues: readonly Issue[];
  /**
   * `check` found it in the text, `prepare` when the expression was made ready to run, `estimate` in
   * what an evaluation may cost.
   */
  readonly stage: "check" | "prepare" | "estimate";
}

/** What varies between the environments in which Kubernetes runs CEL. */
export interface EnvironmentOptions {
  /** The longest expression, in UTF-8 bytes. */
  readonly maxLength: number;
  /** Whether `cel.bind` exists. */
  readonly bind: boolean;
  /** Whether `includes` exists, which new expressions of Kubernetes 1.37 may not use yet. */
  readonly includes: boolean;
  /** The most that one evaluation may cost in the API server's units. */
  readonly costLimit: number;
}

/** What one expression may read, and what it must give. */
export interface CompileOptions {
  readonly variables: ReadonlyMap<string, CelType>;
  /** The type of the result; any with `dyn`. */
  readonly result: CelType;
}

// Some 25 ms on one core, and far more than any rule needs.
const STEPS = 2_000_000;

// Type names that an expression may compare `type(x)` with.
const TYPES: ReadonlyMap<string, CelType> = new Map([
  ["bool", BOOL],
  ["int", INT],
  ["uint", UINT],
  ["double", DOUBLE],
  ["string", STRING],
  ["bytes", BYTES],
  ["list", listOf(DYN)],
  ["map", mapOf(DYN, DYN)],
  ["null_type", NULL],
  ["type", { kind: "type", of: undefined }],
  ["dyn", DYN],
  ["google.protobuf.Timestamp", TIMESTAMP],
  ["google.protobuf.Duration", DURATION],
  ["optional_type", optionalOf(DYN)],
  ...["net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver", "kubernetes.URL"].map(
    (name): [string, CelType] => [name, opaque(name)],
  ),
]);

/** Compiles CEL expressions with the libraries of Kubernetes. */
export class CelEnvironment {
  readonly #maxLength: number;
  readonly #meter: Meter;
  readonly #patterns = new PatternCache();
  readonly #names: Omit<Names, "variables">;
  readonly #macros: Macros;

  constructor(options: EnvironmentOptions) {
    this.#maxLength = options.maxLength;
    this.#meter = new Meter(STEPS, options.costLimit);
    const overloads = kubernetesFunctions(this.#patterns, this.#meter);
    const functions = declareFunctions(
      options.includes ? overloads : overloads.filter(([id]) => id !== "list_includes_dyn_dyn"),
    );
    this.#names = { types: TYPES, functions };
    this.#macros = kubernetesMacros({ bind: options.bind });
  }

  /** Compiles an expression as the API server does; what can't be judged here is an error, never a guess. */
  compile(expression: string, { variables, result }: CompileOptions): Compiled {
    if (Buffer.byteLength(expression) > this.#maxLength) {
      return refuse([], `the expression is longer than ${this.#maxLength} bytes`);
    }
    const parsed = parse(expression, this.#macros);
    if (!parsed.ok) return refuse(parsed.issues, undefined, parsed.unjudged);
    const unknown = findUnknown(parsed.expression);
    if (unknown !== undefined) return refuse([unknown], undefined, true);
    const checkedOrNot = check(parsed.expression, { ...this.#names, variables });
    if (!checkedOrNot.ok) return refuse(checkedOrNot.issues);
    const { checked, type } = checkedOrNot;
    const { tooLarge, issues, failing } = literalIssues(checked, this.#patterns);
    if (tooLarge !== undefined) return refuse([tooLarge], undefined, true);
    if (issues.length > 0) return refuse(issues);
    const isWanted = result.kind === "dyn" || formatType(type) === formatType(result);
    if (!isWanted && type.kind !== "dyn") {
      const message = `must evaluate to ${formatType(result)}, not ${formatType(type)}`;
      return { ...refuse([{ message, position: 0 }]), stage: "prepare" };
    }
    if (failing !== undefined) return { ...refuse([failing]), stage: "prepare" };
    return this.#prepare(checked, type, new Set(variables.keys()));
  }

  #prepare(checked: Checked, type: CelType, variables: ReadonlySet<string>): Compiled {
    this.#meter.reset();
    try {
      const step = plan(checked, this.#names.functions, variables, this.#meter);
      return { ok: true, program: new Program(step, checked, type, this.#meter) };
    } catch (problem) {
      if (!(problem instanceof FailingConstant)) throw problem;
      return { ...refuse([problem]), stage: "prepare" };
    }
  }
}

function refuse(issues: readonly Issue[], message?: string, unjudged?: true): CompileFailure {
  const [first] = issues.toSorted((left, right) => left.position - right.position);
  return {
    ok: false,
    message: message ?? [first?.message, first?.detail].filter(Boolean).join(": "),
    ...(first === undefined ? {} : { position: first.position }),
    ...(unjudged === undefined ? {} : { unjudged }),
    issues,
    stage: "check",
  };
}

// Messages that protobuf itself knows, which the API server's library can make.
const MESSAGES =
  /^\.?google\.protobuf\.(Any|Duration|Empty|ListValue|NullValue|Struct|Timestamp|Value|(Bool|Bytes|Double|Float|Int32|Int64|String|UInt32|UInt64)Value)$/;

/** What the API server may accept and is not known here. */
function findUnknown(expression: Parameters<typeof walk>[0]): Issue | undefined {
  let found: Issue | undefined;
  walk(expression, (node) => {
    if (node.kind !== "struct" || !MESSAGES.test(node.name)) return;
    found ??= { message: `making a ${node.name} is not known here`, position: node.start };
  });
  return found;
}
