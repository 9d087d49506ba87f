/**
 * What test files that share a process use one after another: made for the first that asks for it, ended after the last file. A file that has a
 * process to itself ends what it made.
 */

/** What was made, and `done` for the file that has used it. */
export interface Kept<Value> {
  readonly value: Value;
  done(): Promise<void>;
}

interface Made {
  readonly value: unknown;
  end(): Promise<void>;
}

/** By name. Null: nothing is kept, since no other file follows. */
let made: Map<string, Made> | null = null;

/** Called before the first of several files. */
export function keepForFiles(): void {
  made = new Map();
}

/** What was kept under this name, else what `make` gives. */
export async function keptForFiles<Value>(name: string, make: () => Promise<Value>, end: (value: Value) => Promise<void>): Promise<Kept<Value>> {
  const kept = made?.get(name);
  if (kept !== undefined) return { value: kept.value as Value, done: async () => {} };
  const value = await make();
  const one = { value, end: () => end(value) };
  made?.set(name, one);
  return { value, done: made === null ? one.end : async () => {} };
}

/** What is to be ended after the last file, by name. */
export function keptUntilEnd(): ReadonlyMap<string, () => Promise<void>> {
  return new Map(Array.from(made ?? [], ([name, { end }]) => [name, end]));
}
