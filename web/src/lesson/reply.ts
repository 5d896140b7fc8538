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
  readonly kind: "range" | "stops" | "switch" | "choice";
  readonly lowest: number;
  readonly highest: number;
  /** Of kind "stops": the values the slider offers; the number box takes any. */
  readonly stops: readonly number[];
  /** Of a switch: the words for 0 and 1; of a choice: the words for each value from `lowest` on. */
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
  /** "clock": time passes while it plays. "moves": it goes from move to move. "run": it is run at once. "none": neither. */
  readonly play: "clock" | "moves" | "run" | "none";
  /** How many seeds have recorded openings; 0 where nothing is drawn. */
  readonly seeds: number;
  readonly start_label: string;
  readonly speeds: readonly Speed[];
  /** The speed it opens with. */
  readonly speed: number;
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

export type ViewName = "pod" | "ring" | "replicas" | "cluster" | "timeline" | "ranks" | "scaling" | "sweep" | "memory" | "code" | "drill";
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

/** A place on a time axis with its words. */
export interface Moment { readonly at_us: number; readonly text: string }
/** A bar with the words that stand in or under it: "Forward", "Fwd" where there is less room, and its length. */
export interface Block extends Span { readonly label: string; readonly short: string; readonly text: string }
export interface Rung {
  readonly label: string;
  readonly small: string;
  readonly bars: readonly Span[];
  readonly text: string;
  readonly efficiency: string;
  readonly here: boolean;
}
/** The same job at every batch: a bar a batch, time per sequence on one axis; `alone` is one GPU on its own. */
export interface Ladder { readonly title: string; readonly unit: string; readonly length_us: number; readonly rungs: readonly Rung[]; readonly alone: Moment | null }
/** One rank's two streams over one step. */
export interface TimelineView {
  readonly claim: string;
  readonly claim_words: string;
  readonly title: string;
  readonly length_us: number;
  readonly ticks: readonly Moment[];
  readonly compute: readonly Block[];
  /** One span a bucket, hidden or exposed (a bucket that straddles the backward's end is two). */
  readonly comm: readonly Span[];
  /** Words under the hidden part, such as "hidden: 15.7 ms in 12 buckets"; empty without communication. */
  readonly hidden_text: string;
  /** What the step waits for; its text is the claim's words beside the bracket. */
  readonly exposed: { readonly start_us: number; readonly end_us: number; readonly text: string } | null;
  /** Places to name under the lanes: where the backward ends, the last bucket. */
  readonly notes: readonly Moment[];
  readonly ladder: Ladder | null;
  readonly words: string;
  readonly lines: readonly string[];
  readonly twin: Table;
}
/** All ranks under each other: rows fold to the slowest, the fastest and one a server; `waits` keeps every rank. */
export interface RankRow {
  readonly rank: number;
  /** "dgx-2" on the first row of a server, else "". */
  readonly host: string;
  readonly spans: readonly Span[];
  readonly waits: string;
  /** Why it is slow, such as "70% clock: it computes while 31 wait"; empty for a healthy rank. */
  readonly fault: string;
}
export interface RanksView {
  readonly claim: string;
  readonly claim_words: string;
  readonly title: string;
  readonly length_us: number;
  readonly ticks: readonly Moment[];
  readonly rows: readonly RankRow[];
  /** "22 more ranks look like rank 0." or "". */
  readonly more: string;
  /** Every rank's wait in thousandths of the longest one of any rank. */
  readonly waits: readonly { readonly rank: number; readonly height: number; readonly fault: boolean }[];
  readonly waits_text: string;
  readonly words: string;
  readonly twin: Table;
}

/** Where a step's time goes: the work itself, and each loss by its name. */
export type ShareKind = "compute" | "kernels" | "contention" | "exposed" | "wait" | "optimizer";
export interface ScalingPoint {
  readonly n: number;
  readonly text: string;
  /** Thousandths of the common axis of N, of the throughput's log axis, of 100 %. */
  readonly x: number;
  readonly throughput: number;
  readonly ideal: number;
  readonly efficiency: number;
  /** Parts of the step in thousandths, in drawing order from the foot; they add up to 1000. */
  readonly shares: readonly { readonly kind: ShareKind; readonly share: number }[];
  /** "91.8%" and "the optimizer, 4.1%": its efficiency and its largest loss. */
  readonly efficiency_text: string;
  readonly largest: string;
  readonly here: boolean;
}
/** A place on the axis of N with its words. */
export interface Place { readonly x: number; readonly text: string; readonly words: string }
export interface ScalingView {
  readonly claim: string;
  readonly claim_words: string;
  readonly points: readonly ScalingPoint[];
  readonly throughput_ticks: readonly Stop[];
  /** The line of 90 % in thousandths of the efficiency axis. */
  readonly good: Stop;
  /** Below 90 % from here on; exposed from here on; no sequence is left from here on. Null where not in sight. */
  readonly knee: Place | null;
  readonly exposed_from: Place | null;
  readonly cap: Place | null;
  /** What the learner has marked. */
  readonly marks: readonly Place[];
  /** Names of the kinds of share that occur, in drawing order. */
  readonly names: readonly { readonly kind: ShareKind; readonly text: string }[];
  readonly words: string;
  readonly lines: readonly string[];
  readonly twin: Table;
}

export type MemoryKind = "weights" | "gradients" | "optimizer" | "activations" | "context" | "free";
export interface MemoryBar {
  readonly label: string;
  readonly blocks: readonly { readonly kind: MemoryKind; readonly name: string; readonly start: number; readonly end: number }[];
  readonly total: string;
  /** "51 GB free", or "39.9 GB over: out of memory". */
  readonly rest: string;
  readonly over: boolean;
  readonly here: boolean;
}
/** The memory bill of one GPU beside the model the lesson began with; places in thousandths of the axis. */
export interface MemoryView {
  readonly claim: string;
  readonly claim_words: string;
  readonly bars: readonly MemoryBar[];
  readonly limit: Stop;
  readonly ticks: readonly Stop[];
  /** In the order of the bar. `values` stand under `columns`; `divided` says what N GPUs change: "no", or by what. */
  readonly columns: readonly string[];
  readonly bill: readonly { readonly kind: MemoryKind; readonly name: string; readonly how: string; readonly values: readonly string[]; readonly divided: string }[];
  readonly sum: { readonly values: readonly string[]; readonly divided: string };
  /** What PyTorch prints when it does not fit; empty when it does. */
  readonly error: string;
  readonly words: string;
  readonly twin: Table;
}

/** The script, its lines with what each does in the pod, and which process computes where. */
export interface CodeView {
  readonly claim: string;
  readonly claim_words: string;
  readonly file: string;
  readonly text: string;
  /** Per line of the text, from 1: what it does in the pod; "" where it has no effect of its own. */
  readonly effects: readonly string[];
  readonly chosen: number;
  /** Lines that an edit changed, with what stood there before. */
  readonly changed: readonly { readonly line: number; readonly was: string }[];
  /** Each process: its rank, the GPU it computes on (-1: on none), the sequences it takes, and whether the chosen line or the edit is about it. */
  readonly processes: readonly { readonly rank: number; readonly gpu: number; readonly text: string; readonly lit: boolean; readonly moved: boolean }[];
  /** What the edit leads to, in one sentence; empty for the script as it is. */
  readonly consequence: string;
  /** The error it ends with, as the terminal prints it; often empty. */
  readonly error: string;
  readonly words: string;
  readonly twin: Table;
}

/** Up to four servers with GPUs, NICs, leaves (one a rail) and the path of one ring. */
export interface ClusterTile {
  readonly rank: number;
  readonly state: "idle" | "working" | "waiting" | "held" | "done" | "refused";
  /** Short words on the tile, such as "29 GB" or "70% clock"; often "". */
  readonly note: string;
  readonly fault: boolean;
}
export interface ClusterNic {
  /** Its rail, from 0; NICs stand under the GPUs they serve. */
  readonly index: number;
  readonly used: boolean;
  readonly fault: boolean;
  /** Only of a faulty one: "12.5 of 50 GB/s". */
  readonly text: string;
}
export interface ClusterServer { readonly name: string; readonly tiles: readonly ClusterTile[]; readonly nics: readonly ClusterNic[] }
/** A hop of the ring. Over the network `out` and `into` are the NICs of the two servers; over NVLink they are -1. */
export interface ClusterHop { readonly sender: number; readonly receiver: number; readonly out: number; readonly into: number; readonly slow: boolean }
export interface ClusterView {
  readonly claim: string;
  readonly claim_words: string;
  readonly servers: readonly ClusterServer[];
  /** "and 4 more servers" or "". */
  readonly more: string;
  readonly hops: readonly ClusterHop[];
  /** The two tiers a ring passes with their speeds, and which one limits it. */
  readonly tiers: readonly { readonly name: string; readonly text: string; readonly limits: boolean }[];
  /** What the batch does here: "256 sequences: 8 to a GPU, 8 at a time"; or "". */
  readonly batch: string;
  readonly words: string;
  readonly twin: Table;
}

/** A drill: one question with its givens, the answer box, and after an answer the working. */
export interface DrillView {
  readonly claim: string;
  readonly claim_words: string;
  readonly question: string;
  readonly givens: readonly { readonly name: string; readonly text: string }[];
  /** The unit to answer in; another unit of the same kind may be typed. */
  readonly unit: string;
  readonly tolerance: string;
  readonly round: number;
  readonly rounds: number;
  /** The answer before this question: what was asked, what was said, what is right, and the working line by line. */
  readonly last: { readonly question: string; readonly you: string; readonly right: string; readonly met: boolean; readonly words: string; readonly working: readonly string[] } | null;
  readonly words: string;
  readonly twin: Table;
}

/** act: anything */
export interface WorldReply {
  readonly clock_us: number;
  readonly state: "idle" | "running" | "paused" | "done" | "failed";
  readonly meters: Readonly<Record<string, Meter>>;
  readonly goals: readonly GoalState[];
  readonly met: boolean;
  readonly hints: readonly Hint[];
  readonly holes: Readonly<Record<string, string>>;
  readonly knobs: Readonly<Record<string, KnobState>>;
  readonly views: { readonly pod?: PodView; readonly ring?: RingView; readonly replicas?: ReplicasView; readonly cluster?: ClusterView; readonly timeline?: TimelineView; readonly ranks?: RanksView; readonly scaling?: ScalingView; readonly sweep?: ScalingView; readonly memory?: MemoryView; readonly code?: CodeView; readonly drill?: DrillView };
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
