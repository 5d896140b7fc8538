import type { Request } from "../engine/index.ts";

/** The longest advance the engine takes at once. */
const LONGEST_US = 1e12;
const PLAIN = ["start", "pause", "resume", "reset"];

/** The log with one more action; time after time is one time. A reset starts a fresh log. */
export function append(log: readonly Request[], action: Request): Request[] {
  if (action.act === "reset") return [];
  const last = log.at(-1);
  if (action.act === "advance" && last?.act === "advance") {
    const sum = Number(last.microseconds) + Number(action.microseconds);
    if (sum <= LONGEST_US) return [...log.slice(0, -1), { act: "advance", microseconds: sum }];
  }
  return [...log, action];
}

/** A log as the part of an address: `start,t59500000,pause,mfu_percent=100`. */
export function write(log: readonly Request[]): string {
  return log
    .map((each) => (each.act === "advance" ? `t${each.microseconds}` : each.act === "set" ? `${each.knob}=${each.value}` : each.act))
    .join(",");
}

/** The log an address says; what is not understood makes it null. */
export function read(text: string): Request[] | null {
  const log: Request[] = [];
  for (const word of text.split(",").filter(Boolean)) {
    const time = /^t(\d{1,13})$/.exec(word);
    const knob = /^([a-z_]+)=(\d{1,9})$/.exec(word);
    if (time) log.push({ act: "advance", microseconds: Number(time[1]) });
    else if (knob) log.push({ act: "set", knob: knob[1] ?? "", value: Number(knob[2]) });
    else if (PLAIN.includes(word)) log.push({ act: word });
    else return null;
  }
  return log;
}
