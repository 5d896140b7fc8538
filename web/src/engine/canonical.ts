/** What a request may hold: text and whole numbers, so that both sides write it with the same bytes. */
export type Value = string | number | readonly Value[] | { readonly [key: string]: Value };
export type Request = { readonly [key: string]: Value };

/** No request is nested deeper; and Python in the browser does not survive some thousand levels of JSON. */
const DEEPEST = 16;

/** The one text of a request: keys in order, no spaces. `paceline.app.bundle.canonical` writes the same. */
export function canonical(value: Value, depth = 0): string {
  if (depth > DEEPEST) throw new TypeError(`a request is nested at most ${DEEPEST} deep`);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new TypeError(`a request holds whole numbers, not ${value}`);
    return String(value);
  }
  if (typeof value !== "object" || value === null) throw new TypeError(`a request holds no ${String(value)}`);
  if (isList(value)) return `[${value.map((inner) => canonical(inner, depth + 1)).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner, depth + 1)}`).join(",")}}`;
}

function isList(value: readonly Value[] | Request): value is readonly Value[] {
  return Array.isArray(value);
}
