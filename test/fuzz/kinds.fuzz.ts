// `npm run fuzz -- --runs N [--seed S]`: damaged classes, clusters, endpoints and caches against the
// real handlers.
import { createHandlers } from "../../functions/handlers.ts";
import { shippedDefinitions } from "../../functions/shipped.ts";
import { runCampaign } from "./campaign.ts";
import { fuzzKinds } from "./kinds.ts";

await runCampaign(import.meta.url, "kinds", (seed, from, to, progress) => {
  const handlers = createHandlers(shippedDefinitions());
  const { accepted, refused, fatal, invalid } = fuzzKinds(handlers, seed, from, to, progress);
  return { accepted, refused, fatal, undecodable: invalid };
});
