/**
 * A few names of header fields, asked for in any case. By their length first, which tells most names apart and costs next to nothing. A `Set`
 * of names in lower case costs a hundred nanoseconds and more for each name that is new to V8, and all that came with a request are.
 */
export class HeaderNames {
  readonly #byLength: (readonly string[] | undefined)[] = [];

  /** @param names in lower case */
  constructor(names: readonly string[]) {
    for (const name of names) this.#byLength[name.length] = [...this.#byLength[name.length] ?? [], name];
  }

  /** Whether it is one of them, in whatever case. */
  has(name: string): boolean {
    const alike = this.#byLength[name.length];
    if (alike === undefined) return false;
    const lowerName = name.toLowerCase();
    for (let at = 0; at < alike.length; at += 1) if (alike[at] === lowerName) return true;
    return false;
  }
}
