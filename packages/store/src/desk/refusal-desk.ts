/**
 * Refusals that the gateway thread counted, on their way to the store: written together, a few seconds after they occurred. While the store is away
 * they wait here, up to a bound; what exceeds it is lost, and so is what still waits when the process dies.
 */
import type { RefusalCount } from '@metergate/core/report/refusal-count.ts';
import type { RefusalHours } from '../usage/refusal-hours.ts';

export interface RefusalDesk {
  receive(counts: readonly RefusalCount[]): void;
  /** Writes what waits. @throws StoreFault; the refusals then keep waiting. */
  write(): Promise<void>;
}

/** Equal refusals are counted as one entry. */
const waitingMax = 20_000;

export function createRefusalDesk(hours: Pick<RefusalHours, 'add'>, max: number = waitingMax): RefusalDesk {
  let waiting = new Map<string, RefusalCount>();

  function keep(count: RefusalCount): void {
    const { organization, key, code, scope, window, hourMs } = count;
    const name = `${organization} ${key} ${code} ${scope} ${window} ${hourMs}`;
    const before = waiting.get(name);
    if (before !== undefined) waiting.set(name, { ...count, refusals: before.refusals + count.refusals });
    else if (waiting.size < max) waiting.set(name, count);
  }

  return {
    receive: (counts) => counts.forEach(keep),
    async write() {
      if (waiting.size === 0) return;
      const counts = [...waiting.values()];
      waiting = new Map();
      try {
        await hours.add(counts);
      } catch (error) {
        counts.forEach(keep);
        throw error;
      }
    },
  };
}
