/** What a learner has done, kept in this browser by step id. */

export interface Progress { readonly solved: boolean; readonly guess: string; readonly log: string }

const KEY = "paceline.progress.v1";
const NOTHING: Progress = { solved: false, guess: "", log: "" };

export function load(step: string): Progress {
  try {
    const found = all()[step];
    const text = (value: unknown) => (typeof value === "string" ? value : "");
    return found ? { solved: found.solved === true, guess: text(found.guess), log: text(found.log) } : NOTHING;
  } catch {
    return NOTHING;
  }
}

/** Saves, and says in words whether that worked. */
export function save(step: string, progress: Progress): string {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...all(), [step]: progress }));
    return "Saved in this browser";
  } catch {
    return "Not saved: this browser keeps no data for this page";
  }
}

function all(): Record<string, Progress> {
  let found: unknown = null;
  try {
    found = JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, Progress>) : {};
}
