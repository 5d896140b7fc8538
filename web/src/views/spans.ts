/** What the pictures over a time axis share: fills by meaning, an estimate of a text's width, and ticks that keep clear of each other. */

import type { Moment, SpanKind } from "../lesson/reply.ts";

export const FILLS: Record<SpanKind, string> = {
  forward: "f-soft", backward: "f-compute", wait: "f-wait", optimizer: "f-optim", hidden: "f-hidden", exposed: "f-exposed",
};

/** At most this wide in IBM Plex Sans; `size` in pixels. */
export function wide(text: string, size = 12): number {
  return text.length * size * 0.57;
}

/** Room between neighbours so that they read as two, less where they are thin. */
export function drawn(from: number, to: number): number {
  return Math.max(1.5, to - from - Math.min(1, (to - from) * 0.15));
}

export interface Tick { readonly x: number; readonly text: string }
/** Every tick keeps its line; words stand at even strides where they are inside, and none where something else is at `taken`. */
export function ticked(ticks: readonly Moment[], place: (us: number) => number, end: number, taken = -100): Tick[] {
  const boxes = ticks.map(({ at_us, text }) => ({ x: place(at_us), to: place(at_us) + 4 + wide(text, 11), text }));
  const strides = boxes.map((_, index) => index + 1);
  const stride = strides.find((each) => boxes.every((box, index) => index % each !== 0 || box.to + 4 <= (boxes[index + each]?.x ?? Infinity))) ?? 1;
  return boxes.map(({ x, to, text }, index) => ({ x, text: index % stride === 0 && to <= end && (taken < x - 2 || taken > to + 2) ? text : "" }));
}
