import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine, type EngineOptions } from "../src/engine/client.ts";
import { EngineError } from "../src/engine/job.ts";
import type { Stage, ToWorker, WorkerLike } from "../src/engine/protocol.ts";

/** A stand-in for the worker: keeps what it was sent, and answers when the test says so. */
class FakeWorker implements WorkerLike {
  onmessage: WorkerLike["onmessage"] = null;
  onerror: WorkerLike["onerror"] = null;
  alive = true;
  readonly texts: string[] = [];
  #last = 0;

  postMessage(message: ToWorker): void {
    if (message.kind !== "handle") return;
    this.#last = message.id;
    this.texts.push(message.text);
  }

  terminate(): void {
    this.alive = false;
  }

  reach(name: Stage["name"]): void {
    this.#say({ kind: "stage", stage: { name } });
  }

  reply(reply: object): Promise<void> {
    this.#say({ kind: "reply", id: this.#last, text: JSON.stringify(reply) });
    return sleep(0);
  }

  break(detail: string): Promise<void> {
    this.#say({ kind: "broken", id: this.#last, detail });
    return sleep(0);
  }

  #say(data: object): void {
    this.onmessage?.call(this as unknown as Worker, { data } as MessageEvent);
  }
}

function setUp(options: Partial<EngineOptions> = {}, baked: Record<string, string> = {}) {
  const workers: FakeWorker[] = [];
  const engine = new Engine({
    base: "http://localhost/",
    spawn: () => {
      workers.push(new FakeWorker());
      return workers.at(-1)!;
    },
    baked: Promise.resolve(new Map(Object.entries(baked))),
    ...options,
  });
  return { engine, workers, worker: () => workers.at(-1)! };
}

function started(options: Partial<EngineOptions> = {}, baked: Record<string, string> = {}) {
  const all = setUp(options, baked);
  all.engine.start();
  all.worker().reach("ready");
  return all;
}

const key = (letter: string) => ({ act: "key", key: letter });
const replay = (actions: object[]) => JSON.stringify({ act: "replay", actions, seed: 1, step: "ring" });

test("an ask waits for the engine and is then answered", async () => {
  const { engine, worker } = setUp();
  const answer = engine.ask({ ask: "version" });
  engine.start();
  assert.deepEqual(worker().texts, []);
  worker().reach("ready");
  await worker().reply({ version: "1" });
  assert.deepEqual(await answer, { state: "answered", reply: { version: "1" } });
});

test("replies that are known later answer what waits for them", async () => {
  const { engine } = setUp();
  const answer = engine.ask({ ask: "version" });
  engine.know(new Map([['{"ask":"version"}', '{"version":"1"}']]));
  assert.deepEqual(await answer, { state: "answered", reply: { version: "1" } });
});

test("of the asks waiting on a channel only the newest is answered, other channels are their own", async () => {
  const { engine, worker } = started();
  const [a, b, c, other] = [
    engine.ask({ ask: "a" }), engine.ask({ ask: "b" }), engine.ask({ ask: "c" }), engine.ask({ ask: "d" }, "prose"),
  ];
  for (const n of [1, 3, 4]) await worker().reply({ n });
  assert.deepEqual(worker().texts, ['{"ask":"a"}', '{"ask":"c"}', '{"ask":"d"}']);
  assert.deepEqual(await Promise.all([a, b, c, other]), [
    { state: "answered", reply: { n: 1 } },
    { state: "superseded" },
    { state: "answered", reply: { n: 3 } },
    { state: "answered", reply: { n: 4 } },
  ]);
});

test("acts keep their order and none is dropped; the log holds those that were answered", async () => {
  const { engine, worker } = started();
  void engine.enter("ring", 1);
  await worker().reply({});
  const acts = ["a", "b", "c"].map((letter) => engine.act(key(letter)));
  await worker().reply({ n: 1 });
  assert.deepEqual(engine.world?.actions, [key("a")]);
  await worker().reply({ n: 2 });
  await worker().reply({ n: 3 });
  assert.deepEqual(await Promise.all(acts), [{ n: 1 }, { n: 2 }, { n: 3 }]);
  assert.deepEqual(worker().texts.slice(1), ["a", "b", "c"].map((letter) => JSON.stringify(key(letter))));
});

test("a worker that dies is replaced, and replays the world before anything else", async () => {
  const { engine, workers, worker } = started();
  void engine.enter("ring", 1);
  await worker().reply({});
  void engine.act(key("a"));
  await worker().reply({});
  const pending = engine.act(key("b"));
  worker().onerror?.call(worker() as unknown as Worker, { message: "gone" } as ErrorEvent);
  assert.equal(workers[0]!.alive, false);
  assert.equal(engine.stage.value.name, "loading");
  worker().reach("ready");
  assert.deepEqual(worker().texts, [replay([key("a")])]);
  await worker().reply({});
  await worker().reply({ n: 2 });
  assert.deepEqual(await pending, { n: 2 });
  assert.deepEqual(engine.world?.actions, [key("a"), key("b")]);
});

test("a request that outlasts its limit twice is given up, and the world goes on without it", async () => {
  const { engine, workers, worker } = started({ requestLimitMs: 15 });
  void engine.enter("ring", 1);
  await worker().reply({});
  const stuck = engine.act(key("!"));
  const after = engine.act(key("a"));
  const refused = assert.rejects(stuck, EngineError);
  await sleep(25);
  worker().reach("ready");
  await worker().reply({});
  await sleep(25);
  await refused;
  assert.equal(workers.length, 3);
  worker().reach("ready");
  await worker().reply({});
  await worker().reply({ n: 1 });
  assert.deepEqual(await after, { n: 1 });
  assert.deepEqual(engine.world?.actions, [key("a")]);
});

test("code that raises rejects its request only, and the world is made anew", async () => {
  const { engine, worker, workers } = started();
  void engine.enter("ring", 1);
  await worker().reply({});
  const raised = assert.rejects(engine.act(key("!")), { message: "PythonError" });
  await worker().break("PythonError");
  await raised;
  assert.equal(workers.length, 1);
  assert.deepEqual(worker().texts.at(-1), replay([]));
});

test("a world that cannot be replayed is left, with what waits for it", async () => {
  const { engine, worker } = started();
  const entered = assert.rejects(engine.enter("ring", 1), EngineError);
  const acted = assert.rejects(engine.act(key("a")), EngineError);
  await worker().break("PythonError");
  await Promise.all([entered, acted]);
  assert.equal(engine.world, null);
});

test("a refused act changes nothing and is not in the log", async () => {
  const { engine, worker } = started();
  void engine.enter("ring", 1);
  await worker().reply({});
  const refused = engine.act(key("!"));
  await worker().reply({ error: {} });
  assert.deepEqual(await refused, { error: {} });
  assert.deepEqual(engine.world?.actions, []);
});

test("a refused replay says why, leaves no world, and is not tried again", async () => {
  const { engine, worker } = started();
  const entered = engine.enter("ring", 1, [key("!")]);
  await worker().reply({ error: {} });
  assert.deepEqual(await entered, { error: {} });
  assert.equal(engine.world, null);
  assert.equal(worker().texts.length, 1);
});

test("the log is kept the way its owner keeps it", async () => {
  const { engine, worker } = started({ remember: (_, action) => [action] });
  void engine.enter("ring", 1);
  await worker().reply({});
  for (const letter of ["a", "b"]) {
    void engine.act(key(letter));
    await worker().reply({});
  }
  assert.deepEqual(engine.world?.actions, [key("b")]);
});

test("recorded replies answer before Python is up: openings, first moves and asks", async () => {
  const { engine, worker } = setUp({}, {
    '{"ask":"figures"}': '{"n":0}', [replay([])]: '{"n":1}', [replay([key("a")])]: '{"n":2}',
  });
  const [ask, entered, first] = [engine.ask({ ask: "figures" }), engine.enter("ring", 1), engine.act(key("a"))];
  const second = engine.act(key("b"));
  assert.deepEqual(await ask, { state: "answered", reply: { n: 0 } });
  assert.deepEqual(await Promise.all([entered, first]), [{ n: 1 }, { n: 2 }]);
  engine.start();
  worker().reach("ready");
  assert.deepEqual(worker().texts, [replay([key("a")])]);
  await worker().reply({});
  await worker().reply({ n: 3 });
  assert.deepEqual(await second, { n: 3 });
  assert.deepEqual(engine.world?.actions, [key("a"), key("b")]);
});

test("a recorded answer overtakes an older one that is still running", async () => {
  const { engine, worker } = started({}, { '{"ask":"b"}': '{"n":2}' });
  const older = engine.ask({ ask: "a" });
  await sleep(0);
  assert.deepEqual(await engine.ask({ ask: "b" }), { state: "answered", reply: { n: 2 } });
  assert.deepEqual(await older, { state: "superseded" });
  await worker().reply({ n: 1 });
});

test("entering another step leaves the acts of the last one in order, in their own world", async () => {
  const { engine, worker } = started();
  void engine.enter("ring", 1);
  const act = engine.act(key("a"));
  const entered = engine.enter("overlap", 1);
  await worker().reply({});
  await worker().reply({ n: 1 });
  await worker().reply({ n: 2 });
  assert.deepEqual(await Promise.all([act, entered]), [{ n: 1 }, { n: 2 }]);
  assert.equal(worker().texts.length, 3);
  assert.deepEqual(engine.world, { step: "overlap", seed: 1, actions: [] });
});

test("a start without progress fails with a sentence, and retry answers what waited", async () => {
  const { engine, worker } = setUp({ bootLimitMs: 15 });
  const answer = engine.ask({ ask: "version" });
  engine.start();
  await sleep(25);
  const stage = engine.stage.value;
  assert.match(stage.name === "failed" ? stage.sentence : "", /^The engine did not start in time\. Try again/);
  engine.retry();
  worker().reach("ready");
  await worker().reply({ version: "1" });
  assert.equal((await answer).state, "answered");
});

test("a worker that stops while it starts is a failure, not a loop", () => {
  const { engine, worker, workers } = setUp();
  engine.start();
  worker().onerror?.call(worker() as unknown as Worker, { message: "404" } as ErrorEvent);
  assert.equal(engine.stage.value.name, "failed");
  assert.equal(workers.length, 1);
});

test("an act needs a world", () => {
  assert.throws(() => setUp().engine.act(key("a")), /enter/);
});
