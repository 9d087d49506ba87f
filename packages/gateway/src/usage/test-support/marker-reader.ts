/**
 * For tests: a reader that remembers the bytes it was shown and reports usage exactly if they contain its marker.
 */
import { noTokens, nothingDue, type Reading, type UsageReader } from '@metergate/core/usage/reading.ts';

export const marker = '"usage":{"prompt_tokens":7}';
const lastEvent = 'data: [DONE]';

export interface MarkerReader extends UsageReader {
  readonly bytes: () => Buffer;
  readonly pieces: () => number;
  readonly bytesSeen: () => number;
  readonly endings: ('whole' | 'cut')[];
}

/** `keep`: false only counts, for bombs. */
export function createMarkerReader({ keep = true }: { keep?: boolean } = {}): MarkerReader {
  const chunks: Buffer[] = [];
  const endings: ('whole' | 'cut')[] = [];
  let pieces = 0;
  let bytesSeen = 0;
  let dialogueEnded = false;
  /** The last bytes, in case the marker at the end was cut in two. */
  let tail = '';
  const bytes = (): Buffer => Buffer.concat(chunks);
  return {
    bytes,
    pieces: () => pieces,
    bytesSeen: () => bytesSeen,
    endings,
    push(chunk) {
      pieces++;
      bytesSeen += chunk.length;
      if (!keep) return;
      const piece = Buffer.from(chunk);
      chunks.push(piece);
      dialogueEnded ||= piece.includes(lastEvent) || (tail + piece.toString('latin1', 0, lastEvent.length)).includes(lastEvent);
      tail = (tail + piece.toString('latin1', Math.max(0, piece.length - lastEvent.length))).slice(-lastEvent.length);
    },
    get dialogueEnded() { return dialogueEnded; },
    finish(ending): Reading {
      endings.push(ending);
      const reported = bytes().includes(marker);
      return {
        ...nothingDue,
        usage: reported ? 'reported' : 'unknown', usageReason: reported ? null : ending === 'cut' ? 'cut' : 'absent',
        tokens: reported ? { ...noTokens, input: 7 } : noTokens,
      };
    },
  };
}
