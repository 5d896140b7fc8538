/** Starts Python in a worker: Pyodide from the page's own origin, the engine's zip unpacked into it. */

import type { PyodideInterface } from "pyodide";
import type { Stage } from "./protocol.ts";

declare const __PYODIDE__: { readonly folder: string; readonly bytes: number };

/** Where the engine's zip is unpacked; any folder that Python's own files do not use. */
const HOME = "/lib/paceline";

export async function startPython(base: string, report: (stage: Stage) => void): Promise<PyodideInterface> {
  const folder = new URL(__PYODIDE__.folder, base).href;
  const restore = countFetchedBytes((bytes) => report({ name: "loading", bytes, total: __PYODIDE__.bytes }));
  try {
    const archive = fetchOrThrow(new URL("engine.zip", base).href);
    archive.catch(() => undefined);
    const { loadPyodide } = (await import(/* @vite-ignore */ `${folder}pyodide.mjs`)) as typeof import("pyodide");
    const python = await loadPyodide({ indexURL: folder });
    report({ name: "starting" });
    python.unpackArchive(await archive, "zip", { extractDir: HOME });
    python.runPython(`import sys; sys.path.insert(0, "${HOME}")`);
    return python;
  } finally {
    restore();
  }
}

async function fetchOrThrow(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  return response.arrayBuffer();
}

/**
 * Counts what arrives through fetch, Pyodide's own files included, until the returned function is called.
 * Counting a clone leaves the browser its cache of compiled code: a rebuilt Response cost 1.2 s of 4 on a reload.
 */
function countFetchedBytes(tell: (bytes: number) => void): () => void {
  const plain = self.fetch;
  let bytes = 0;
  self.fetch = async (input, init) => {
    const response = await plain(input, init);
    void count(response.clone());
    return response;
  };
  async function count(copy: Response): Promise<void> {
    const reader = copy.body?.getReader();
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) return;
      bytes += part.value.byteLength;
      tell(bytes);
    }
  }
  return () => {
    self.fetch = plain;
  };
}
