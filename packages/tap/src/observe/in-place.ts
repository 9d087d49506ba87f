/**
 * Puts an observing function in the place of a method, on the object itself: as an own property that enumeration does not show unless
 * it showed the one before. What cannot be replaced (a frozen object) is left as it is.
 */
import { methodOf, quietly } from './look.ts';

/** Sets an own property, as visible as the one it replaces. False if the object does not allow it. */
export function put(target: object, key: PropertyKey, value: unknown): boolean {
  const enumerable = {}.propertyIsEnumerable.call(target, key);
  return Reflect.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}

/**
 * What stands in for a method. `run` calls the method on the object it was called on, with the arguments it was called with or with others;
 * what the stand-in returns, or throws, is the host's.
 */
export type StandIn = (run: (changed?: unknown[]) => unknown, args: unknown[]) => unknown;

/**
 * Replaces a method. The one that stands in has what the method has: name, length, what hangs on it (a test's mock).
 * False if there is no such method, or it cannot be replaced.
 */
export function override(target: unknown, key: PropertyKey, standIn: StandIn): boolean {
  const method = methodOf(target, key);
  if (!method) return false;
  // Written as a method, it has nothing of its own but name and length.
  const { it } = {
    it(this: unknown, ...args: unknown[]) {
      return standIn((changed = args) => Reflect.apply(method, this, changed), args);
    },
  };
  return put(target as object, key, Object.defineProperties(it, Object.getOwnPropertyDescriptors(method)));
}

/** Replaces a method by itself, and looks at what it returned. */
export function lookAtReturned(target: unknown, key: PropertyKey, look: (returned: unknown) => void): boolean {
  return override(target, key, (run) => {
    const returned = run();
    quietly(() => look(returned));
    return returned;
  });
}
