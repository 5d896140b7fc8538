/** Where everything in the picture of a few servers stands, and the lines of the ring between them. */

import type { ClusterNic, ClusterServer, ClusterView } from "../lesson/reply.ts";

export interface Row {
  readonly server: ClusterServer;
  readonly upper: boolean;
  /** Tops of the tiles and of the server's name; middles of the NVSwitch's bar and of the NICs. */
  readonly tiles: number;
  readonly head: number;
  readonly bar: number;
  readonly nics: number;
}
export interface Line { readonly key: string; readonly d: string; readonly kind: "ring" | "slow" | "used" | "unused" | "fault"; readonly arrow: boolean }
export interface Label { readonly key: string; readonly x: number; readonly y: number; readonly width: number; readonly text: string }
export interface Leaf { readonly index: number; readonly x: number; readonly width: number; readonly ringed: boolean }
export interface Plan {
  readonly wide: boolean;
  readonly left: number;
  readonly right: number;
  readonly side: number;
  readonly tall: number;
  readonly height: number;
  readonly rows: readonly Row[];
  readonly leaves: readonly Leaf[];
  readonly leafTop: number;
  readonly leafTall: number;
  readonly spine: { readonly y: number; readonly from: number; readonly to: number; readonly tall: number } | null;
  /** From GPUs to NICs, from NICs to leaves, and the ring: inside servers and between leaves first, so that cables pass over it. */
  readonly buses: readonly string[];
  readonly cables: readonly Line[];
  readonly hops: readonly Line[];
  readonly links: readonly Line[];
  readonly labels: readonly Label[];
  readonly ringed: ReadonlySet<string>;
  readonly center: (column: number) => number;
  readonly nicAt: (index: number) => number;
}

type Point = readonly [x: number, y: number];

const nicHalf = 6;
const nicGap = 10;
const barGap = 9;
const rowGap = 22;
const zone = 28;
const outsideBy = 13;

/** About how wide words are, in pixels of a text `size` high. */
export function wordsWidth(text: string, size: number): number {
  const em = [...text].reduce((sum, letter) => sum + (/[mwMW%@]/.test(letter) ? 0.88 : /[ijlftr.,:;'()/ -]/.test(letter) ? 0.34 : /[A-Z0-9]/.test(letter) ? 0.63 : 0.57), 0);
  return em * size;
}
/** The words on a tile: one line, two where they fit only so, none where they do not. */
export function noteLines(note: string, side: number): string[] {
  const fits = (text: string) => wordsWidth(text, 11) <= side - 1;
  if (note === "") return [];
  if (fits(note)) return [note];
  const cuts = [...note.matchAll(/ /g)].map(({ index }) => [note.slice(0, index), note.slice(index + 1)]);
  return cuts.filter((pair) => pair.every(fits)).sort((one, other) => spread(one) - spread(other))[0] ?? [];
}
function spread([first = "", second = ""]: string[]): number {
  return Math.abs(first.length - second.length);
}
/** How many rails there are: one leaf each. */
export function railsOf(view: ClusterView): number {
  return Math.max(0, ...view.servers.flatMap(({ nics }) => [nics.length, ...nics.map(({ index }) => index + 1)]));
}
export function columnsOf(view: ClusterView): number {
  return Math.max(1, railsOf(view), ...view.servers.map(({ tiles }) => tiles.length));
}
/** What a server's faulty NICs are and do: "NIC 5: 12.5 of 50 GB/s". */
export function nicWords(nics: readonly ClusterNic[]): string {
  const [first, ...others] = nics.filter(({ fault }) => fault);
  if (first === undefined) return "";
  const same = [first, ...others.filter(({ text }) => text === first.text)];
  const name = `NIC${same.length > 1 ? "s" : ""} ${same.map(({ index }) => index).join(", ")}`;
  return first.text === "" ? name : `${name}: ${first.text}`;
}

export function planned(view: ClusterView, width: number): Plan {
  const wide = width >= 520;
  const left = wide ? 64 : 0;
  const gap = wide ? 14 : 8;
  const beside = wide ? 4 : 2.5;
  const columns = columnsOf(view);
  const rails = railsOf(view);
  const share = columns / Math.max(1, rails);
  const pitch = Math.min((width - left) / columns, 116);
  const side = pitch - gap;
  const count = view.servers.length;
  const tall = [92, 92, 72, 56, 42][count] ?? 42;
  const uppers = Math.ceil(count / 2);
  const first = (rail: number) => Math.floor(rail * share);
  const center = (column: number) => left + pitch * column + side / 2;
  const gapAfter = (column: number) => left + pitch * (column + 1) - gap / 2;
  const nicAt = (rail: number) => (share === 2 ? gapAfter(first(rail)) : center(first(rail)));
  const lane = (rail: number) => gapAfter(first(rail) + (share === 2 ? 1 : 0));

  const places = new Map(view.servers.flatMap(({ tiles }, server) => tiles.map(({ rank }, column) => [rank, { server, column }] as const)));
  const inside = view.hops.flatMap((hop) => {
    const [from, to] = [places.get(hop.sender), places.get(hop.receiver)];
    return hop.out < 0 && from && to && from.server === to.server ? [{ ...hop, server: from.server, from: from.column, to: to.column }] : [];
  });
  const across = view.hops.flatMap((hop) => {
    const [from, to] = [places.get(hop.sender), places.get(hop.receiver)];
    return hop.out >= 0 && hop.into >= 0 && (from || to) ? [{ ...hop, from, to }] : [];
  });
  // Which way the ring runs in each server; a hop that does not go to the next GPU that way takes a level of its own.
  const ways = view.servers.map((_, server) => (inside.filter((hop) => hop.server === server).reduce((sum, hop) => sum + Math.sign(hop.to - hop.from) * (Math.abs(hop.to - hop.from) === 1 ? 1 : 0), 0) < 0 ? -1 : 1));
  const outside = (hop: { server: number; from: number; to: number }) => hop.to - hop.from !== ways[hop.server];
  const crossing = across.filter((hop) => hop.out !== hop.into);

  let y = wide && count > 1 ? 20 : 2;
  let leafTop = 0;
  const leafTall = 24;
  const rows: Row[] = view.servers.map((server, index) => {
    const upper = index < uppers;
    const more = (wide ? 0 : 16) + (inside.some((hop) => hop.server === index && outside(hop)) ? outsideBy : 0);
    if (index === uppers) {
      leafTop = y + zone;
      y = leafTop + leafTall + (crossing.length > 0 ? 10 + 7 * crossing.length + 22 : zone);
    } else if (index > 0) y += rowGap;
    const start = y;
    y += tall + nicGap + 2 * nicHalf + barGap + 6 + more;
    if (upper) return { server, upper, head: start + 12, bar: start + more + 3, tiles: start + more + 6 + barGap, nics: y - nicHalf };
    return { server, upper, head: y - 3, bar: start + 2 * nicHalf + nicGap + tall + barGap + 3, tiles: start + 2 * nicHalf + nicGap, nics: start + nicHalf };
  });

  const down = (row: Row) => (row.upper ? 1 : -1);
  const inner = (server: number) => server === uppers - 1 || server === uppers;
  const barEdge = (row: Row) => (row.upper ? row.tiles : row.tiles + tall);
  const nicEdge = (row: Row) => (row.upper ? row.tiles + tall : row.tiles);
  const leafEdge = (row: Row) => (row.upper ? leafTop : leafTop + leafTall);
  const faulty = (server: number | undefined, rail: number) => view.servers[server ?? -1]?.nics.some((nic) => nic.index === rail && nic.fault) ?? false;
  const ringed = new Set(across.flatMap((hop) => [hop.from ? `${hop.from.server}:${hop.out}` : "", hop.to ? `${hop.to.server}:${hop.into}` : ""]));
  // A NIC by which the ring both leaves and enters shows two lines side by side.
  const both = (server: number, rail: number) => across.some((hop) => hop.from?.server === server && hop.out === rail) && across.some((hop) => hop.to?.server === server && hop.into === rail);

  function cable(server: number, row: Row, rail: number, off: number): Point[] {
    const x = nicAt(rail);
    if (inner(server)) return [[x + off, row.nics + down(row) * nicHalf], [x + off, leafEdge(row)]];
    const level = row.nics - down(row) * off;
    return [[x + nicHalf, level], [lane(rail) + off, level], [lane(rail) + off, leafEdge(row)]];
  }
  function stub(row: Row, column: number, rail: number, off: number): Point[] {
    const [x, edge] = [nicAt(rail) + off, nicEdge(row)];
    if (Math.abs(center(column) - nicAt(rail)) < 1) return [[x, edge], [x, row.nics]];
    const track = edge + (down(row) * nicGap) / 2;
    return [[center(column), edge], [center(column), track], [x, track], [x, row.nics]];
  }

  const hops = inside.flatMap((hop): Line[] => {
    const row = rows[hop.server];
    const way = ways[hop.server] ?? 1;
    if (row === undefined) return [];
    const [from, to] = [center(hop.from) + 7 * way, center(hop.to) - 7 * way];
    const level = outside(hop) ? row.bar - down(row) * outsideBy : row.bar;
    const key = `${hop.sender}`;
    const over: Point[] = [[from, level], [to, level]];
    if (hop.slow) return [{ key, kind: "slow", arrow: true, d: drawn([[from, barEdge(row)], ...over, [to, barEdge(row)]], 1) }];
    const middle = (from + to) / 2;
    const head = Math.sign(to - from) * 5;
    return [
      { key, kind: "ring", arrow: false, d: drawn([[from, barEdge(row)], ...over, [to, barEdge(row)]]) },
      { key: `${key}>`, kind: "ring", arrow: true, d: drawn([[middle - head / 5, level], [middle + head, level]]) },
    ];
  });

  const links = across.flatMap((hop): Line[] => {
    const lines: Line[] = [];
    const ends = [faulty(hop.from?.server, hop.out), faulty(hop.to?.server, hop.into)];
    const kind = (bad: boolean) => (hop.slow || bad ? "slow" : "ring");
    const zigzag = (bad: boolean) => bad || (hop.slow && !ends.includes(true));
    const [outBad = false, intoBad = false] = ends;
    const [sends, takes] = [rows[hop.from?.server ?? -1], rows[hop.to?.server ?? -1]];
    if (hop.from && sends) {
      const off = both(hop.from.server, hop.out) ? beside + (outBad ? 1.5 : 0) : 0;
      const points = [...stub(sends, hop.from.column, hop.out, off), ...cable(hop.from.server, sends, hop.out, off)];
      lines.push({ key: `${hop.sender}out`, kind: kind(outBad), arrow: true, d: drawn(points, zigzag(outBad) ? points.length - 2 : -1, off === 0 ? 4 : 2.5) });
    }
    if (hop.to && takes) {
      const off = both(hop.to.server, hop.into) ? -beside - (intoBad ? 1.5 : 0) : 0;
      const wire = cable(hop.to.server, takes, hop.into, off).reverse();
      lines.push({ key: `${hop.sender}into`, kind: kind(intoBad), arrow: true, d: drawn(wire, zigzag(intoBad) ? 0 : -1, off === 0 ? 4 : 2.5) });
      lines.push({ key: `${hop.sender}in`, kind: kind(intoBad), arrow: false, d: drawn(stub(takes, hop.to.column, hop.into, off)) });
    }
    return lines;
  });

  const overs = crossing.flatMap((hop, index): Line[] => {
    const [level, foot] = [leafTop + leafTall + 10 + 7 * index, leafTop + leafTall];
    const [from, to] = [(nicAt(hop.out) + lane(hop.out)) / 2, (nicAt(hop.into) + lane(hop.into)) / 2];
    const head = from + ((to - from) * (index + 1)) / (crossing.length + 1);
    const kind = hop.slow ? "slow" : "ring";
    return [
      { key: `${hop.sender}over`, kind, arrow: false, d: drawn([[from, foot], [from, level], [to, level], [to, foot]]) },
      { key: `${hop.sender}over>`, kind, arrow: true, d: drawn([[head - Math.sign(to - from), level], [head + 5 * Math.sign(to - from), level]]) },
    ];
  });

  const cables = count < 2 ? [] : rows.flatMap((row, server) => row.server.nics.flatMap((nic): Line[] => {
    if (ringed.has(`${server}:${nic.index}`)) return [];
    const points = cable(server, row, nic.index, 0);
    return [{ key: `${server}:${nic.index}`, kind: nic.fault ? "fault" : nic.used ? "used" : "unused", arrow: false, d: drawn(points, nic.fault ? points.length - 2 : -1) }];
  }));
  const buses = rows.flatMap((row) => row.server.tiles.flatMap((_, column) => {
    const nic = row.server.nics.find(({ index }) => index === Math.floor((column + 0.001) / share));
    return nic === undefined ? [] : [drawn(stub(row, column, nic.index, 0))];
  }));

  const labels = rows.flatMap((row, server): Label[] => {
    const words = nicWords(row.server.nics);
    const nic = row.server.nics.find(({ fault }) => fault);
    if (nic === undefined) return [];
    const text = wide ? `${row.server.name} ${words}` : words;
    const room = Math.ceil(wordsWidth(text, wide ? 12 : 10.6)) + (wide ? 26 : 20);
    const at = (rail: number) => (inner(server) && count > 1 ? nicAt(rail) : lane(rail));
    const x = at(nic.index);
    // The words stand beside the cable where they cover the fewest broken cables and lines of the ring.
    const taken = [...ringed].flatMap((key) => {
      const [other = -1, rail = -1] = key.split(":").map(Number);
      if (rows[other]?.upper !== row.upper || (other !== server && inner(other))) return [];
      return [other === server ? at(rail) : lane(rail)];
    });
    const broken = row.server.nics.filter(({ fault }) => fault).map(({ index }) => at(index));
    const lines = [...broken, ...broken, ...taken];
    const covered = (from: number) => lines.filter((line) => line > from - 4 && line < from + room + 4).length;
    const starts = lines.flatMap((line) => [line + 11, line - 11 - room]).filter((from) => from >= 0 && from + room <= width);
    const from = starts.sort((one, other) => covered(one) - covered(other))[0] ?? Math.max(0, Math.min(x + 11, width - room));
    return [{ key: `${server}`, x: from, y: row.nics + down(row) * (nicHalf + 11) - 9, width: room, text }];
  });

  const leaves = count < 2 ? [] : Array.from({ length: rails }, (_, index): Leaf => ({
    index,
    x: left + pitch * first(index),
    width: pitch * (share === 2 ? 2 : 1) - 3,
    ringed: across.some((hop) => hop.out === index || hop.into === index),
  }));
  const spine = crossing.length > 0 ? { y: leafTop + leafTall + 7, from: left, to: left + pitch * columns - 3, tall: 7 * crossing.length - 1 } : null;
  const height = y + (count === 1 && labels.length > 0 ? 24 : 4);

  return { wide, left, right: left + pitch * columns - gap, side, tall, height, rows, leaves, leafTop, leafTall, spine, buses, cables, hops: [...hops, ...overs], links, labels, ringed, center, nicAt };
}

/** A path along the points; the piece that starts at point `zigzag` is drawn as a broken cable. */
function drawn(points: readonly Point[], zigzag = -1, swing = 4): string {
  return points.map(([x, y], index) => {
    const before = points[index - 1];
    if (before === undefined) return `M${x} ${y}`;
    return (index - 1 === zigzag ? teeth(before, [x, y], swing) : "") + `L${x} ${y}`;
  }).join("");
}
function teeth([x1, y1]: Point, [x2, y2]: Point, swing: number): string {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const ends = Math.min(10, length / 5);
  const count = Math.max(3, Math.round((length - 2 * ends) / 5));
  return Array.from({ length: count }, (_, tooth) => {
    const along = ends / 2 + ((length - 1.5 * ends) * (tooth + 0.5)) / count;
    const out = tooth % 2 ? -swing : swing;
    return `L${x1 + ux * along - uy * out} ${y1 + uy * along + ux * out}`;
  }).join("");
}
