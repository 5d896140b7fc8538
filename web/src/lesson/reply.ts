/** The engine's replies as the page reads them. */

export interface Piece { readonly kind: "text" | "strong" | "code" | "hole"; readonly text: string; readonly name: string }
export interface KnobInfo { readonly name: string; readonly label: string; readonly unit: string; readonly lowest: number; readonly highest: number }
export interface StepReply {
  readonly id: string; readonly part: string; readonly title: string; readonly takeaway: string;
  readonly hints: readonly string[]; readonly question: string; readonly unit: string;
  readonly prose: readonly (readonly Piece[])[]; readonly knobs: readonly KnobInfo[];
}
export interface Meter { readonly value: number; readonly text: string }
export interface WorldReply {
  readonly clock_us: number; readonly state: "idle" | "running" | "paused" | "done"; readonly into_step_per_mille: number;
  readonly meters: Readonly<Record<string, Meter>>;
  readonly goals: readonly { readonly say: string; readonly met: boolean }[];
  readonly met: boolean; readonly unmet: string; readonly assumed: boolean;
  readonly knobs: Readonly<Record<string, number>>;
}
export interface LessonReply { readonly title: string; readonly promise: string; readonly minutes: number }
export interface Refusal { readonly given: string; readonly because: string; readonly instead: string }
