// `npm run fuzz -- --runs N [--seed S]`: damaged deployments and fleets against the real handlers.
import { createHandlers } from "../../functions/handlers.ts";
import { shippedDefinitions } from "../../functions/shipped.ts";
import { runCampaign } from "./campaign.ts";
import { fuzzFleets } from "./fleets.ts";

await runCampaign(import.meta.url, "fleets", (seed, from, to, progress) => {
  const handlers = createHandlers(shippedDefinitions());
  const { placed, holding, fatal, invalid } = fuzzFleets(handlers, seed, from, to, progress);
  return { placed, held: holding, fatal, undecodable: invalid };
});
