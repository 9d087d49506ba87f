/**
 * The events that wait for their batch, oldest first, in bounded memory: about 4 MB when full, at most 8.
 * When it is full, what comes is dropped: a server that is away must not cost the host its memory.
 */

/** Events kept at most. */
export const queueEventsMax = 10_000;

export interface EventQueue {
  /** Events waiting. */
  size(): number;
  /** Adds the JSON of one event, or drops it where the queue is full. */
  add(event: string): void;
  /** Takes up to so many events out, the oldest first. */
  take(countMax: number): string[];
  clear(): void;
}

export function createEventQueue(eventsMax: number): EventQueue {
  let events: string[] = [];
  return {
    size: () => events.length,
    add(event) {
      if (events.length < eventsMax) events.push(event);
    },
    // Moves what stays: once for each batch, which is nothing beside its post.
    take: (countMax) => events.splice(0, countMax),
    clear() {
      events = [];
    },
  };
}
