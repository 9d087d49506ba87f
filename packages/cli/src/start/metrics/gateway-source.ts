/** Where `/metrics` gets the figures of this process's gateway from. */
import { journalDiskOf } from '../journal-disk.ts';
import type { Threads } from '../threads.ts';
import type { GatewaySource } from './metrics-text.ts';

/** Null: none runs, or none yet. */
export function gatewaySource(threads: Threads | null, journalDirectory: string): GatewaySource | null {
  return threads === null ? null
    : { metrics: () => threads.metrics(1_000), storeFigures: () => threads.storeFigures(), journalDisk: () => journalDiskOf(journalDirectory) };
}
