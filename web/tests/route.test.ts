import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, write } from "../src/route.ts";

const home = { step: "", log: "", seed: 0, view: "" };

test("an address comes back as it was", () => {
  for (const route of [home, { ...home, step: "ring" }, { step: "ring", log: "m4,gpus=8", seed: 7, view: "pod" }]) {
    assert.deepEqual(parse(write(route)), route);
  }
  assert.equal(write({ step: "ring", log: "start,gpus=8", seed: 0, view: "" }), "#/ring?log=start,gpus=8");
});

test("whatever is no address leads nowhere or leaves out what it cannot mean", () => {
  for (const hash of ["", "#", "#/"]) assert.deepEqual(parse(hash), home, hash);
  for (const hash of ["ring", "#ring", "#/<b>", "#/../x", `#/${"a".repeat(99)}`]) assert.deepEqual(parse(hash), { ...home, step: "?" }, hash);
  assert.deepEqual(parse("#/ring?log=%E0%A4%A&seed=-1&view=%3Cb%3E"), { ...home, step: "ring", log: "\ufffd%A" });
  assert.equal(parse("#/ring?seed=1e99").seed, 0);
  assert.equal(parse(`#/ring?log=${"a".repeat(300_000)}`).log, "");
});
