/** Words that no variable may have for a name. */
export const RESERVED: ReadonlySet<string> = new Set(
  (
    "as break const continue else for function if import let loop package namespace return var " +
    "void while"
  ).split(" "),
);
/** The relations, each with the name of its function. */
export const RELATIONS: ReadonlyMap<string, string> = new Map([
  ...["<", "<=", ">=", ">", "==", "!="].map((one): [string, string] => [one, `_${one}_`]),
  ["in", "@in"],
]);
/** The arithmetic operators, those that bind least first. */
export const PRECEDENCE: readonly (readonly string[])[] = [
  ["+", "-"],
  ["*", "/", "%"],
];
