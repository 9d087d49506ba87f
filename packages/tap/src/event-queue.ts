/**
 * The events that wait for their batch, oldest first, in bounded memory: about 4 MB when full, at most 8.
 * When it is full, what comes is dropped: a server that is away must not cost the host its memory.
 */

/** Events kept at most. */
export const queueEventsMax = 10_000;

export interface EventQueue {
  /** Events waiting. */
  readonly size: number;
  /** Adds the JSON of one event; false where the queue is full and the event was dropped. */
  add(event: string): boolean;
  /** Takes up to so many events out, the oldest first. */
  take(countMax: number): string[];
  clear(): void;
}

export function createEventQueue(eventsMax: number): EventQueue {
  let events: string[] = [];
  let head = 0;
  return {
    get size() {
      return events.length - head;
    },
    add(event) {
      if (events.length - head >= eventsMax) return false;
      events.push(event);
      return true;
    },
    take(countMax) {
      const taken = events.slice(head, head + countMax);
      head += taken.length;
      // What was taken is let go once it is half of the array, so that each event is moved about once.
      if (head * 2 >= events.length) {
        events = events.slice(head);
        head = 0;
      }
      return taken;
    },
    clear() {
      events = [];
      head = 0;
    },
  };
}
