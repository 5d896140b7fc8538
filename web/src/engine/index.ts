/** The page's one engine: a worker of this bundle, and the replies recorded when it was built. */

import { append } from "../lesson/log.ts";
import { Engine } from "./client.ts";

export type { Request, Value } from "./canonical.ts";
export { EngineError, type Answer, type Reply } from "./job.ts";
export type { Stage } from "./protocol.ts";
export type { World } from "./world.ts";

const base = new URL(".", document.baseURI).href;

/** Without the recorded replies the page only waits for Python, so their loss is no failure. */
async function loadBaked(name: string): Promise<ReadonlyMap<string, string>> {
  try {
    const response = await fetch(new URL(name, base));
    const baked = (await response.json()) as { replies: Record<string, string> };
    return new Map(Object.entries(baked.replies));
  } catch {
    return new Map();
  }
}

export const engine = new Engine({
  base,
  spawn: () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }),
  baked: loadBaked("baked.json"),
  remember: append,
});

const prepared = new Set<string>();

/** Loads the recorded replies of a step, once; what waits for one of them is then answered. */
export function prepare(step: string): void {
  if (!/^[a-z][a-z0-9-]*$/.test(step) || step === "glossary" || prepared.has(step)) return;
  prepared.add(step);
  void loadBaked(`baked-${step}.json`).then((replies) => engine.know(replies));
}
