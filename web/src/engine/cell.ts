/** One value that can be watched; Svelte reads it as a store (`$cell`). */
export class Cell<T> {
  #value: T;
  #watchers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    for (const watcher of this.#watchers) watcher(value);
  }

  subscribe(watcher: (value: T) => void): () => void {
    this.#watchers.add(watcher);
    watcher(this.#value);
    return () => this.#watchers.delete(watcher);
  }
}
