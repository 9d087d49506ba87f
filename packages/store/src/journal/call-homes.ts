/**
 * Open calls → where their rows are. Not a `Map` by id: V8 enters each text that is a key of one into a table of all its names, which takes
 * more than a microsecond for a text that is new, and leaves the id in a form that is slow to write. Here the key is a number made of the
 * id, and ids of the same number are compared themselves.
 */
import type { OrganizationId, RequestId } from '@metergate/core/id.ts';
import type { OpenCall } from './journal.ts';

interface Home<Place> extends OpenCall {
  place: Place;
  next: Home<Place> | null;
}

export class CallHomes<Place> {
  readonly #byNumber = new Map<number, Home<Place>>();

  /** The call is at this place from now on. */
  set(id: RequestId, organization: OrganizationId, place: Place): void {
    const number = numberOf(id);
    const first = this.#byNumber.get(number) ?? null;
    for (let home = first; home !== null; home = home.next) {
      if (home.id !== id) continue;
      home.place = place;
      return;
    }
    this.#byNumber.set(number, { id, organization, place, next: first });
  }

  /** Where the call is, and forgets it; null if it is not known. */
  take(id: RequestId): Place | null {
    const number = numberOf(id);
    let before: Home<Place> | null = null;
    for (let home = this.#byNumber.get(number) ?? null; home !== null; home = home.next) {
      if (home.id === id) {
        this.#remove(number, home, before);
        return home.place;
      }
      before = home;
    }
    return null;
  }

  /** Every call that is open. */
  * calls(): Generator<OpenCall, void, undefined> {
    for (const first of this.#byNumber.values()) for (let home: Home<Place> | null = first; home !== null; home = home.next) yield home;
  }

  #remove(number: number, home: Home<Place>, before: Home<Place> | null): void {
    if (before !== null) before.next = home.next;
    else if (home.next !== null) this.#byNumber.set(number, home.next);
    else this.#byNumber.delete(number);
  }
}

/** Digits that it is made of: the last eight of an id count time, those before are random. */
const digits = 16;

/** Small enough to be held without an object. */
function numberOf(id: string): number {
  let number = 0;
  for (let at = Math.max(0, id.length - digits); at < id.length; at += 1) number = Math.imul(number, 31) + id.charCodeAt(at) | 0;
  return number & 0x3fff_ffff;
}
