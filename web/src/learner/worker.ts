/** Python for a learner's own code: no engine in it, no page, and no way out but a table of whole numbers. */

import type { PyodideInterface } from "pyodide";
import type { FromLearner, ToLearner } from "./protocol.ts";

declare const __PYODIDE__: { readonly folder: string; readonly bytes: number };

/** Gives the chunks as JSON, or what is wrong with the code in one or two lines that name the learner's own. */
const HARNESS = `
import json, traceback

def run_ring(code, ranks):
    space = {}
    try:
        exec(compile(code, "your code", "exec"), space)
        table = []
        for half, name in enumerate(("reduce_scatter", "all_gather")):
            if not callable(space.get(name)):
                return json.dumps({"words": f"There is no function {name}(rank, move, n)."})
            for move in range(ranks - 1):
                table.append([space[name](rank, move, ranks) for rank in range(ranks)])
    except BaseException as error:
        lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == "your code"]
        line = lines[-1] if lines else getattr(error, "lineno", None)
        where = f"Line {line}: " if line else ""
        return json.dumps({"words": f"{where}{type(error).__name__}: {str(error)[:200]}"})
    for move, row in enumerate(table):
        for rank, chunk in enumerate(row):
            if type(chunk) is not int or not 0 <= chunk < ranks:
                return json.dumps({"words": f"Move {move + 1}, GPU {rank}: {str(chunk)[:60]} is no chunk. The chunks are 0 to {ranks - 1}; % n wraps them round."})
    return json.dumps({"chunks": table})
`;

let python: Promise<PyodideInterface> | null = null;

self.onmessage = async (event: MessageEvent<ToLearner>) => {
  const { base, code, ranks } = event.data;
  const isFirst = python === null;
  try {
    python ??= start(base);
    const found = await python;
    if (isFirst) post({ kind: "ready" });
    const run = found.globals.get("run_ring") as (code: string, ranks: number) => string;
    const reply = JSON.parse(run(code, ranks)) as { chunks: number[][] } | { words: string };
    post("words" in reply ? { kind: "words", words: reply.words } : { kind: "chunks", chunks: reply.chunks });
  } catch {
    post({ kind: "failed" });
  }
};

async function start(base: string): Promise<PyodideInterface> {
  const folder = new URL(__PYODIDE__.folder, base).href;
  const { loadPyodide } = (await import(/* @vite-ignore */ `${folder}pyodide.mjs`)) as typeof import("pyodide");
  const found = await loadPyodide({ indexURL: folder, jsglobals: {} });
  found.runPython(HARNESS);
  return found;
}

function post(message: FromLearner): void {
  self.postMessage(message);
}
