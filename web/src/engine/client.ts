/** The page's side of the engine: asks and acts in, replies out, whatever happens to the worker between. */

import { canonical, type Request } from "./canonical.ts";
import { Cell } from "./cell.ts";
import { EngineError, unawaitedReplay, wholeText, type Answer, type Job, type OpenWorld, type Remember, type Reply } from "./job.ts";
import type { FromWorker, Stage, ToWorker, WorkerLike } from "./protocol.ts";
import type { World } from "./world.ts";

export interface EngineOptions {
  readonly base: string;
  readonly spawn: () => WorkerLike;
  /** Replies recorded at build time, by the canonical text of their request. */
  readonly baked: Promise<ReadonlyMap<string, string>>;
  readonly requestLimitMs?: number;
  readonly replayLimitMs?: number;
  readonly remember?: Remember;
  /** How long the start may go without a sign of progress. */
  readonly bootLimitMs?: number;
}

/** A request that has cost this many workers is given up. */
const PATIENCE = 2;

export class Engine {
  readonly stage = new Cell<Stage>({ name: "idle" });
  readonly #options: Required<EngineOptions>;
  #baked: ReadonlyMap<string, string> = new Map();
  #world: OpenWorld | null = null;
  /** The world the worker is in, up to its last answered action. */
  #held: OpenWorld | null = null;
  #queue: Job[] = [];
  #running: Job | null = null;
  #worker: WorkerLike | null = null;
  #serial = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: EngineOptions) {
    this.#options = { requestLimitMs: 10_000, replayLimitMs: 30_000, bootLimitMs: 60_000, remember: append, ...options };
    void options.baked.then((replies) => this.know(replies));
  }

  /** More recorded replies. */
  know(replies: ReadonlyMap<string, string>): void {
    this.#baked = new Map([...this.#baked, ...replies]);
    this.#advance();
  }

  /** The world the page is in, with every answered action: what a reload, a link or a second tab needs. */
  get world(): World | null {
    return this.#world && { ...this.#world, actions: [...this.#world.actions] };
  }

  start(): void {
    if (this.#worker === null) this.#spawn();
  }

  /** Starts again after a failure; what waits is then answered. */
  retry(): void {
    const job = this.#stop();
    if (job !== null) this.#queue.unshift(job);
    this.#spawn();
  }

  /** A pure question. Of those waiting on one channel only the newest is answered, older ones are superseded. */
  ask(request: Request, channel = "view"): Promise<Answer> {
    const older = this.#queue.findIndex((job) => job.kind === "ask" && job.channel === channel);
    return new Promise((resolve, reject) => {
      const job: Job = { kind: "ask", request, channel, world: null, deaths: 0, resolve, reject };
      const [superseded] = older < 0 ? [] : this.#queue.splice(older, 1, job);
      if (superseded === undefined) this.#queue.push(job);
      superseded?.resolve({ state: "superseded" });
      this.#advance();
    });
  }

  /** Enters a step's world, from its start or as far as `actions`; the reply is that of the last action. */
  enter(step: string, seed: number, actions: readonly Request[] = []): Promise<Reply> {
    this.#world = { step, seed, actions: [...actions] };
    return this.#change("replay", {});
  }

  /** Changes the world. In order, never dropped, and part of the world from its reply on. */
  act(request: Request): Promise<Reply> {
    if (this.#world === null) throw new Error("act before enter: there is no world to change");
    return this.#change("act", request);
  }

  #change(kind: "act" | "replay", request: Request): Promise<Reply> {
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#queue.push({ kind, request, channel: "", world: this.#world, deaths: 0, resolve, reject });
      this.#advance();
    });
    return answer.then((given) => (given as { reply: Reply }).reply);
  }

  #advance(): void {
    this.#answerFromBaked();
    if (this.stage.value.name !== "ready" || this.#running !== null) return;
    const job = this.#next();
    if (job !== undefined) this.#run(job);
  }

  /** Recorded replies answer at once, also where the worker is busy or not there yet. */
  #answerFromBaked(): void {
    const running = this.#running;
    const busy = new Set([this.#held, running?.world ?? null]);
    for (const job of [...this.#queue]) {
      const text = job.world !== null && busy.has(job.world) ? undefined : this.#baked.get(wholeText(job, this.#options.remember));
      if (text === undefined) {
        if (job.world !== null) busy.add(job.world);
        continue;
      }
      this.#take(job);
      if (job.kind === "ask" && running?.kind === "ask" && running.channel === job.channel) {
        running.resolve({ state: "superseded" });
      }
      this.#settle(job, text);
    }
  }

  /** The next request for the worker. It must be in a world before it can act there, and enters one before all else. */
  #next(): Job | undefined {
    const inWorld = this.#queue.find((job) => job.world !== null);
    const world = inWorld?.world ?? this.#world;
    if (world !== null && world !== this.#held) {
      return inWorld?.kind === "replay" ? this.#take(inWorld) : unawaitedReplay(world);
    }
    return this.#queue.shift();
  }

  #take(job: Job): Job {
    this.#queue.splice(this.#queue.indexOf(job), 1);
    return job;
  }

  /** The reply goes to whom it is for. What is refused has not happened: an act leaves no trace, a replay no world. */
  #settle(job: Job, text: string): void {
    const reply = JSON.parse(text) as Reply;
    const refused = "error" in reply;
    if (job.kind === "act" && job.world !== null && !refused) {
      job.world.actions = this.#options.remember(job.world.actions, job.request);
    }
    job.resolve({ state: "answered", reply });
    if (job.kind === "replay" && refused) this.#giveUp(job, "this world cannot be entered");
  }

  /** A job is given up. With a replay, so is its world and all that waits for it. */
  #giveUp(job: Job, detail: string): void {
    const lost = job.kind === "replay" ? this.#queue.filter((other) => other.world === job.world) : [];
    if (job.kind === "replay" && this.#world === job.world) this.#world = null;
    if (job.kind === "replay" && this.#held === job.world) this.#held = null;
    for (const each of [job, ...lost.map((other) => this.#take(other))]) each.reject(new EngineError(detail));
  }

  #run(job: Job): void {
    this.#running = job;
    this.#serial += 1;
    const text = job.kind === "replay" ? wholeText(job, this.#options.remember) : canonical(job.request);
    const limit = job.kind === "replay" ? this.#options.replayLimitMs : this.#options.requestLimitMs;
    this.#watch(limit, () => this.#died(`no answer within ${limit} ms`));
    this.#send({ kind: "handle", id: this.#serial, text });
  }

  #hear(message: FromWorker): void {
    if (message.kind === "stage") return this.#reach(message.stage);
    const job = this.#running;
    if (job === null || message.id !== this.#serial) return;
    clearTimeout(this.#timer);
    this.#running = null;
    if (message.kind === "broken") {
      this.#held = null;
      this.#giveUp(job, message.detail);
    } else {
      if (job.world !== null) this.#held = job.world;
      this.#settle(job, message.text);
    }
    this.#advance();
  }

  #reach(stage: Stage): void {
    clearTimeout(this.#timer);
    if (stage.name === "loading" || stage.name === "starting") {
      this.#watch(this.#options.bootLimitMs, () => this.#fail("The engine did not start in time.", stage.name));
    }
    this.stage.set(stage);
    this.#advance();
  }

  #spawn(): void {
    const worker = this.#options.spawn();
    this.#worker = worker;
    worker.onmessage = (event: MessageEvent<FromWorker>) => this.#hear(event.data);
    worker.onerror = (event) => this.#died(event.message ?? "the worker stopped");
    this.#reach({ name: "loading", bytes: 0, total: 0 });
    this.#send({ kind: "boot", base: this.#options.base });
  }

  #send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  /** Ends the worker and hands back what it was busy with. */
  #stop(): Job | null {
    clearTimeout(this.#timer);
    if (this.#worker !== null) {
      this.#worker.onmessage = null;
      this.#worker.onerror = null;
      this.#worker.terminate();
    }
    const job = this.#running;
    this.#worker = this.#held = this.#running = null;
    return job;
  }

  /** The worker is gone or given up: a new one takes over, unless it was the start itself that failed. */
  #died(detail: string): void {
    if (this.stage.value.name !== "ready") return this.#fail("The engine stopped while it was starting.", detail);
    const job = this.#stop();
    if (job !== null) {
      job.deaths += 1;
      if (job.deaths < PATIENCE) this.#queue.unshift(job);
      else this.#giveUp(job, detail);
    }
    this.#spawn();
  }

  #fail(sentence: string, detail: string): void {
    this.#stop();
    this.stage.set({ name: "failed", sentence: `${sentence} Try again, or reload the page.`, detail });
  }

  #watch(limitMs: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, limitMs);
  }
}

function append(actions: readonly Request[], action: Request): readonly Request[] {
  return [...actions, action];
}
