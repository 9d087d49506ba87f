/**
 * Response head → the reader of its copy, by content coding. For an unknown coding it is a reader that reads nothing and reports `decode_failed`
 * if usage was due.
 */
import type { Reading, ReadingContext, UsageReader } from '@metergate/core/usage/reading.ts';
import { createUsageReader } from '@metergate/core/usage/reader.ts';
import { codingsToUndo } from './content-coding.ts';
import { defaultCopyLimits, type CopyLimits } from './copy-limits.ts';
import type { CopyReader } from './copy-reader.ts';
import { nodePlaces, type DecodingPlaces } from './decoding-places.ts';
import { nodeTurns, type DecodingTurns } from './decoding-turns.ts';
import { DecodingCopy } from './decoding-copy.ts';
import { FramedCopy } from './framed-copy.ts';
import { GuardedReader, withReason } from './guarded-reader.ts';
import { IdentityCopy } from './identity-copy.ts';

interface CopyReaderOptions {
  readonly context: ReadingContext;
  /** All lines of `Content-Encoding`, joined with commas; null if there is none. */
  readonly contentEncoding: string | null;
  /** The answer is a binary event stream. */
  readonly inFrames?: boolean;
  /** Whose call it is: organizations take turns and share the decoders. */
  readonly organization?: string;
  readonly limits?: CopyLimits;
  readonly turns?: DecodingTurns;
  readonly places?: DecodingPlaces;
  /** As `process.versions.node` writes it; chooses the Brotli decoder. */
  readonly runtimeVersion?: string;
  readonly createReader?: (context: ReadingContext) => UsageReader;
}

export type CreateCopyReader = (options: CopyReaderOptions) => CopyReader;

export const createCopyReader: CreateCopyReader = (options) => {
  const { context, organization = '', limits = defaultCopyLimits, turns = nodeTurns, places = nodePlaces } = options;
  const { runtimeVersion = process.versions.node, createReader = createUsageReader } = options;
  const reader = new GuardedReader(() => createReader(context));
  const codings = codingsToUndo(options.contentEncoding);
  if (codings === null) return new UnreadableCopy(reader);
  if (options.inFrames === true) return codings.length === 0 ? new FramedCopy(reader) : new UnreadableCopy(reader);
  if (codings.length === 0) return new IdentityCopy(reader);
  const form = context.streamed ? 'eventStream' : 'wholeBody';
  const placesOf = `${organization} ${context.wire}`;
  return new DecodingCopy({ reader, codings, limits, turns, places, placesOf, organization, runtimeVersion, form });
};

class UnreadableCopy implements CopyReader {
  readonly dialogueEnded = false;
  readonly readsAtOnce = true;
  readonly #reader: GuardedReader;

  constructor(reader: GuardedReader) {
    this.#reader = reader;
  }

  push(): void {}

  drop(): void {}

  finish(ending: 'whole' | 'cut', _waitMs: number, done: (reading: Reading) => void): void {
    done(withReason(this.#reader.finish('cut'), 'decode_failed', ending));
  }
}
