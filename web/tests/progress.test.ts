import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

/** A stand-in for the browser's storage; `full` refuses to keep anything, as a private window may. */
class FakeStorage {
  readonly kept = new Map<string, string>();
  full = false;
  getItem(key: string): string | null {
    if (this.full) throw new Error("denied");
    return this.kept.get(key) ?? null;
  }
  setItem(key: string, text: string): void {
    if (this.full) throw new Error("denied");
    this.kept.set(key, text);
  }
  removeItem(key: string): void {
    this.kept.delete(key);
  }
}

const KEY = "paceline.progress.v2";
let storage = new FakeStorage();
let otherTab: (event: { key: string }) => void = () => undefined;
Object.assign(globalThis, { addEventListener: (_: string, listener: typeof otherTab) => (otherTab = listener) });
const use = () => {
  storage = new FakeStorage();
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
};
use();
const { exportText, importText, openProgress, progress, saved, saveStep, startAfresh, stepProgress, unread } = await import("../src/lesson/progress.ts");

beforeEach(() => {
  use();
  startAfresh();
  storage.kept.clear();
  openProgress();
});

test("a drill's seed is kept, and one that is none is not", () => {
  saveStep("drill", { log: "a3", seed: 4_000_000_000 });
  openProgress();
  assert.equal(stepProgress("drill").seed, 4_000_000_000);
  for (const seed of [-1, 2 ** 32, 1.5, "7", null]) {
    storage.kept.set(KEY, JSON.stringify({ version: 2, last: "", steps: { drill: { log: "a3", seed } } }));
    openProgress();
    assert.equal(stepProgress("drill").seed, 0);
  }
});

test("what is saved is there again, and said to be", () => {
  saveStep("ring", { solved: true, log: "m4" });
  assert.equal(saved.value, "Saved in this browser");
  openProgress();
  assert.equal(stepProgress("ring").solved, true);
  assert.equal(stepProgress("ring").log, "m4");
  assert.equal(progress.value.last, "ring");
});

test("progress of the first version is read", () => {
  storage.kept.clear();
  storage.kept.set("paceline.progress.v1", JSON.stringify({ "eight-days": { solved: true, guess: "2", log: "start" } }));
  openProgress();
  const { solved, guesses, log } = stepProgress("eight-days");
  assert.deepEqual([solved, guesses, log], [true, ["2"], "start"]);
});

for (const text of ["{", "[]", "null", '{"version":3,"steps":{}}', '{"version":2,"steps":{"<b>":{}}}', '{"version":2,"steps":{"ring":5}}']) {
  test(`what cannot be read is set aside: ${text}`, () => {
    storage.kept.set(KEY, text);
    openProgress();
    assert.equal(unread.value, text);
    assert.match(saved.value, /could not be read/);
    saveStep("ring", { solved: true });
    assert.equal(storage.kept.get("paceline.progress.unread"), text);
    openProgress();
    assert.equal(unread.value, text);
    assert.equal(stepProgress("ring").solved, true);
  });
}

test("a browser that keeps nothing is said to, and the page goes on", () => {
  storage.full = true;
  saveStep("ring", { solved: true });
  assert.equal(saved.value, "Not saved: this browser keeps no data for this page");
  saveStep("ring", { log: "m4" });
  assert.equal(stepProgress("ring").solved, true);
});

test("two tabs add up, step by step", () => {
  saveStep("ring", { log: "m4" });
  const other = JSON.parse(storage.kept.get(KEY)!);
  other.steps["eight-days"] = { ...other.steps.ring, solved: true, log: "start" };
  storage.kept.set(KEY, JSON.stringify(other));
  otherTab({ key: KEY });
  assert.equal(stepProgress("eight-days").solved, true);
  saveStep("ring", { log: "m5" });
  assert.equal(JSON.parse(storage.kept.get(KEY)!).steps["eight-days"].solved, true);
});

test("an export comes back on another browser, and takes nothing away there", () => {
  saveStep("ring", { solved: true, guesses: ["5"], log: "finish" });
  const file = exportText();
  use();
  startAfresh();
  saveStep("ring", { log: "m1" });
  assert.equal(importText(file), "Progress of 1 steps was added.");
  const { solved, guesses, log } = stepProgress("ring");
  assert.deepEqual([solved, guesses, log], [true, ["5"], "m1"]);
});

test("another file is refused and changes nothing", () => {
  saveStep("ring", { solved: true });
  for (const text of ["", "{}", "<html>", '{"version":2}', '{"version":2,"steps":[]}']) assert.match(importText(text), /nothing was changed/);
  assert.equal(stepProgress("ring").solved, true);
});

test("what was solved stays solved", () => {
  saveStep("ring", { solved: true });
  saveStep("ring", { solved: false });
  assert.equal(stepProgress("ring").solved, true);
});

test("a storage that fills up loses nothing that this page holds", () => {
  saveStep("ring", { log: "m1" });
  const keep = storage.setItem;
  storage.setItem = () => {
    throw new Error("full");
  };
  saveStep("ring", { log: "m2" });
  saveStep("eight-days", { log: "start" });
  assert.deepEqual([stepProgress("ring").log, stepProgress("eight-days").log], ["m2", "start"]);
  storage.setItem = keep;
  saveStep("ring", { hints: 1 });
  assert.deepEqual(JSON.parse(storage.kept.get(KEY)!).steps["eight-days"].log, "start");
});

test("names that every object has are no steps of it", () => {
  assert.equal(importText('{"version":2,"steps":{"constructor":{"solved":true}}}'), "Progress of 1 steps was added.");
  assert.equal(stepProgress("constructor").solved, true);
  assert.equal(stepProgress("valueof").solved, false);
});

test("an import adds to what another tab has just saved", () => {
  saveStep("ring", { log: "m1" });
  const file = exportText();
  const other = JSON.parse(storage.kept.get(KEY)!);
  other.steps["eight-days"] = { ...other.steps.ring, solved: true };
  storage.kept.set(KEY, JSON.stringify(other));
  importText(file);
  assert.equal(JSON.parse(storage.kept.get(KEY)!).steps["eight-days"].solved, true);
});
