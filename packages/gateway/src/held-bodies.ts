/**
 * The node's budget for request bodies that are held in memory. Above it the gateway stops reading and the caller's
 * socket fills up; nothing is refused (design 2, Forwarding: `SVC_HELD_BODIES_MB`). A body reserves what it may grow to
 * before it is read, first come first served, so two half-held bodies can never wait for each other.
 */
export interface HeldBodies {
  /** Runs `granted` once `bytes` are free: now, or later in the order of asking. Returns how to give up waiting. */
  reserve(bytes: number, granted: () => void): () => void;
  release(bytes: number): void;
  readonly heldBytes: number;
}

/** @param budgetBytes above 0; one reservation larger than it is granted alone. */
export function createHeldBodies(budgetBytes: number): HeldBodies {
  let held = 0;
  const waiting: { bytes: number; granted: () => void }[] = [];
  const grantWaiting = () => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      if (held > 0 && held + first.bytes > budgetBytes) return;
      waiting.shift();
      held += first.bytes;
      first.granted();
    }
  };
  return {
    reserve(bytes, granted) {
      const waiter = { bytes, granted };
      waiting.push(waiter);
      grantWaiting();
      return () => {
        const place = waiting.indexOf(waiter);
        if (place !== -1) waiting.splice(place, 1);
        grantWaiting();
      };
    },
    release(bytes) {
      held -= bytes;
      grantWaiting();
    },
    get heldBytes() {
      return held;
    },
  };
}
