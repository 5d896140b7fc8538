/** Light or dark: the system's choice until the reader makes another. */

const KEY = "paceline.theme";
const root = document.documentElement;

function chosen(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Sets the theme, and follows the system's while none was chosen. */
export function openTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    const own = chosen();
    root.dataset.theme = own === "light" || own === "dark" ? own : dark.matches ? "dark" : "light";
  };
  follow();
  dark.addEventListener("change", follow);
}

/** The other theme, from now on. */
export function toggleTheme(): void {
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, root.dataset.theme);
  } catch {
    // The choice then lasts until the page is closed.
  }
}
