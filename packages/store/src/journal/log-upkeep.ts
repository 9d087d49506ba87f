/**
 * Keeps the logs of segments short while the store is away, so that neither appending to a log nor closing a segment ever costs more than a
 * bound. Runs on the shipper's thread; the writer does not wait. SQLite moves a whole log into its file when the last connection closes; the
 * part moved here need not be moved then.
 */
import { statSync } from 'node:fs';
import { SegmentReader } from './segment-reader.ts';

/** A log that is shorter is left alone: closing its segment takes milliseconds. Bytes. */
export const logBytesMax = 4 * 1024 * 1024;

export interface LogUpkeep {
  /** Moves the long logs of these segments into their files. What cannot be moved now is for the next time. */
  tend(paths: readonly string[]): void;
}

export function createLogUpkeep(): LogUpkeep {
  /** Sealed, and nothing left to move: never looked at again. */
  const finished = new Set<string>();
  return {
    tend(paths) {
      for (const path of paths) {
        if (finished.has(path) || logBytes(path) < logBytesMax) continue;
        if (moveLog(path)) finished.add(path);
      }
      for (const path of finished) if (!paths.includes(path)) finished.delete(path);
    },
  };
}

/** Says whether the segment is sealed and its log moved whole. */
function moveLog(path: string): boolean {
  try {
    const reader = new SegmentReader(path);
    try {
      const { sealed } = reader;
      return reader.checkpoint() && sealed;
    } finally {
      reader.close();
    }
  } catch {
    // A segment that cannot be read is said by the shipping of it.
    return false;
  }
}

function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
