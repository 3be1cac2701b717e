import { readLiteral } from "./constants.ts";
import type { Constant, Expression, MapEntry } from "./expression.ts";
import { lex, type Token } from "./lexer.ts";
import { MacroProblem, type Macros } from "./macros.ts";
import { NodeFactory, TooLarge } from "./nodes.ts";
import type { Issue } from "./place.ts";
import { PRECEDENCE, RELATIONS, RESERVED } from "./words.ts";

/** The tree of an expression, or what is wrong with its syntax. */
export type Parsed =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly issues: readonly Issue[]; readonly unjudged?: true };

// The API server's library nests grammar rules no deeper, and takes no longer expression.
const MAX_DEPTH = 250;
const MAX_CODE_POINTS = 100_000;

class SyntaxProblem {
  readonly issue: Issue;

  constructor(message: string, position: number) {
    this.issue = { message, position };
  }
}

/** Parses an expression and expands its macros. */
export function parse(source: string, macros: Macros): Parsed {
  if (source.length > MAX_CODE_POINTS && Array.from(source).length > MAX_CODE_POINTS) {
    const message = `expression code point size exceeds limit: size: ${Array.from(source).length}, limit ${MAX_CODE_POINTS}`;
    return { ok: false, issues: [{ message, position: 0 }] };
  }
  const lexed = lex(source);
  if (!lexed.ok) return { ok: false, issues: [lexed.issue] };
  try {
    return { ok: true, expression: new Parser(lexed.tokens, macros).parse() };
  } catch (problem) {
    if (problem instanceof SyntaxProblem || problem instanceof MacroProblem) {
      return { ok: false, issues: [problem.issue] };
    }
    if (problem instanceof TooLarge) {
      const message = "the expression grows too large when its macros are expanded";
      return { ok: false, issues: [{ message, position: 0 }], unjudged: true };
    }
    throw problem;
  }
}

type Rule = "expression" | "relation" | "calculation" | "member";

class Parser {
  readonly #tokens: readonly Token[];
  readonly #macros: Macros;
  readonly #nodes = new NodeFactory();
  readonly #depth: Record<Rule, number> = { expression: 0, relation: 0, calculation: 0, member: 0 };
  #at = 0;

  constructor(tokens: readonly Token[], macros: Macros) {
    this.#tokens = tokens;
    this.#macros = macros;
  }

  parse(): Expression {
    const expression = this.#expression();
    if (this.#token.kind !== "end") throw this.#unexpected("the end of the expression");
    return expression;
  }

  get #token(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #next(): Token {
    const token = this.#token;
    this.#at += 1;
    return token;
  }

  #is(text: string): boolean {
    const { kind } = this.#token;
    return (kind === "punctuation" || kind === "keyword") && this.#token.text === text;
  }

  #accept(text: string): Token | undefined {
    return this.#is(text) ? this.#next() : undefined;
  }

  #expect(text: string): Token {
    if (!this.#is(text)) throw this.#unexpected(`'${text}'`);
    return this.#next();
  }

  #unexpected(wanted: string): SyntaxProblem {
    const { kind, text, start } = this.#token;
    const found = kind === "end" ? "<EOF>" : text;
    return new SyntaxProblem(`Syntax error: unexpected '${found}', expecting ${wanted}`, start);
  }

  #enter(rule: Rule): void {
    this.#depth[rule] += 1;
    if (this.#depth[rule] > MAX_DEPTH) {
      const message = `expression recursion limit exceeded: ${MAX_DEPTH}`;
      throw new SyntaxProblem(message, this.#token.start);
    }
  }

  #expression(): Expression {
    this.#enter("expression");
    const condition = this.#logical("||", () => this.#logical("&&", () => this.#relation()));
    const question = this.#accept("?");
    let expression = condition;
    if (question !== undefined) {
      const whenTrue = this.#logical("||", () => this.#logical("&&", () => this.#relation()));
      this.#expect(":");
      const whenFalse = this.#expression();
      expression = this.#nodes.call(question.start, "_?_:_", [condition, whenTrue, whenFalse]);
    }
    this.#depth.expression -= 1;
    return expression;
  }

  #logical(operator: string, operand: () => Expression): Expression {
    const terms = [operand()];
    const places: number[] = [];
    for (let token = this.#accept(operator); token !== undefined; token = this.#accept(operator)) {
      places.push(token.start);
      terms.push(operand());
    }
    return this.#balance(`_${operator}_`, terms, places, 0, places.length - 1);
  }

  // Long chains become balanced trees, as in the API server's library: nothing nests deep for them.
  #balance(
    name: string,
    terms: readonly Expression[],
    places: readonly number[],
    from: number,
    to: number,
  ): Expression {
    if (places.length === 0) return terms[0] as Expression;
    const middle = Math.floor((from + to + 1) / 2);
    const left =
      middle === from
        ? (terms[middle] as Expression)
        : this.#balance(name, terms, places, from, middle - 1);
    const right =
      middle === to
        ? (terms[middle + 1] as Expression)
        : this.#balance(name, terms, places, middle + 1, to);
    return this.#nodes.call(places[middle] as number, name, [left, right]);
  }

  #relation(): Expression {
    let left = this.#calculation(0);
    let levels = 0;
    for (;;) {
      const name = this.#token.kind === "string" ? undefined : RELATIONS.get(this.#token.text);
      if (name === undefined || !this.#is(this.#token.text)) break;
      const { start } = this.#next();
      this.#enter("relation");
      levels += 1;
      left = this.#nodes.call(start, name, [left, this.#calculation(0)]);
    }
    this.#depth.relation -= levels;
    return left;
  }

  #calculation(level: number): Expression {
    const operators = PRECEDENCE[level];
    if (operators === undefined) return this.#unary();
    let left = this.#calculation(level + 1);
    let levels = 0;
    while (this.#token.kind === "punctuation" && operators.includes(this.#token.text)) {
      const { text, start } = this.#next();
      this.#enter("calculation");
      levels += 1;
      left = this.#nodes.call(start, `_${text}_`, [left, this.#calculation(level + 1)]);
    }
    this.#depth.calculation -= levels;
    return left;
  }

  #unary(): Expression {
    const first = this.#token;
    if (this.#is("!")) {
      let count = 0;
      for (; this.#accept("!") !== undefined; count += 1);
      const operand = this.#member();
      return count % 2 === 0 ? operand : this.#nodes.call(first.start, "!_", [operand]);
    }
    if (!this.#is("-") || isNumber(this.#tokens[this.#at + 1])) return this.#member();
    let count = 0;
    for (; this.#accept("-") !== undefined; count += 1);
    const operand = this.#member();
    return count % 2 === 0 ? operand : this.#nodes.call(first.start, "-_", [operand]);
  }

  #member(): Expression {
    let operand = this.#primary();
    let levels = 0;
    for (;;) {
      const dot = this.#accept(".");
      const bracket = dot === undefined ? this.#accept("[") : undefined;
      if (dot === undefined && bracket === undefined) break;
      this.#enter("member");
      levels += 1;
      operand =
        dot === undefined ? this.#index(operand, bracket as Token) : this.#field(operand, dot);
    }
    this.#depth.member -= levels;
    return operand;
  }

  #index(operand: Expression, bracket: Token): Expression {
    const name = this.#accept("?") === undefined ? "_[_]" : "_[?_]";
    const index = this.#expression();
    this.#expect("]");
    return this.#nodes.call(bracket.start, name, [operand, index]);
  }

  #field(operand: Expression, dot: Token): Expression {
    const optional = this.#accept("?") !== undefined;
    const name = this.#token;
    if (name.kind !== "name" && name.kind !== "escaped") throw this.#unexpected("a name");
    this.#next();
    const text = String(name.value);
    if (optional) {
      const field = this.#nodes.constant(name.start, text);
      return this.#nodes.call(dot.start, "_?._", [operand, field]);
    }
    const open = name.kind === "name" ? this.#accept("(") : undefined;
    if (open === undefined) return this.#nodes.select(dot.start, operand, text);
    return this.#call(open, text, operand);
  }

  #call(open: Token, name: string, target: Expression | undefined): Expression {
    const args = this.#list(")", () => this.#expression(), false);
    const expanded = this.#macros.expand(this.#nodes, open.start, name, target, args);
    return expanded ?? this.#nodes.call(open.start, name, args, target);
  }

  #list<Item>(close: string, item: () => Item, trailingComma: boolean): Item[] {
    const items: Item[] = [];
    while (!this.#is(close)) {
      if (trailingComma && items.length === 0 && this.#accept(",") !== undefined) break;
      items.push(item());
      if (this.#accept(",") === undefined) break;
      if (!trailingComma && this.#is(close)) throw this.#unexpected("an expression");
    }
    this.#expect(close);
    return items;
  }

  #primary(): Expression {
    const { kind, start, text } = this.#token;
    if (kind === "name") return this.#name("");
    if (this.#is(".")) {
      this.#next();
      if (this.#token.kind !== "name") throw this.#unexpected("a name");
      return this.#name(".");
    }
    if (this.#accept("(") !== undefined) {
      const nested = this.#expression();
      this.#expect(")");
      return nested;
    }
    if (this.#accept("[") !== undefined) {
      const optional = new Set<number>();
      let count = 0;
      const element = () => {
        if (this.#accept("?") !== undefined) optional.add(count);
        count += 1;
        return this.#expression();
      };
      return this.#nodes.list(start, this.#list("]", element, true), optional);
    }
    if (this.#accept("{") !== undefined) {
      return this.#nodes.map(
        start,
        this.#list("}", () => this.#entry(), true),
      );
    }
    const constant = this.#constant();
    if (constant !== undefined) return constant;
    if (kind === "escaped") throw new SyntaxProblem("unsupported syntax: '`'", start);
    throw this.#unexpected(text === "" ? "an expression" : "an expression before it");
  }

  #entry(): MapEntry {
    const optional = this.#accept("?") !== undefined;
    const key = this.#expression();
    const { start } = this.#expect(":");
    return this.#nodes.entry(start, key, this.#expression(), optional);
  }

  #name(dot: string): Expression {
    const { start, text } = this.#next();
    const name = dot + text;
    if (this.#startsStruct()) return this.#struct(name);
    const isReserved = RESERVED.has(text);
    if (isReserved) throw new SyntaxProblem(`reserved identifier: ${text}`, start);
    const open = this.#accept("(");
    return open === undefined
      ? this.#nodes.identifier(start, name)
      : this.#call(open, name, undefined);
  }

  #startsStruct(): boolean {
    let at = this.#at;
    const textAt = (index: number) => this.#tokens[index]?.text;
    while (textAt(at) === "." && this.#tokens[at + 1]?.kind === "name") at += 2;
    return this.#tokens[at]?.kind === "punctuation" && textAt(at) === "{";
  }

  #struct(first: string): Expression {
    let name = first;
    while (this.#accept(".") !== undefined) name += `.${this.#next().text}`;
    const { start } = this.#expect("{");
    const field = () => {
      this.#accept("?");
      if (this.#token.kind !== "name") throw this.#unexpected("a field name");
      this.#next();
      this.#expect(":");
      this.#expression();
    };
    this.#list("}", field, true);
    return this.#nodes.struct(start, name);
  }

  #constant(): Constant | undefined {
    const start = this.#token.start;
    const negative = this.#is("-") && isNumber(this.#tokens[this.#at + 1]);
    if (negative) this.#next();
    const literal = readLiteral(this.#token, negative);
    if (literal === undefined) return undefined;
    if ("problem" in literal) throw new SyntaxProblem(literal.problem, start);
    this.#next();
    return this.#nodes.constant(start, literal.value);
  }
}

function isNumber(token: Token | undefined): boolean {
  return token?.kind === "int" || token?.kind === "double";
}
