/**
 * The bounded copy of a response that usage is read from: decodes the content coding, feeds the reader, and gives up
 * quietly at its bound. The caller's bytes never wait for it, except at the very end of a compressed answer (250 ms).
 */
import type { Reading } from '@metergate/core/usage/reading.ts';

export interface CopyReader {
  /** The response's bytes as they were received; the reader does not keep `chunk` once it is read. */
  push(chunk: Buffer): void;
  /** True: a chunk has been read when `push` returns, and may then change. */
  readonly readsAtOnce?: boolean;
  /** See `UsageReader.dialogueEnded`. Synchronous for identity; for a compressed copy, true when the decoder got there. */
  readonly dialogueEnded: boolean;
  /** The body ended. Calls `done` once: at once for identity, within `waitMs` for a compressed copy (then `decode_late`). */
  finish(ending: 'whole' | 'cut', waitMs: number, done: (reading: Reading) => void): void;
  /** Frees its place and decoders when nobody will ask for the reading. Idempotent; a pending `finish` is not called back. */
  drop(): void;
}
