// `npm run fuzz -- --runs N [--seed S]`: damaged RunFunction requests against the real handlers.
import { createHandlers } from "../../functions/handlers.ts";
import { shippedDefinitions } from "../../functions/shipped.ts";
import { runCampaign } from "./campaign.ts";
import { fuzzRequests } from "./requests.ts";

await runCampaign(import.meta.url, "requests", (seed, from, to, progress) => {
  const { composed, holding, fatal, invalid } = fuzzRequests(
    createHandlers(shippedDefinitions()),
    seed,
    from,
    to,
    progress,
  );
  return { composed, held: holding, fatal, undecodable: invalid };
});
