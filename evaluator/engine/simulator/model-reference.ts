import { formatModelName, type ModelName, parseModelName } from "../../../api/model-name.ts";
import { DEFAULT_HOST } from "./catalog.ts";

/** Reads a name as the server does, more leniently than a DecisionModel: trimmed, in any case, its tag left out. */
export function readReference(text: string): ModelName | undefined {
  const lower = text.trim().toLowerCase();
  const last = lower.slice(lower.lastIndexOf("/") + 1);
  const parsed = parseModelName(last.includes(":") ? lower : `${lower}:latest`, DEFAULT_HOST);
  return parsed.ok ? parsed.name : undefined;
}

/** The shortest form, with its tag. */
export function showReference(name: ModelName): string {
  return formatModelName(name, DEFAULT_HOST);
}
