import type { Expression } from "./expression.ts";
import type { NodeFactory } from "./nodes.ts";
import type { Issue } from "./place.ts";

/** Thrown when the arguments of a macro are not what it takes. */
export class MacroProblem {
  readonly issue: Issue;

  constructor(message: string, at: Expression) {
    this.issue = { message, position: at.start };
  }
}

/** Expands the macros of an environment; any other call is none of its business. */
export interface Macros {
  /** The expansion of a call whose `(` stands at `start`, or undefined when it is no macro. */
  expand(
    nodes: NodeFactory,
    start: number,
    name: string,
    target: Expression | undefined,
    args: readonly Expression[],
  ): Expression | undefined;
}

// Names that no expression can spell.
const RESULT = "@result";
const UNUSED = "#unused";
const SORT_INPUT = "@__sortBy_input__";

type Args = readonly Expression[];

/** The macros that Kubernetes has; `bind` adds `cel.bind`, which only device selectors have. */
export function kubernetesMacros(options: { readonly bind: boolean }): Macros {
  return {
    expand(nodes, start, name, target, args) {
      const macro = new Expansion(nodes, start);
      if (target === undefined) {
        return name === "has" && args.length === 1 ? macro.has(args) : undefined;
      }
      const isBind = name === "bind" && args.length === 3 && options.bind;
      if (isBind && target.kind === "identifier" && target.name === "cel") return macro.bind(args);
      return macro.receiver(name, target, args);
    },
  };
}

class Expansion {
  readonly #nodes: NodeFactory;
  readonly #start: number;

  constructor(nodes: NodeFactory, start: number) {
    this.#nodes = nodes;
    this.#start = start;
  }

  has(args: Args): Expression {
    const [test] = args as [Expression];
    if (test.kind !== "select") throw new MacroProblem("invalid argument to has() macro", test);
    return this.#nodes.select(this.#start, test.operand, test.field, true);
  }

  bind(args: Args): Expression {
    const [name, value, body] = args as [Expression, Expression, Expression];
    if (name.kind !== "identifier") {
      throw new MacroProblem("cel.bind() variable names must be simple identifiers", name);
    }
    return this.#bound(name.name, value, body);
  }

  receiver(name: string, target: Expression, args: Args): Expression | undefined {
    const takes = (...counts: readonly number[]) => counts.includes(args.length);
    switch (name) {
      case "all":
      case "exists":
      case "exists_one":
        if (takes(2))
          return this.#quantifier(name, target, this.#one(args, "argument must be a simple name"));
        return takes(3) ? this.#quantifier(name, target, this.#two(args)) : undefined;
      case "existsOne":
        return takes(3) ? this.#quantifier(name, target, this.#two(args)) : undefined;
      case "map":
        return takes(2, 3) ? this.#map(target, args) : undefined;
      case "filter":
        return takes(2) ? this.#filter(target, args) : undefined;
      case "transformList":
      case "transformMap":
      case "transformMapEntry":
        return takes(3, 4) ? this.#transform(name, target, this.#two(args)) : undefined;
      case "optMap":
      case "optFlatMap":
        return takes(2) ? this.#optional(name, target, args) : undefined;
      case "sortBy":
        return takes(2) ? this.#sortBy(target, args) : undefined;
      default:
        return undefined;
    }
  }

  #call(name: string, ...args: readonly Expression[]): Expression {
    return this.#nodes.call(this.#start, name, args);
  }

  #method(name: string, target: Expression, ...args: readonly Expression[]): Expression {
    return this.#nodes.call(this.#start, name, args, target);
  }

  #constant(value: unknown): Expression {
    return this.#nodes.constant(this.#start, value);
  }

  #accumulator(): Expression {
    return this.#nodes.identifier(this.#start, RESULT);
  }

  #one(args: Args, complaint: string): Loop {
    const [name, ...rest] = args as [Expression, ...Expression[]];
    return { variable: variable(name, complaint), variable2: undefined, rest };
  }

  #two(args: Args): Loop {
    const [first, second, ...rest] = args as [Expression, Expression, ...Expression[]];
    const complaint = "argument must be a simple name";
    const [name, name2] = [variable(first, complaint), variable(second, complaint)];
    if (name === name2) throw new MacroProblem(`duplicate variable name: ${name}`, second);
    return { variable: name, variable2: name2, rest };
  }

  #fold(range: Expression, loop: Loop, parts: Parts): Expression {
    const { variable: name, variable2 } = loop;
    const [condition, result] = [
      parts.condition ?? this.#constant(true),
      parts.result ?? this.#accumulator(),
    ];
    return this.#nodes.comprehension(this.#start, {
      range,
      variable: name,
      variable2,
      accumulator: RESULT,
      initial: parts.initial,
      condition,
      step: parts.step,
      result,
    });
  }

  #quantifier(name: string, range: Expression, loop: Loop): Expression {
    const [predicate] = loop.rest as [Expression];
    if (name === "all") {
      return this.#fold(range, loop, {
        initial: this.#constant(true),
        condition: this.#call("@not_strictly_false", this.#accumulator()),
        step: this.#call("_&&_", this.#accumulator(), predicate),
      });
    }
    if (name === "exists") {
      return this.#fold(range, loop, {
        initial: this.#constant(false),
        condition: this.#call("@not_strictly_false", this.#call("!_", this.#accumulator())),
        step: this.#call("_||_", this.#accumulator(), predicate),
      });
    }
    const increment = this.#call("_+_", this.#accumulator(), this.#constant(1n));
    return this.#fold(range, loop, {
      initial: this.#constant(0n),
      step: this.#call("_?_:_", predicate, increment, this.#accumulator()),
      result: this.#call("_==_", this.#accumulator(), this.#constant(1n)),
    });
  }

  /** A step that is taken only where the filter holds. */
  #when(filter: Expression | undefined, step: Expression): Expression {
    return filter === undefined ? step : this.#call("_?_:_", filter, step, this.#accumulator());
  }

  #append(element: Expression): Expression {
    return this.#call("_+_", this.#accumulator(), this.#nodes.list(this.#start, [element]));
  }

  #map(range: Expression, args: Args): Expression {
    const loop = this.#one(args, "argument is not an identifier");
    const [filter, transform] = filtered(loop.rest);
    const step = this.#when(filter, this.#append(transform));
    return this.#fold(range, loop, { initial: this.#nodes.list(this.#start, []), step });
  }

  #filter(range: Expression, args: Args): Expression {
    const loop = this.#one(args, "argument is not an identifier");
    const step = this.#when(loop.rest[0], this.#append(args[0] as Expression));
    return this.#fold(range, loop, { initial: this.#nodes.list(this.#start, []), step });
  }

  #transform(name: string, range: Expression, loop: Loop): Expression {
    const [filter, transform] = filtered(loop.rest);
    if (name === "transformList") {
      const step = this.#when(filter, this.#append(transform));
      return this.#fold(range, loop, { initial: this.#nodes.list(this.#start, []), step });
    }
    const key = name === "transformMap" ? [this.#nodes.identifier(this.#start, loop.variable)] : [];
    const insert = this.#call("cel.@mapInsert", this.#accumulator(), ...key, transform);
    const initial = this.#nodes.map(this.#start, []);
    return this.#fold(range, loop, { initial, step: this.#when(filter, insert) });
  }

  #bound(name: string, value: Expression, body: Expression): Expression {
    return this.#nodes.comprehension(this.#start, {
      range: this.#nodes.list(this.#start, []),
      variable: UNUSED,
      variable2: undefined,
      accumulator: name,
      initial: value,
      condition: this.#constant(false),
      step: this.#nodes.identifier(this.#start, name),
      result: body,
    });
  }

  #optional(macro: string, target: Expression, args: Args): Expression {
    const [name, body] = args as [Expression, Expression];
    if (name.kind !== "identifier") {
      throw new MacroProblem(`${macro}() variable name must be a simple identifier`, name);
    }
    const bound = this.#bound(name.name, this.#method("value", this.#nodes.copy(target)), body);
    const mapped = macro === "optMap" ? this.#call("optional.of", bound) : bound;
    const none = this.#call("optional.none");
    return this.#call("_?_:_", this.#method("hasValue", target), mapped, none);
  }

  #sortBy(target: Expression, args: Args): Expression {
    if (!["list", "select", "identifier", "comprehension", "call"].includes(target.kind)) {
      throw new MacroProblem(
        "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
        target,
      );
    }
    const input = () => this.#nodes.identifier(this.#start, SORT_INPUT);
    const keys = this.#map(input(), args);
    return this.#bound(SORT_INPUT, target, this.#method("@sortByAssociatedKeys", input(), keys));
  }
}

interface Loop {
  readonly variable: string;
  readonly variable2: string | undefined;
  readonly rest: Args;
}

interface Parts {
  readonly initial: Expression;
  readonly condition?: Expression;
  readonly step: Expression;
  readonly result?: Expression;
}

function variable(name: Expression, complaint: string): string {
  if (name.kind !== "identifier") throw new MacroProblem(complaint, name);
  if (name.name === "__result__") {
    throw new MacroProblem("iteration variable overwrites accumulator variable", name);
  }
  return name.name;
}

function filtered(rest: Args): readonly [Expression | undefined, Expression] {
  return rest.length === 2 ? [rest[0], rest[1] as Expression] : [undefined, rest[0] as Expression];
}
