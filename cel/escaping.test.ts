import { expect, it } from "vitest";
import { escapeName } from "./escaping.ts";

it.each([
  ["name", "name"],
  ["_x9", "_x9"],
  ["with-dash", "with__dash__dash"],
  ["a.b/c", "a__dot__b__slash__c"],
  ["__odd__", "__underscores__odd__underscores__"],
  ["___", "__underscores___"],
  ["namespace", "__namespace__"],
  ["while", "__while__"],
  ["$ref", undefined],
  ["9lives", undefined],
  ["", undefined],
  ["größe", undefined],
  ["a b", undefined],
  ["constructor", "constructor"],
])("writes %j as %j", (name, escaped) => {
  expect(escapeName(name)).toBe(escaped);
});
