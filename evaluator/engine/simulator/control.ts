import { type Answer, empty, invalid, json, type Refusal } from "./answer.ts";
import { type Faults, readFault } from "./faults.ts";
import type { Call } from "./state.ts";

/** `GET /simulator/faults`: those that are left, in the order in which they were added. */
export function listFaults(faults: Faults): Answer {
  return json(200, { faults: faults.list() });
}

/** `POST /simulator/faults`: adds one. */
export function addFault(faults: Faults, { body }: Call): Answer | Refusal {
  const fault = readFault(body);
  if (typeof fault === "string") {
    return invalid([{ loc: ["body"], msg: fault, type: "value_error" }]);
  }
  faults.add(fault);
  return listFaults(faults);
}

/** `DELETE /simulator/faults`: forgets them all. */
export function clearFaults(faults: Faults): Answer {
  faults.clear();
  return empty(204);
}
