// `npm run fuzz -- --runs N [--seed S]`: damaged manifests against `sluice validate`.
import { runCampaign } from "./campaign.ts";
import { fuzzManifests } from "./manifests.ts";

await runCampaign(import.meta.url, "manifests", fuzzManifests);
