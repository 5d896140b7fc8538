/** The engine's worker: Python, and one function that answers a request's text with a reply's text. */

import { startPython } from "./python.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";

type Handle = (text: string) => string;

let handle: Handle | null = null;

self.onmessage = (event: MessageEvent<ToWorker>) => {
  const message = event.data;
  if (message.kind === "boot") void boot(message.base);
  else answer(message.id, message.text);
};

async function boot(base: string): Promise<void> {
  try {
    const python = await startPython(base, (stage) => post({ kind: "stage", stage }));
    handle = (python.pyimport("paceline.engine") as { handle: Handle }).handle;
    post({ kind: "stage", stage: { name: "ready" } });
  } catch (error) {
    post({ kind: "stage", stage: { name: "failed", sentence: sentenceFor(error), detail: textOf(error) } });
  }
}

function answer(id: number, text: string): void {
  try {
    if (handle === null) throw new Error("asked before Python was ready");
    post({ kind: "reply", id, text: handle(text) });
  } catch (error) {
    // After a fatal error Python is no more: thrown on, it reaches the page, which starts another worker.
    if (error instanceof Object && "pyodide_fatal_error" in error) throw error;
    post({ kind: "broken", id, detail: textOf(error) });
  }
}

function sentenceFor(error: unknown): string {
  if (typeof WebAssembly === "undefined") {
    return "This browser cannot run the engine, which needs WebAssembly. A current Firefox, Chrome, Edge or Safari can.";
  }
  if (textOf(error).startsWith("PythonError")) return "The engine did not start: its own code failed.";
  return "The engine could not be loaded. Check that the page's server is still running, then try again.";
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function post(message: FromWorker): void {
  self.postMessage(message);
}
