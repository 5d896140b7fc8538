/** The engine's replies as the page reads them. Every text was made in Python; numbers are positions, ids or clocks. */

import type { Request } from "../engine/index.ts";

/** The six meanings; a hole that stands for one takes its colour. */
export type Tone = "" | "compute" | "hidden" | "exposed" | "wait" | "optimizer" | "fault";

/** `hole`: `name` is a key of WorldReply.holes. `touch`: `name` is a knob. `term`: `name` is a glossary entry. */
export interface Piece {
  readonly kind: "text" | "strong" | "code" | "term" | "hole" | "touch";
  readonly text: string;
  readonly name: string;
  readonly tone: Tone;
}
/** A `sum` is arithmetic on a line of its own. */
export interface Paragraph { readonly kind: "text" | "sum"; readonly pieces: readonly Piece[] }

export interface StepTitle {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly short: string;
  readonly takeaway: string;
  /** Announced, and not written yet: shown, but no link. */
  readonly to_come: boolean;
}
export interface Part { readonly number: number; readonly title: string; readonly minutes: number; readonly steps: readonly StepTitle[] }

/** The front page's pod: the same 32 GPUs with one hot, and all well. */
export interface Hero {
  readonly hot_rank: number;
  readonly hot_place: string;
  /** What the hot tile says, such as "70% clock". */
  readonly hot_text: string;
  readonly hot: HeroState;
  readonly well: HeroState;
}
/** `wait_per_mille`: the share of a step for which the other GPUs wait. */
export interface HeroState { readonly step: string; readonly words: string; readonly wait_per_mille: number }

/** ask: lesson */
export interface LessonReply {
  readonly title: string;
  readonly promise: string;
  /** "An interactive AI-infrastructure lesson, ..." */
  readonly kicker: string;
  readonly minutes: number;
  readonly headline: string;
  readonly team: readonly Paragraph[];
  readonly parts: readonly Part[];
  readonly hero: Hero;
  readonly glossary: Readonly<Record<string, string>>;
}

/** A place on a scale is in thousandths of its length, from the left. */
export interface Stop { readonly at: number; readonly text: string }
export interface Question {
  readonly kind: "number" | "choice";
  readonly question: string;
  /** Of a number. `stops` are what the slider can be put to, `text` being what it then writes into the box. */
  readonly unit: string;
  readonly stops: readonly Stop[];
  /** Of a choice. */
  readonly options: readonly string[];
}
/** ask: predict, with step, question (its index) and guess (a text: the number, or the option's index) */
export interface PredictReply {
  readonly you: string;
  readonly run: string;
  /** "2.0 times too long", "within a tenth", or why the option is wrong. */
  readonly words: string;
  readonly right: boolean;
  readonly you_at: number;
  readonly run_at: number;
  /** Of a choice: the index of the option that the run bears out. */
  readonly answer: number;
}

export interface KnobInfo {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly kind: "range" | "stops" | "switch";
  readonly lowest: number;
  readonly highest: number;
  /** Of kind "stops": the values the slider offers; the number box takes any. */
  readonly stops: readonly number[];
  /** Of a switch: the words for 0 and 1. */
  readonly words: readonly string[];
  /** Shown only under "go further". */
  readonly further: boolean;
}
/** A push button beside the knobs, such as broadcasting the weights. */
export interface ButtonInfo { readonly label: string; readonly action: Request }
export interface Try { readonly label: string; readonly actions: readonly Request[] }
export interface SolutionLine { readonly say: string; readonly action: Request }
export interface Speed { readonly text: string; readonly factor: number }
export interface MeterInfo { readonly name: string; readonly label: string }
/** The learner's own code of the ring: the text to start from. */
export interface CodeInfo { readonly name: string; readonly starter: string; readonly words: string }

/** ask: step */
export interface StepReply {
  readonly id: string;
  readonly number: number;
  readonly of: number;
  readonly part: string;
  readonly title: string;
  readonly takeaway: string;
  /** Names of views, the first one is open. */
  readonly views: readonly ViewName[];
  readonly opening: readonly Paragraph[];
  readonly doing: readonly Paragraph[];
  readonly watch: readonly Paragraph[];
  readonly why: readonly Paragraph[];
  readonly further: readonly Paragraph[];
  readonly questions: readonly Question[];
  readonly knobs: readonly KnobInfo[];
  readonly buttons: readonly ButtonInfo[];
  readonly tries: readonly Try[];
  readonly solution: readonly SolutionLine[];
  readonly meters: readonly MeterInfo[];
  /** The meter to look at. */
  readonly watched: string;
  /** "clock": time passes while it plays. "moves": it goes from move to move. */
  readonly play: "clock" | "moves";
  readonly start_label: string;
  readonly speeds: readonly Speed[];
  readonly code: CodeInfo | null;
}

export interface Meter { readonly text: string; readonly was: string }
export interface KnobState { readonly value: number; readonly text: string }
export interface GoalState { readonly say: string; readonly met: boolean; readonly missing: string }
export interface Hint { readonly tier: "Nudge" | "Formula" | "Value"; readonly say: string }

export type SpanKind = "forward" | "backward" | "wait" | "optimizer" | "hidden" | "exposed";
export interface Span { readonly kind: SpanKind; readonly name: string; readonly start_us: number; readonly end_us: number }
/** One step of the job in miniature: what each stream of rank 0 does. */
export interface Lanes { readonly length_us: number; readonly compute: readonly Span[]; readonly comm: readonly Span[] }

export interface Table { readonly caption: string; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }

export type ViewName = "pod" | "ring" | "replicas";
export interface Tile {
  readonly rank: number;
  readonly state: "idle" | "working" | "held" | "done";
  /** "29 GB", and how full the GPU's memory is. */
  readonly memory: string;
  readonly memory_per_mille: number;
  readonly sequences: number;
}
export interface Hop { readonly sender: number; readonly receiver: number; readonly slow: boolean; readonly text: string }
export interface PodView {
  /** The one large number and what it is: "5.95 s", "a step". */
  readonly claim: string;
  readonly claim_words: string;
  readonly server: string;
  readonly tiles: readonly Tile[];
  /** The global batch in micro-batches, dealt out in order: how many each working GPU gets, and how large they are. */
  readonly batch: { readonly sequences: number; readonly micro_batch: number; readonly micro_batches: number; readonly words: string } | null;
  readonly hops: readonly Hop[];
  readonly words: string;
  readonly twin: Table;
}

/** A cell of the ring's grid; masks have bit r for rank r. `arrived` came in this move, `twice` is counted twice. */
export interface RingCell { readonly has: number; readonly arrived: number; readonly twice: number; readonly count: number; readonly complete: boolean }
export interface RingArrow { readonly sender: number; readonly receiver: number; readonly chunk: number }
export interface RingView {
  readonly claim: string;
  readonly claim_words: string;
  readonly world_size: number;
  /** Whether the grid is drawn (N up to 8); `cells` is [chunk][rank]. */
  readonly drawn: boolean;
  readonly cells: readonly (readonly RingCell[])[];
  /** The arrows of the move just done; none at the start. */
  readonly arrows: readonly RingArrow[];
  readonly move: number;
  readonly moves: number;
  readonly phase: "start" | "reduce-scatter" | "all-gather" | "complete" | "wrong";
  /** Bytes sent per GPU over the buffer, so far and in the end. */
  readonly sent: string;
  readonly sent_in_the_end: string;
  /** 2(N-1)/N against N: points in thousandths of the plot, from the lower left. */
  readonly curve: readonly { readonly x: number; readonly y: number; readonly text: string; readonly here: boolean }[];
  readonly curve_top: string;
  /** The sender of the slowed hop, or -1; its words, such as "GPU 3 to GPU 4: 225 GB/s of 450". */
  readonly slow_sender: number;
  readonly slow_text: string;
  readonly words: string;
  /** This move, a line a GPU. */
  readonly lines: readonly string[];
  readonly twin: Table;
}

/** `group` is 0 for the first checksum seen from rank 0 on, 1 for the next other one, and so on. */
export interface Replica { readonly rank: number; readonly checksum: string; readonly loss: string; readonly group: number }
/** A point of the history; `losses` has one height per rank, `gap` is the largest difference of a weight. All in thousandths. */
export interface HistoryPoint { readonly x: number; readonly step: number; readonly losses: readonly number[]; readonly gap: number }
export interface ReplicasView {
  readonly claim: string;
  readonly claim_words: string;
  readonly replicas: readonly Replica[];
  readonly averaging: boolean;
  readonly history: readonly HistoryPoint[];
  /** Spans of the x axis (thousandths) without averaging, and the points where weights were broadcast. */
  readonly without: readonly { readonly start: number; readonly end: number }[];
  readonly broadcasts: readonly number[];
  readonly loss_top: string;
  readonly gap_top: string;
  readonly step_end: string;
  readonly words: string;
  readonly twin: Table;
}

/** act: anything */
export interface WorldReply {
  readonly clock_us: number;
  readonly state: "idle" | "running" | "paused" | "done";
  readonly meters: Readonly<Record<string, Meter>>;
  readonly goals: readonly GoalState[];
  readonly met: boolean;
  readonly hints: readonly Hint[];
  readonly holes: Readonly<Record<string, string>>;
  readonly knobs: Readonly<Record<string, KnobState>>;
  readonly views: { readonly pod?: PodView; readonly ring?: RingView; readonly replicas?: ReplicasView };
  /** Of play "clock": one step's length, how far into it the world is, and where its steps are (null: no such picture). */
  readonly step_us: number;
  readonly into_step_us: number;
  readonly lanes: Lanes | null;
  /** Of play "moves": where it is and how many there are. */
  readonly move: number;
  readonly moves: number;
  /** One sentence where something is assumed rather than simulated; often empty. */
  readonly note: string;
}
export interface Refusal { readonly given: string; readonly because: string; readonly instead: string }
