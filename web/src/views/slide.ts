/** Where a key takes a slider that starts at 0; null for a key that is not a slider's. */
export function slid(key: string, at: number, most: number, little: number, much: number): number | null {
  switch (key) {
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(at + little, most);
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(at - little, 0);
    case "PageUp":
      return Math.min(at + much, most);
    case "PageDown":
      return Math.max(at - much, 0);
    case "Home":
      return 0;
    case "End":
      return most;
    default:
      return null;
  }
}
