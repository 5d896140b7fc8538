/** The log of a world: what was done since its step began, as short as keeps its outcome, and as part of an address. */

import type { Request, Value } from "../engine/index.ts";

/** The longest advance the engine takes at once. */
const LONGEST_US = 1e12;
const PLAIN = ["start", "pause", "resume", "broadcast", "finish", "reveal", "mark_exposed", "mark_end"];
const ANSWER = /^a([0-9A-Za-z.~%/+_-]{1,40})$/;

/** The log with one more action. Time after time is one time; of a knob set again, or a move after a move, the last counts. */
export function append(log: readonly Request[], action: Request): Request[] {
  const last = log.at(-1);
  if (last === undefined) return [action];
  const before = log.slice(0, -1);
  if (action.act === "advance" && last.act === "advance") {
    const sum = Number(last.microseconds) + Number(action.microseconds);
    if (sum <= LONGEST_US) return [...before, { act: "advance", microseconds: sum }];
  }
  if (action.act === "set" && last.act === "set" && action.knob === last.knob) return [...before, action];
  if (action.act === "go" && last.act === "go") return [...before, action];
  return [...log, action];
}

/** The log up to a point in time, measured by the time that passed in it. */
export function until(log: readonly Request[], microseconds: number): Request[] {
  const kept: Request[] = [];
  let left = microseconds;
  for (const action of log) {
    if (action.act === "advance") {
      const passes = Number(action.microseconds);
      if (passes >= left) return left > 0 ? [...kept, { act: "advance", microseconds: left }] : kept;
      left -= passes;
    }
    kept.push(action);
  }
  return kept;
}

/** A log as the part of an address: `start,t59500000,pause,gpus=8`. */
export function write(log: readonly Request[]): string {
  return log.map(wordOf).join(",");
}

function wordOf(action: Request): string {
  if (action.act === "advance") return `t${action.microseconds}`;
  if (action.act === "set") return `${action.knob}=${action.value}`;
  if (action.act === "go") return `m${action.move}`;
  if (action.act === "chunks") return `c${rows(action.chunks).map((row) => row.join("")).join(".")}`;
  // A comma parts the words of a log, so that of an answer is written otherwise.
  if (action.act === "answer") return `a${String(action.text).replaceAll(",", "~")}`;
  return String(action.act);
}

/** The log an address says; what is not understood makes it null. Nothing of it is ever run as code. */
export function read(text: string): Request[] | null {
  const log: Request[] = [];
  for (const word of text.split(",").filter(Boolean)) {
    const action = actionOf(word);
    if (action === null) return null;
    log.push(action);
  }
  return log;
}

function actionOf(word: string): Request | null {
  const time = /^t(\d{1,13})$/.exec(word);
  if (time) return { act: "advance", microseconds: Number(time[1]) };
  const move = /^m(\d{1,6})$/.exec(word);
  if (move) return { act: "go", move: Number(move[1]) };
  const knob = /^([a-z_]{1,40})=(\d{1,9})$/.exec(word);
  if (knob) return { act: "set", knob: knob[1] ?? "", value: Number(knob[2]) };
  // A table of chunks has one digit an entry: a ring that is drawn has at most eight.
  if (/^c[\d.]{0,200}$/.test(word)) {
    return { act: "chunks", chunks: word.slice(1).split(".").filter(Boolean).map((row) => [...row].map(Number)) };
  }
  if (PLAIN.includes(word)) return { act: word };
  const answer = ANSWER.exec(word);
  return answer ? { act: "answer", text: (answer[1] ?? "").replaceAll("~", ",") } : null;
}

function rows(chunks: Value | undefined): readonly (readonly Value[])[] {
  return Array.isArray(chunks) ? (chunks as readonly (readonly Value[])[]) : [];
}
