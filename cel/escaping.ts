// The words that CEL keeps for itself, as far as Kubernetes escapes them.
const RESERVED: ReadonlySet<string> = new Set(
  (
    "true false null in as break const continue else for function if import let loop package " +
    "namespace return var void while"
  ).split(" "),
);
const ESCAPES: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/**
 * A property's name as rules must write it, or undefined where no rule can reach it: it is empty,
 * begins with a digit or has other characters than letters, digits and `_.-/`.
 */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_.\-/][\w.\-/]*$/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (part) => ESCAPES[part] ?? part);
}
