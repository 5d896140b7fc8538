export interface ToLearner { readonly base: string; readonly code: string; readonly ranks: number }

export type FromLearner =
  | { readonly kind: "ready" }
  | { readonly kind: "failed" }
  | { readonly kind: "words"; readonly words: string }
  | { readonly kind: "chunks"; readonly chunks: number[][] };
