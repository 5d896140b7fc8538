// node ask.mjs PYODIDE_FOLDER ENGINE_ZIP: a line of request texts in (a JSON list), a line of reply texts out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, archive] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({ stdout: (text) => console.error(text) });
python.unpackArchive(new Uint8Array(readFileSync(archive)), "zip", { extractDir: "/lib/paceline" });
python.runPython('import sys; sys.path.insert(0, "/lib/paceline")');
const { handle } = python.pyimport("paceline.engine");

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(JSON.parse(line).map((text) => handle(text)))}\n`);
}
