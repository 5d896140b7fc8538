/** Addresses of the page: a hash that names a step and its exact state. Nothing of it is ever run or shown as HTML. */

import { Cell } from "./engine/cell.ts";

export interface Route {
  /** A step's id; "" is the front page, "glossary" the glossary. */
  readonly step: string;
  readonly log: string;
  readonly seed: number;
  /** The open view; "" is the step's first. */
  readonly view: string;
}

const HOME: Route = { step: "", log: "", seed: 0, view: "" };
/** What no step is called: the page says that there is none. */
const NOWHERE: Route = { ...HOME, step: "?" };
const LONGEST_LOG = 200_000;
const LARGEST_SEED = 2 ** 32 - 1;

/** The route a hash says; one that says none leads nowhere. */
export function parse(hash: string): Route {
  const found = /^#\/([a-z0-9-]{1,60})?(?:\?(.*))?$/s.exec(hash);
  if (found === null) return hash === "" || hash === "#" ? HOME : NOWHERE;
  // URLSearchParams never throws: a malformed escape stays as it is.
  const query = new URLSearchParams(found[2] ?? "");
  const log = query.get("log") ?? "";
  const seed = Number(query.get("seed") ?? "0");
  return {
    step: found[1] ?? "",
    log: log.length <= LONGEST_LOG ? log : "",
    seed: Number.isInteger(seed) && seed >= 0 && seed <= LARGEST_SEED ? seed : 0,
    view: /^[a-z]{1,20}$/.exec(query.get("view") ?? "")?.[0] ?? "",
  };
}

/** The hash of a route, without what is as it starts. */
export function write(route: Route): string {
  const query = [
    route.log === "" ? "" : `log=${encodeURIComponent(route.log).replaceAll("%2C", ",").replaceAll("%3D", "=")}`,
    route.seed === 0 ? "" : `seed=${route.seed}`,
    route.view === "" ? "" : `view=${route.view}`,
  ].filter(Boolean);
  return `#/${route.step}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

const isPage = typeof location !== "undefined";

/** Where the page is. */
export const route = new Cell<Route>(isPage ? parse(location.hash) : HOME);

if (isPage) addEventListener("hashchange", () => route.set(parse(location.hash)));

/** Goes to a step, as a link to it does. */
export function go(step: string): void {
  location.hash = `#/${step}`;
}

/** Writes the state reached into the address bar, in place: the back button leads to the step before, not to each move. */
export function mark(to: Route): void {
  if (route.value.step === to.step) history.replaceState(null, "", write(to));
}
