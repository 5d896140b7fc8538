/** A step while it is played: its world, its log, the clock between two replies, and what is kept of it. */

import { engine, prepare, type Request } from "../engine/index.ts";
import { append, read, until, write } from "./log.ts";
import { Order } from "./order.ts";
import { saveStep, stepProgress, type StepProgress } from "./progress.ts";
import type { PredictReply, Refusal, Span, StepReply, WorldReply } from "./reply.ts";
import { mark, type Route } from "../route.ts";

/** With Python up, time passes in portions no shorter than this; before it, from one training step to the next. */
const PORTION_MS = 80;
const MOVE_MS = 700;
const KEEP_MS = 3000;
/** A sleeping tab wakes to one second of time, not to an hour of it. */
const LONGEST_FRAME_MS = 1000;
const STOPPED = "The simulation stopped answering. Reload the page; what you did is kept.";

export class Play {
  readonly id: string;
  step = $state.raw<StepReply | null>(null);
  world = $state.raw<WorldReply | null>(null);
  kept = $state.raw<StepProgress>(stepProgress(""));
  predictions = $state.raw<readonly (PredictReply | null)[]>([]);
  /** A refusal or a failure in words. */
  trouble = $state("");
  /** Whether something waits for Python to be up. */
  waiting = $state(false);
  speed = $state(1);
  playingMoves = $state(false);
  /** Time that passed since the last reply, and where the scrubber was put while nothing runs. */
  ahead_us = $state(0);
  preview_us = $state<number | null>(null);
  /** Knobs that were turned and whose answers are still on their way, where the hand has them. */
  turning = $state.raw<Readonly<Record<string, number>>>({});
  view = $state("");
  linked = $state(false);
  #log: readonly Request[] = [];
  #seed = 0;
  /** Whether a paused job runs for one step: no other time passes meanwhile. */
  #stepping = false;
  readonly #order = new Order();
  /** Values still to be asked for, by knob, in the order their knobs were turned. */
  readonly #wanted = new Map<string, number>();
  #frame = 0;
  #last = 0;
  #keptAt = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** Asks for the step and enters its world, from a link's log or from where the learner was. */
  open(route: Route): void {
    this.kept = stepProgress(this.id);
    prepare(this.id);
    void engine.ask({ ask: "step", step: this.id }, `step ${this.id}`).then((answer) => {
      if (answer.state !== "answered" || this.#refused(answer.reply)) return;
      this.step = answer.reply as unknown as StepReply;
      this.speed = this.step.speed;
      this.view ||= this.step.views.find((name) => name === route.view) ?? this.step.views[0] ?? "";
      this.predictions = this.step.questions.map(() => null);
      void this.follow(route);
      this.kept.guesses.forEach((guess, index) => {
        if (guess !== "" && guess !== "skip") void this.predict(index, guess);
      });
    });
    this.#keep({ seen: true });
    this.#last = performance.now();
    this.#frame = requestAnimationFrame((now) => this.#pass(now));
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    if (this.#log.length > 0) this.#keep(this.#own());
  }

  /** Enters the state an address says; without one, the learner's own. */
  follow(route: Route): Promise<void> {
    return this.#order.add(() => this.#follow(route));
  }

  async #follow(route: Route): Promise<void> {
    const own = this.kept.log;
    const linked = route.log !== "" && route.log !== own;
    const wanted = read(route.log === "" ? own : route.log);
    this.#seed = route.log === "" && route.seed === 0 ? this.#ownSeed() : route.seed;
    if (wanted !== null && (await this.#enter(wanted))) {
      this.linked = linked && own !== "";
      if (this.linked) this.#keep({ before: own });
    } else {
      const why = this.trouble;
      await this.#enter([]);
      this.trouble = `This address does not lead to a state of this step, so it starts afresh. ${why}`;
    }
    this.#mark();
  }

  /** Back to the state that a followed link replaced. */
  backToMine(): Promise<void> {
    return this.#order.add(async () => {
      this.linked = false;
      await this.#enter(read(this.kept.before) ?? []);
      this.#keep({ ...this.#own(), before: "" });
      this.#mark();
    });
  }

  reset(): Promise<void> {
    this.playingMoves = false;
    return this.#order.add(async () => {
      if (this.#drawn > 0) this.#seed = this.#otherSeed();
      await this.#enter([]);
      this.#keep({ log: "", seed: this.#seed });
      this.#mark();
    });
  }

  /** Answers a drill; "" where the answer was taken, else why not. */
  async answer(text: string): Promise<string> {
    const plain = text.normalize("NFKC").replaceAll("\u03bc", "u").replaceAll("\u00b5", "u").replace(/\s/g, "").slice(0, 40);
    if (!/^[0-9A-Za-z.,%/+_-]+$/.test(plain)) return "An answer is one number, and a unit if you like.";
    if (await this.act({ act: "answer", text: plain })) return "";
    const why = this.trouble;
    this.trouble = "";
    return why;
  }

  /** How many seeds have recorded openings; 0 for a step whose numbers are always the same. */
  get #drawn(): number {
    return this.step?.seeds ?? 0;
  }

  /** The seed the learner has begun with, or a fresh one of those that answer at once. */
  #ownSeed(): number {
    if (this.#drawn === 0) return 0;
    return this.kept.log === "" ? Math.floor(Math.random() * this.#drawn) : this.kept.seed;
  }

  #otherSeed(): number {
    if (engine.stage.value.name === "ready") return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    return (this.#seed + 1 + Math.floor(Math.random() * (this.#drawn - 1))) % this.#drawn;
  }

  /** Does one thing in its turn; a refusal is shown and changes nothing. */
  act(action: Request): Promise<boolean> {
    return this.#order.add(() => this.#do(action));
  }

  async #do(action: Request): Promise<boolean> {
    if (this.ahead_us > 0 && this.world?.state === "running" && action.act !== "advance") await this.#flush();
    this.waiting = engine.stage.value.name !== "ready";
    try {
      const reply = await engine.act(action);
      if (this.#refused(reply)) return false;
      this.#take(reply, action.act === "advance");
      this.#log = append(this.#log, action);
      if (action.act !== "advance") {
        this.preview_us = null;
        this.#keep(this.#own());
        this.#mark();
      }
      return true;
    } catch {
      this.trouble = STOPPED;
      return false;
    } finally {
      this.waiting = false;
    }
  }

  /** Turns a knob: of the values a drag passes while an answer is on its way, only the newest is asked for. */
  turn(name: string, value: number): void {
    if (!Number.isSafeInteger(value)) return;
    const isWaiting = this.#wanted.has(name);
    this.#wanted.set(name, value);
    this.turning = { ...this.turning, [name]: value };
    if (!isWaiting) void this.#order.add(() => this.#turn(name));
  }

  /** Where the knobs stand, the one being turned where the hand has it. */
  get knobs(): WorldReply["knobs"] {
    const knobs = { ...(this.world?.knobs ?? {}) };
    for (const [name, value] of Object.entries(this.turning)) knobs[name] = { text: knobs[name]?.text ?? "", value };
    return knobs;
  }

  async #turn(name: string): Promise<void> {
    const value = this.#wanted.get(name);
    this.#wanted.delete(name);
    if (value !== undefined) await this.#do({ act: "set", knob: name, value });
    if (this.#wanted.size === 0) this.turning = {};
  }

  /** Play or pause: the clock of a job, or the moves of a ring. */
  async toggle(): Promise<void> {
    if (this.step?.play === "moves") {
      if (!this.playingMoves && this.world?.state === "done") await this.goTo(0);
      this.playingMoves = !this.playingMoves;
      return;
    }
    if (this.step?.play === "run") return void (await this.act({ act: "start" }));
    await this.#order.add(() => {
      const state = this.world?.state;
      return this.#do({ act: state === "running" ? "pause" : state === "paused" ? "resume" : "start" });
    });
  }

  /** One step or move on. A paused job runs for exactly one step. */
  forward(): Promise<void> {
    return this.#order.add(async () => {
      const world = this.world;
      if (world === null || world.state === "done") return;
      if (this.step?.play === "moves") return this.#goTo(world.move + 1);
      const runs = world.state === "running";
      this.#stepping = !runs;
      if (!runs) await this.#do({ act: world.state === "paused" ? "resume" : "start" });
      await this.#do({ act: "advance", microseconds: (this.world ?? world).step_us - (this.world ?? world).into_step_us });
      if (!runs) await this.#do({ act: "pause" });
      this.#stepping = false;
    });
  }

  /** One step or move back: the world as it was then. */
  back(): Promise<void> {
    return this.#order.add(async () => {
      const world = this.world;
      if (world === null) return;
      if (this.step?.play === "moves") return this.#goTo(world.move - 1);
      if (world.clock_us === 0) return;
      const earlier = world.clock_us - (world.into_step_us > 0 ? world.into_step_us : world.step_us);
      await this.#enter(until(this.#log, Math.max(0, earlier)));
      if (this.world?.state === "running") await this.#do({ act: "pause" });
      this.#keep(this.#own());
      this.#mark();
    });
  }

  /** To a move of the ring. */
  goTo(move: number): Promise<void> {
    return this.#order.add(() => this.#goTo(move));
  }

  async #goTo(move: number): Promise<void> {
    const world = this.world;
    if (world === null || move < 0 || move > world.moves) return;
    await this.#do(move === world.moves ? { act: "finish" } : { act: "go", move });
  }

  /** How far the running training step is, between two replies too. */
  get at_us(): number {
    const world = this.world;
    if (world === null || world.step_us === 0) return 0;
    return this.preview_us ?? Math.min(world.step_us, world.into_step_us + this.ahead_us);
  }

  /** What rank 0 does at that time: communication shows where it is beside or after the backward. */
  get phase(): Span["kind"] | "" {
    const lanes = this.world?.lanes;
    if (!lanes || (this.world?.state !== "running" && this.preview_us === null)) return "";
    const at = this.at_us;
    const within = (span: Span) => span.start_us <= at && at < span.end_us;
    const comm = lanes.comm.find(within);
    return comm?.kind ?? lanes.compute.find(within)?.kind ?? "";
  }

  /** Commits a prediction; the run's answer comes with the reply. */
  async predict(index: number, guess: string): Promise<boolean> {
    // The engine reads ASCII; digits typed in another script become these, anything else is refused in its own words.
    const plain = guess.normalize("NFKC").replace(/[^\x20-\x7e]/g, "?").slice(0, 40);
    const answer = await engine.ask({ ask: "predict", step: this.id, question: index, guess: plain }, `predict ${index}`);
    if (answer.state !== "answered" || this.#refused(answer.reply)) return false;
    this.predictions = this.predictions.map((each, at) => (at === index ? (answer.reply as unknown as PredictReply) : each));
    this.#guess(index, plain);
    return true;
  }

  skip(index: number): void {
    this.#guess(index, "skip");
  }

  /** Opens a hint of the three; that one was needed is kept, and shames nobody. */
  hint(tier: number): void {
    if (tier > this.kept.hints) this.#keep({ hints: tier });
  }

  solution(): void {
    this.#keep({ solution: true });
  }

  code(text: string): void {
    this.#keep({ code: text });
  }

  show(view: string): void {
    this.view = view;
    this.#mark();
  }

  #guess(index: number, guess: string): void {
    const guesses = (this.step?.questions ?? []).map((_, at) => this.kept.guesses[at] ?? "");
    guesses[index] = guess;
    this.#keep({ guesses });
  }

  async #flush(): Promise<void> {
    const passed = this.ahead_us;
    this.ahead_us = 0;
    await this.#do({ act: "advance", microseconds: Math.round(passed) });
  }

  async #enter(log: readonly Request[]): Promise<boolean> {
    this.waiting = engine.stage.value.name !== "ready";
    try {
      const reply = await engine.enter(this.id, this.#seed, log);
      if (this.#refused(reply)) return false;
      this.#log = log;
      this.preview_us = null;
      this.#take(reply, false);
      return true;
    } catch {
      this.trouble = STOPPED;
      return false;
    } finally {
      this.waiting = false;
    }
  }

  #take(reply: object, isTime: boolean): void {
    const world = reply as WorldReply;
    const passed = world.clock_us - (this.world?.clock_us ?? world.clock_us);
    this.ahead_us = isTime ? Math.max(0, this.ahead_us - Math.max(0, passed)) : 0;
    this.world = world;
    // Time that passes does not wipe out what was just refused.
    if (!isTime) this.trouble = "";
    if (world.met && !this.kept.solved) {
      this.#keep({ solved: true, unaided: this.kept.hints === 0 && !this.kept.solution });
    }
  }

  #refused(reply: { readonly [key: string]: unknown }): boolean {
    const error = reply.error as Refusal | undefined;
    if (error === undefined) return false;
    const because = /[.?!]$/.test(error.because) ? error.because : `${error.because}.`;
    this.trouble = `${error.given}: ${because} ${error.instead}`.trim();
    return true;
  }

  #keep(partial: Partial<StepProgress>): void {
    saveStep(this.id, partial);
    this.kept = stepProgress(this.id);
    this.#keptAt = performance.now();
  }

  #own(): Partial<StepProgress> {
    return { log: write(this.#log), seed: this.#seed };
  }

  #mark(): void {
    const first = this.step?.views[0] ?? "";
    mark({ step: this.id, log: write(this.#log), seed: this.#seed, view: this.view === first ? "" : this.view });
  }

  #pass(now: number): void {
    this.#frame = requestAnimationFrame((next) => this.#pass(next));
    const elapsed_ms = Math.min(LONGEST_FRAME_MS, now - this.#last);
    if (this.step?.play === "moves") {
      if (!this.playingMoves) this.#last = now;
      else if (now - this.#last >= MOVE_MS && this.#order.isIdle) {
        this.#last = now;
        const world = this.world;
        if (world === null || world.move >= world.moves) this.playingMoves = false;
        else void this.goTo(world.move + 1).then(() => this.world?.state === "done" && (this.playingMoves = false));
      }
      return;
    }
    this.#last = now;
    const world = this.world;
    if (world?.state !== "running" || this.#stepping) return;
    this.ahead_us += elapsed_ms * 1000 * this.speed;
    const toNext_us = world.step_us - world.into_step_us;
    const isReady = engine.stage.value.name === "ready";
    // Before Python is up the recorded replies are one a training step: time waits at the next one for its reply.
    if (!isReady) this.ahead_us = Math.min(this.ahead_us, toNext_us);
    const portion_us = isReady ? Math.min(toNext_us, PORTION_MS * 1000 * this.speed) : toNext_us;
    if (!this.#order.isIdle || this.ahead_us < portion_us) return;
    void this.act({ act: "advance", microseconds: isReady ? Math.round(this.ahead_us) : toNext_us });
    if (now - this.#keptAt > KEEP_MS) {
      this.#keep(this.#own());
      this.#mark();
    }
  }
}
