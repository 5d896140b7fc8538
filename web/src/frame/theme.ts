/** Light or dark: the system's choice until the reader makes another. */

import { Cell } from "../engine/cell.ts";

export type Theme = "system" | "light" | "dark";

const KEY = "paceline.theme";
const NEXT = { system: "light", light: "dark", dark: "system" } as const;

/** What the reader chose; "system" while nothing was. */
export const theme = new Cell<Theme>("system");

function kept(): Theme {
  try {
    const own = localStorage.getItem(KEY);
    return own === "light" || own === "dark" ? own : "system";
  } catch {
    return "system";
  }
}

/** Sets the theme, and follows the system's while none is chosen. */
export function openTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    const system = dark.matches ? "dark" : "light";
    document.documentElement.dataset.theme = theme.value === "system" ? system : theme.value;
  };
  theme.set(kept());
  theme.subscribe(follow);
  dark.addEventListener("change", follow);
}

/** The next of system, light and dark, from now on. */
export function turnTheme(): void {
  theme.set(NEXT[theme.value]);
  try {
    if (theme.value === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme.value);
  } catch {
    // The choice then lasts until the page is closed.
  }
}
