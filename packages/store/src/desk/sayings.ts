/**
 * What goes to the store at a slow pace and is not a record: counted refusals, and what the node says of itself. Best effort, and written for the
 * last time at an orderly stop.
 */
import type { RefusalCount } from '@metergate/core/report/refusal-count.ts';
import type { NodeReport } from '../nodes/node-reports.ts';
import type { Store } from '../store.ts';
import { createRefusalDesk } from './refusal-desk.ts';

export interface Sayings {
  refused(counts: readonly RefusalCount[]): void;
  report(report: NodeReport): void;
  /** Writes the refusals that wait. @throws StoreFault */
  writeRefusals(): Promise<void>;
  /** All that was said is written, as far as it can be. @throws StoreFault */
  last(): Promise<void>;
}

/** `nowMs`: the time that the node goes by. */
export function sayingsTo(
  { refusalHours, nodeReports }: Pick<Store, 'refusalHours' | 'nodeReports'>,
  { home, nowMs }: { readonly home: string; readonly nowMs: () => number },
): Sayings {
  const desk = createRefusalDesk(refusalHours);
  const reports = oneAtATime((report: NodeReport) => nodeReports.say(home, report, nowMs()));
  return {
    refused: (counts) => desk.hear(counts),
    report: (report) => reports.say(report),
    writeRefusals: () => desk.write(),
    async last() {
      await Promise.all([desk.write(), reports.said()]);
    },
  };
}

/** Writes one after the other; while one is being written, only the last of the others waits. Nothing is said of one that fails. */
function oneAtATime<Said>(write: (said: Said) => Promise<void>): { readonly say: (said: Said) => void; readonly said: () => Promise<void> } {
  let waiting: Said | null = null;
  let writing: Promise<void> | null = null;
  const go = async (): Promise<void> => {
    while (waiting !== null) {
      const next: Said = waiting;
      waiting = null;
      await write(next).catch(() => {});
    }
    writing = null;
  };
  return {
    say(next) {
      waiting = next;
      writing ??= go();
    },
    said: async () => { await writing; },
  };
}
