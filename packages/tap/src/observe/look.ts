/**
 * Looks into objects of the host without ever disturbing it: a getter that throws reads as undefined, a fault of ours is swallowed.
 */

/** A method of an object of the host. */
export type Method = (...args: unknown[]) => unknown;
/** Paths of property names, as `pathsOf` makes them. */
export type Paths = readonly (readonly string[])[];

/** The value at a path of property names, or undefined where the path ends early or a getter throws. */
export function at(value: unknown, ...path: PropertyKey[]): unknown {
  let here = value;
  try {
    for (const key of path) here = (here as Record<PropertyKey, unknown> | undefined)?.[key];
    return here;
  } catch {
    return undefined;
  }
}

/** The same of own properties alone: what a class of the host computes on demand is not asked for, it may do more than compute. */
export function own(value: unknown, ...path: PropertyKey[]): unknown {
  let here = value;
  for (const key of path) {
    if (!here || !Object.hasOwn(here, key)) return undefined;
    here = at(here, key);
  }
  return here;
}

/** The method of that name, own or inherited, or undefined. */
export function methodOf(value: unknown, name: PropertyKey): Method | undefined {
  const found = at(value, name);
  return typeof found === 'function' ? (found as Method) : undefined;
}

/** The elements of the array at an own path; none where there is no array. */
export function listAt(value: unknown, ...path: PropertyKey[]): readonly unknown[] {
  const found = own(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Several paths in one text: paths apart by spaces, names in them by dots. */
export function pathsOf(text: string): Paths {
  return text.split(' ').map((path) => path.split('.'));
}

/** The first string that is not empty at one of the own paths. */
export function textIn(value: unknown, paths: Paths): string | undefined {
  return paths.map((path) => own(value, ...path)).find((found) => typeof found === 'string' && found) as string | undefined;
}

/** The first whole number from 0 at one of the own paths. */
export function figureIn(value: unknown, paths: Paths): number | undefined {
  return paths.map((path) => own(value, ...path)).find((found) => Number.isInteger(found) && (found as number) >= 0) as number | undefined;
}

/** Runs what only observes. Whatever it throws ends here, for the host must not notice. */
export function quietly<T>(observe: () => T): T | undefined {
  try {
    return observe();
  } catch {
    return undefined;
  }
}
