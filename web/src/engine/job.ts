/** One request on its way: what it asks, of which world, and who waits for the answer. */

import { canonical, type Request } from "./canonical.ts";
import { replayText, type World } from "./world.ts";

export type Reply = { readonly [key: string]: unknown };
export type Answer = { readonly state: "answered"; readonly reply: Reply } | { readonly state: "superseded" };

/** A request the engine could not answer at all. (A refusal is a reply, and its words come from Python.) */
export class EngineError extends Error {}

/** The log with one more action; a world's own laws may make it shorter than one entry an action. */
export type Remember = (actions: readonly Request[], action: Request) => readonly Request[];

/** A world while it is played: its log grows with each answered action. */
export interface OpenWorld extends World {
  actions: readonly Request[];
}

export interface Job {
  readonly kind: "ask" | "act" | "replay";
  readonly request: Request;
  /** Of an ask: its channel. */
  readonly channel: string;
  /** Of an act or a replay: the world it is about. */
  readonly world: OpenWorld | null;
  deaths: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: EngineError) => void;
}

/** The text that says all a job needs: an act's with the replay that comes before it, so any engine can answer. */
export function wholeText(job: Job, remember: Remember): string {
  if (job.world === null) return canonical(job.request);
  const { step, seed, actions } = job.world;
  return replayText({ step, seed, actions: job.kind === "act" ? remember(actions, job.request) : actions });
}

export function unawaitedReplay(world: OpenWorld): Job {
  const ignore = () => undefined;
  return { kind: "replay", request: {}, channel: "", world, deaths: 0, resolve: ignore, reject: ignore };
}
