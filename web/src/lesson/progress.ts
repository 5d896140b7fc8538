/** What a learner has done, by step id, kept in this browser; nothing in it is lost by a reload, a second tab or an import. */

import { Cell } from "../engine/cell.ts";

export interface StepProgress {
  readonly seen: boolean;
  readonly solved: boolean;
  /** Solved with no hint open and no solution written in. */
  readonly unaided: boolean;
  /** How many tiers of hints were opened. */
  readonly hints: number;
  readonly solution: boolean;
  /** A guess by question: "" is not yet, "skip" skipped. */
  readonly guesses: readonly string[];
  readonly log: string;
  readonly code: string;
  /** What the numbers of a drill were drawn from. */
  readonly seed: number;
  /** The log that a followed link replaced. */
  readonly before: string;
}
export interface Progress {
  readonly version: 2;
  readonly last: string;
  readonly steps: Readonly<Record<string, StepProgress>>;
}

const KEY = "paceline.progress.v2";
const OLD_KEY = "paceline.progress.v1";
const UNREAD_KEY = "paceline.progress.unread";
const NOTHING: Progress = { version: 2, last: "", steps: {} };
const UNTOUCHED: StepProgress = {
  seen: false, solved: false, unaided: false, hints: 0, solution: false, guesses: [], log: "", code: "", seed: 0, before: "",
};
const LONGEST_TEXT = 2_000_000;
const ID = /^[a-z0-9-]{1,60}$/;
const KEPT = "Saved in this browser";
const NOT_KEPT = "Not saved: this browser keeps no data for this page";
const SET_ASIDE = "Earlier progress could not be read; it is set aside for export";

export const progress = new Cell<Progress>(NOTHING);
/** A sentence on whether it is saved. */
export const saved = new Cell<string>("");
/** What was stored and could not be read, for the learner to keep; "" where there is none. */
export const unread = new Cell<string>("");
/** Whether the last save was kept: if not, what is stored is older than what this page holds. */
let isKept = true;

/** A step's progress, untouched where there is none. */
export function stepProgress(id: string): StepProgress {
  return of(progress.value, id);
}

/** Changes some of a step's progress and saves it, over whatever another tab has saved since. */
export function saveStep(id: string, partial: Partial<StepProgress>): void {
  const now = latest();
  const before = of(now, id);
  const solved = before.solved || partial.solved === true;
  store({ version: 2, last: id, steps: { ...now.steps, [id]: { ...before, ...partial, seen: true, solved } } });
}

/** The progress as a file's text. */
export function exportText(): string {
  return `${JSON.stringify(progress.value, null, 2)}\n`;
}

/** Adds a file's progress to this one, and says how that went. Where both have a state of a step, this one's stays. */
export function importText(text: string): string {
  const other = parse(text);
  if (other === null) return "This file is no progress of Paceline; nothing was changed.";
  const own = latest();
  const steps = { ...own.steps };
  for (const [id, theirs] of Object.entries(other.steps)) steps[id] = merged(of(own, id), theirs);
  store({ version: 2, last: own.last || other.last, steps });
  return `Progress of ${Object.keys(other.steps).length} steps was added.`;
}

/** Forgets everything. */
export function startAfresh(): void {
  store(NOTHING);
  try {
    localStorage.removeItem(OLD_KEY);
    localStorage.removeItem(UNREAD_KEY);
  } catch {
    // What was never kept need not be forgotten.
  }
  unread.set("");
  saved.set(isKept ? KEPT : NOT_KEPT);
}

function merged(own: StepProgress, other: StepProgress): StepProgress {
  return {
    seen: own.seen || other.seen,
    solved: own.solved || other.solved,
    unaided: own.unaided || other.unaided,
    hints: Math.max(own.hints, other.hints),
    solution: own.solution || other.solution,
    guesses: own.guesses.some(Boolean) ? own.guesses : other.guesses,
    log: own.log || other.log,
    code: own.code || other.code,
    seed: own.log ? own.seed : other.seed,
    before: own.before || other.before,
  };
}

function of(all: Progress, id: string): StepProgress {
  return (Object.hasOwn(all.steps, id) ? all.steps[id] : undefined) ?? UNTOUCHED;
}

/** What is stored now, another tab's work included; what this page holds, where its last save was not kept. */
function latest(): Progress {
  return (isKept ? load() : null) ?? progress.value;
}

function store(next: Progress): void {
  progress.set(next);
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
    isKept = true;
    saved.set(unread.value === "" ? KEPT : SET_ASIDE);
  } catch {
    isKept = false;
    saved.set(NOT_KEPT);
  }
}

/** The stored progress; null where there is none or none can be kept. What cannot be read is set aside. */
function load(): Progress | null {
  try {
    const text = localStorage.getItem(KEY);
    const first = text === null ? localStorage.getItem(OLD_KEY) : null;
    const found = text === null ? old(first) : parse(text);
    const lost = text ?? first;
    if (found === null && lost !== null) {
      // In this page first: where the copy cannot be kept, the learner can still export it from here.
      unread.set(unread.value === "" ? lost : `${unread.value}\n${lost}`);
      localStorage.setItem(UNREAD_KEY, unread.value);
      localStorage.removeItem(text === null ? OLD_KEY : KEY);
    }
    return found;
  } catch {
    return null;
  }
}

/** Progress as an earlier Paceline kept it: one guess a step, and no version. */
function old(text: string | null): Progress | null {
  const found = object(text);
  if (found === null) return null;
  const steps: Record<string, StepProgress> = {};
  for (const [id, each] of Object.entries(found)) {
    if (!ID.test(id)) continue;
    const { solved, guess, log } = (object(each) ?? {}) as Record<string, unknown>;
    steps[id] = { ...UNTOUCHED, seen: true, solved: solved === true, guesses: [words(guess)], log: words(log) };
  }
  return { version: 2, last: "", steps };
}

function parse(text: string): Progress | null {
  const found = object(text);
  const steps = object(found?.steps);
  if (found?.version !== 2 || steps === null) return null;
  const read: Record<string, StepProgress> = {};
  for (const [id, value] of Object.entries(steps)) {
    const each = object(value);
    if (each === null || !ID.test(id)) return null;
    const guesses = Array.isArray(each.guesses) ? each.guesses.slice(0, 10).map(words) : [];
    read[id] = {
      seen: each.seen === true, solved: each.solved === true, unaided: each.unaided === true, solution: each.solution === true,
      hints: [0, 1, 2, 3].find((tier) => tier === each.hints) ?? 0,
      guesses, log: words(each.log), code: words(each.code), seed: seedOf(each.seed), before: words(each.before),
    };
  }
  return { version: 2, last: words(found.last), steps: read };
}

function object(value: unknown): Record<string, unknown> | null {
  try {
    const found: unknown = typeof value === "string" ? JSON.parse(value) : value;
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function words(value: unknown): string {
  return typeof value === "string" && value.length <= LONGEST_TEXT ? value : "";
}

/** Reads what is stored, and follows what other tabs store. Called once, when the page starts. */
export function openProgress(): void {
  try {
    unread.set(localStorage.getItem(UNREAD_KEY) ?? "");
    progress.set(load() ?? NOTHING);
  } catch {
    isKept = false;
  }
  store(progress.value);
  addEventListener("storage", (event) => {
    if (event.key === KEY || event.key === null) progress.set(latest());
  });
}

function seedOf(value: unknown): number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32 ? Number(value) : 0;
}
