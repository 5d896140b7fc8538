/** The learner's own ring, run in a worker of its own that is ended when it takes too long; it returns numbers only. */

import type { FromLearner } from "./protocol.ts";

/** Two loops over eight ranks take no time: what is not done by then will not be. */
const LIMIT_MS = 3000;
const START_LIMIT_MS = 60_000;

export type Outcome = { readonly chunks: number[][] } | { readonly words: string };

let idle: Worker | null = null;
let isUp = false;

/** Runs `reduce_scatter` and `all_gather` of some code for every move and rank. Called by a press of a button only. */
export function runRing(code: string, ranks: number, tell: (words: string) => void): Promise<Outcome> {
  if (ranks < 2 || ranks > 8) return Promise.resolve({ words: "A ring of two to eight GPUs can be run this way: set GPUs to that first." });
  const worker = idle ?? new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const wasUp = idle !== null && isUp;
  idle = null;
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout>;
    const end = (outcome: Outcome, keep: boolean) => {
      clearTimeout(timer);
      worker.onmessage = worker.onerror = null;
      if (keep) idle = worker;
      else worker.terminate();
      isUp = keep;
      resolve(outcome);
    };
    const limit = (ms: number, words: string) => {
      clearTimeout(timer);
      timer = setTimeout(() => end({ words }, false), ms);
    };
    const wait = () => limit(LIMIT_MS, "Your code was stopped: it ran for three seconds without an end.");
    worker.onmessage = (event: MessageEvent<FromLearner>) => {
      if (event.data.kind === "ready") {
        tell("Running.");
        return wait();
      }
      if (event.data.kind === "failed") return end({ words: "Python could not be started for your code." }, false);
      if (event.data.kind === "words") return end({ words: event.data.words }, true);
      end({ chunks: event.data.chunks }, true);
    };
    worker.onerror = () => end({ words: "Python stopped while it ran your code." }, false);
    if (wasUp) wait();
    else limit(START_LIMIT_MS, "Python did not start for your code in time.");
    worker.postMessage({ base: new URL(".", document.baseURI).href, code, ranks });
  });
}
