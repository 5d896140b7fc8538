/** Deeds in the order they were asked for: each begins when the one before it has ended, however it ended. */
export class Order {
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Whether nothing is being done and nothing waits. */
  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Does it in its turn. */
  add<T>(deed: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const run = this.#tail.then(deed).finally(() => (this.#waiting -= 1));
    this.#tail = run.catch(() => undefined);
    return run;
  }
}
