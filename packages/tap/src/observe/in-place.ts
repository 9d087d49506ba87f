/**
 * Replaces a method by an observing function, on the object itself: as an own property that is enumerable only if the one before it was.
 * What cannot be replaced (a frozen object) is left as it is.
 */
import { methodOf, quietly } from './look.ts';

/** Sets an own property, as visible as the one it replaces. False if the object does not allow it. */
export function put(target: object, key: PropertyKey, value: unknown): boolean {
  const enumerable = {}.propertyIsEnumerable.call(target, key);
  return Reflect.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}

/**
 * Stands in for a method. `run` calls the method on the same object, with the same arguments or with others; the host receives whatever the
 * stand-in returns or throws.
 */
export type StandIn = (run: (changed?: unknown[]) => unknown, args: unknown[]) => unknown;

/**
 * Replaces a method. The stand-in has everything the method has: name, length and other properties (those of a test's mock).
 * False if there is no such method, or it cannot be replaced.
 */
export function override(target: unknown, key: PropertyKey, standIn: StandIn): boolean {
  const method = methodOf(target, key);
  if (!method) return false;
  // Written as a method, because a method has no own properties but name and length.
  const { it } = {
    it(this: unknown, ...args: unknown[]) {
      return standIn((changed = args) => Reflect.apply(method, this, changed), args);
    },
  };
  return put(target as object, key, Object.defineProperties(it, Object.getOwnPropertyDescriptors(method)));
}

/** Lets a method run as it is, and looks at what it returned. */
export function lookAtReturned(target: unknown, key: PropertyKey, look: (returned: unknown) => void): boolean {
  return override(target, key, (run) => {
    const returned = run();
    quietly(() => look(returned));
    return returned;
  });
}
