import type { Answer, Refusal } from "./answer.ts";
import type { Call, ServerState } from "./state.ts";

/** `GET /v2/NAMESPACE/MODEL/manifests/TAG`: the bytes whose SHA-256 is the model's digest. */
export function manifest({ settings }: ServerState, { path, faults }: Call): Answer | Refusal {
  const found = /^\/v2\/([^/]+)\/([^/]+)\/manifests\/([^/]+)$/.exec(path);
  const [, namespace = "", name = "", tag = ""] = found ?? [];
  const model = settings.registry({ host: settings.registryHost, namespace, model: name, tag });
  if (model === undefined) {
    return { status: 404, code: "NOT_FOUND", error: `the registry has no ${path}` };
  }
  const headers = { "content-type": "application/vnd.docker.distribution.manifest.v2+json" };
  const changed = faults["wrong-digest"] === undefined ? "" : "\n";
  return { status: 200, headers, body: `${model.manifest}${changed}` };
}
