/** How far the engine is. `failed` carries a sentence a person can act on; `retry` starts again. */
export type Stage =
  | { readonly name: "idle" }
  | { readonly name: "loading"; readonly bytes: number; readonly total: number }
  | { readonly name: "starting" }
  | { readonly name: "ready" }
  | { readonly name: "failed"; readonly sentence: string; readonly detail: string };

export type ToWorker =
  | { readonly kind: "boot"; readonly base: string }
  | { readonly kind: "handle"; readonly id: number; readonly text: string };

export type FromWorker =
  | { readonly kind: "stage"; readonly stage: Stage }
  | { readonly kind: "reply"; readonly id: number; readonly text: string }
  | { readonly kind: "broken"; readonly id: number; readonly detail: string };

/** What the client needs of a Worker, so that its tests can stand one in. */
export type WorkerLike = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;
