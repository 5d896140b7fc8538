import { untrack } from "svelte";
import type { RingCell, RingView } from "../lesson/reply.ts";

export type RingCells = readonly (readonly RingCell[])[];

/** What moves in a ring's picture: packets on their way after a step forward, then the segments they bring. */
export class Flight {
  /** The grid as it was, while packets travel; null at rest. */
  before = $state.raw<RingCells | null>(null);
  landed = $state(false);

  constructor(view: () => RingView) {
    let last = untrack(view);
    let timer = 0;
    $effect.pre(() => {
      const now = view();
      const forward = now.move === last.move + 1 && now.world_size === last.world_size && now.arrows.length > 0;
      if (now.move !== last.move || now.world_size !== last.world_size) {
        clearTimeout(timer);
        const length = milliseconds("--m-move");
        this.landed = false;
        this.before = forward && length > 0 ? last.cells : null;
        if (this.before !== null) {
          timer = window.setTimeout(() => {
            this.before = null;
            this.landed = true;
          }, length);
        }
      }
      last = now;
    });
    $effect(() => () => clearTimeout(timer));
  }
}

// The token is 0ms under reduced motion. Built CSS may say .32s instead.
function milliseconds(token: string): number {
  const text = getComputedStyle(document.documentElement).getPropertyValue(token).trim();
  return Number.parseFloat(text) * (text.endsWith("ms") ? 1 : 1000);
}
