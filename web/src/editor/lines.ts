/** A script's lines as both ways of showing it draw them: the editor, and the list that stands in for it. */

import type { CodeView } from "../lesson/reply.ts";

export interface Line {
  readonly number: number;
  readonly text: string;
  /** What stood here before the edit; null where nothing changed. */
  readonly was: string | null;
  /** Of `has` (an effect in the pod), `changed` and `chosen` those that hold. */
  readonly classes: string;
  /** How far a wrapped line's second row goes in, so that it stays under its own text. */
  readonly hang: string;
}

export function linesOf(view: CodeView, chosen: number): readonly Line[] {
  const was = new Map(view.changed.map((change) => [change.line, change.was]));
  return view.text.split("\n").map((text, index) => {
    const number = index + 1;
    const holds = { has: view.effects[index] !== "" && view.effects[index] !== undefined, changed: was.has(number), chosen: number === chosen };
    const classes = Object.entries(holds).filter(([, does]) => does).map(([name]) => name).join(" ");
    return { number, text, was: was.get(number) ?? null, classes, hang: hangOf(text) };
  });
}

export function hangOf(text: string): string {
  return `${Math.min(24, text.length - text.trimStart().length)}ch`;
}

/** Where to scroll so that a row is in sight with one row to spare; a row already in sight moves nothing. */
export function scrolledTo(row: { readonly top: number; readonly bottom: number }, scroll: number, height: number): number {
  const spare = 20;
  return Math.max(0, Math.min(row.top - spare, Math.max(scroll, row.bottom + spare - height)));
}
