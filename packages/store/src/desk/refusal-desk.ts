/**
 * Refusals that the gateway thread counted, on their way to the store: written together, a few seconds after they occurred. While the store is away
 * they wait here, up to a bound; what exceeds it is lost, and so is what still waits when the process dies.
 */
import type { RefusalCount } from '@metergate/core/report/refusal-count.ts';
import { RefusalEntries, type RefusalEntry, type RefusalEntryBounds } from '@metergate/core/report/refusal-entries.ts';
import type { RefusalHours } from '../usage/refusal-hours.ts';
import type { RefusalLog } from '../usage/refusal-log.ts';

interface RefusalDesk {
  receive(counts: readonly RefusalCount[], entries: readonly RefusalEntry[]): void;
  /** Writes what waits. @throws StoreFault; the refusals then keep waiting. */
  write(): Promise<void>;
}

/** Equal refusals are counted as one entry. */
const waitingMax = 20_000;
const entryBounds: RefusalEntryBounds = { ofKey: 200, ofOrganization: 2_000, all: 10_000 };

export function createRefusalDesk(
  { hours, log }: { readonly hours: Pick<RefusalHours, 'add'>; readonly log: Pick<RefusalLog, 'add'> }, max: number = waitingMax,
): RefusalDesk {
  let waiting = new Map<string, RefusalCount>();
  const waitingEntries = new RefusalEntries(entryBounds);

  function keep(count: RefusalCount): void {
    const { organization, key, code, scope, window, hourMs } = count;
    const name = `${organization} ${key} ${code} ${scope} ${window} ${hourMs}`;
    const before = waiting.get(name);
    if (before !== undefined) waiting.set(name, { ...count, refusals: before.refusals + count.refusals });
    else if (waiting.size < max) waiting.set(name, count);
  }

  async function writeCounts(): Promise<void> {
    if (waiting.size === 0) return;
    const counts = [...waiting.values()];
    waiting = new Map();
    try {
      await hours.add(counts);
    } catch (error) {
      counts.forEach(keep);
      throw error;
    }
  }

  async function writeEntries(): Promise<void> {
    const entries = waitingEntries.taken();
    if (entries.length === 0) return;
    try {
      await log.add(entries);
    } catch (error) {
      for (const entry of entries) waitingEntries.add(entry);
      throw error;
    }
  }

  return {
    receive(counts, entries) {
      counts.forEach(keep);
      for (const entry of entries) waitingEntries.add(entry);
    },
    async write() {
      await writeCounts();
      await writeEntries();
    },
  };
}
