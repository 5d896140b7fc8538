import assert from "node:assert/strict";
import { test } from "node:test";
import { append, read, until, write } from "../src/lesson/log.ts";

const start = { act: "start" };
const time = (microseconds: number) => ({ act: "advance", microseconds });
const set = (knob: string, value: number) => ({ act: "set", knob, value });
const go = (move: number) => ({ act: "go", move });

test("what follows its like takes its place, and time adds up", () => {
  const log = [start, time(1), time(2), set("gpus", 2), set("gpus", 8), set("ranks", 3), go(1), go(2)];
  assert.deepEqual(log.reduce(append, [] as object[] as never), [start, time(3), set("gpus", 8), set("ranks", 3), go(2)]);
});

test("time adds up to no more than one advance may be", () => {
  assert.equal(append([time(1e12)], time(1)).length, 2);
});

test("a log is cut at a point in time", () => {
  const log = [start, time(10), { act: "pause" }, time(5), { act: "resume" }, time(10)];
  assert.deepEqual(until(log, 12), [start, time(10), { act: "pause" }, time(2)]);
  assert.deepEqual(until(log, 0), [start]);
  assert.deepEqual(until(log, 10), [start, time(10)]);
});

test("every log is the same after it was an address", () => {
  const log = [start, time(59500000), { act: "pause" }, set("mfu_percent", 100), go(4), { act: "finish" }, { act: "broadcast" }, { act: "chunks", chunks: [[0, 1], [1, 0]] }];
  assert.equal(write(log), "start,t59500000,pause,mfu_percent=100,m4,finish,broadcast,c01.10");
  assert.deepEqual(read(write(log)), log);
  assert.deepEqual(read(write([{ act: "chunks", chunks: [] }])), [{ act: "chunks", chunks: [] }]);
});

test("an answer, a mark and what is filled in are words of an address too", () => {
  const log = [{ act: "answer", text: "1,024.5ms" }, { act: "reveal" }, { act: "mark_exposed" }, { act: "mark_end" }];
  assert.equal(write(log), "a1~024.5ms,reveal,mark_exposed,mark_end");
  assert.deepEqual(read(write(log)), log);
});

test("what is no log is none", () => {
  for (const text of ["fly", "t-1", "t1.5", "gpus=", "gpus=1e9", "<b>", "start;pause", "c0x", "a<b>", "a", "constructor", "__proto__=1x"]) {
    assert.equal(read(text), null, text);
  }
  assert.deepEqual(read(""), []);
});
