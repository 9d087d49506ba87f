/**
 * Reads properties of the host's objects without ever disturbing it: a getter that throws reads as undefined, and our own faults are
 * swallowed. Paths are given in one string, separated by spaces, with dots between names; the first that exists is taken.
 */

/** A method of one of the host's objects. */
export type Method = (...args: unknown[]) => unknown;
type Look = (value: unknown, paths: string, fits?: (found: unknown) => unknown) => unknown;

const known = new Map<string, readonly (readonly string[])[]>();

/** True unless it is null or undefined. */
export const isThere = (found: unknown): boolean => found !== undefined && found !== null;

/** `into` takes one step of a path. */
function looking(into: (here: unknown, name: string) => unknown): Look {
  return (value, paths, fits = isThere) => {
    let parsed = known.get(paths);
    if (!parsed) known.set(paths, parsed = paths.split(' ').map((path) => path.split('.')));
    for (const path of parsed) {
      const found = quietly(() => path.reduce(into, value));
      if (fits(found)) return found;
    }
    return undefined;
  };
}

/** The first value at one of the paths that is neither null nor undefined, or that fits; else undefined. */
export const at: Look = looking((here, name) => (here as Record<string, unknown> | undefined)?.[name]);

/** The same for own properties only: getters of the host's classes are not called, because they may do more than compute. */
export const own: Look = looking((here, name) => (here && Object.hasOwn(here, name) ? (here as Record<string, unknown>)[name] : undefined));

/** The method of that name, own or inherited; undefined if there is none. */
export function methodOf(value: unknown, name: PropertyKey): Method | undefined {
  const found = quietly(() => (value as Record<PropertyKey, unknown> | undefined)?.[name]);
  return typeof found === 'function' ? (found as Method) : undefined;
}

/** The elements of the first array at one of the own paths; none if there is no array. */
export function listAt(value: unknown, paths: string): readonly unknown[] {
  return (own(value, paths, Array.isArray) ?? []) as unknown[];
}

/** The first non-empty string at one of the own paths. */
export function firstText(value: unknown, paths: string): string | undefined {
  return own(value, paths, (found) => typeof found === 'string' && found) as string | undefined;
}

/** The first whole number of at least 0 at one of the own paths. */
export function firstFigure(value: unknown, paths: string): number | undefined {
  return own(value, paths, (found) => Number.isInteger(found) && (found as number) >= 0) as number | undefined;
}

/** The name in the table whose value fits, or `other`. */
export function fittingName<Name extends string, Value>(table: Readonly<Record<Name, Value>>, fits: (value: Value) => boolean): Name | 'other' {
  return (Object.entries(table) as [Name, Value][]).find(([, value]) => fits(value))?.[0] ?? 'other';
}

/** Does nothing: for results and errors that nobody needs. */
export const ignore = (): void => {};

/** Runs code that only observes. Whatever it throws is swallowed, because the host must not notice. */
export function quietly<T>(observe: () => T): T | undefined {
  try {
    return observe();
  } catch {
    return undefined;
  }
}
