import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical, type Value } from "../src/engine/canonical.ts";

test("keys are in order at every depth, lists keep theirs, nothing is padded", () => {
  const request = { seed: 7, ask: "view", at: { z: 1, a: ["×", 0, -3] } };
  assert.equal(canonical(request), '{"ask":"view","at":{"a":["×",0,-3],"z":1},"seed":7}');
});

test("a number that two languages could write differently is refused", () => {
  for (const number of [0.5, 1e21, NaN, Infinity]) assert.throws(() => canonical({ n: number }), TypeError);
});

test("what is neither text, whole number, list nor table is refused", () => {
  for (const odd of [null, undefined, true]) assert.throws(() => canonical({ odd } as unknown as Value), TypeError);
});

test("a request nested without end is refused before Python sees it", () => {
  let deep: Value = [];
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  assert.throws(() => canonical(deep), /nested/);
});
