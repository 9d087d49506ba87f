/**
 * What an uncompressed message says: its frames' payloads, unmasked and joined, and, if it is text, checked to be UTF-8. A provider's message of one
 * frame is read where it stands. Long ones are read in slices.
 */
import { isUtf8 } from 'node:buffer';
import { frameAt, opcodes, type Frame, type FrameFinderOptions } from './frames.ts';
import { inSlices, type SlicedWork } from './in-slices.ts';
import type { Message } from './message.ts';
import { unmasked } from './unmasking.ts';

export interface PlainTextOptions extends Pick<SlicedWork, 'organization' | 'run'> {
  readonly form: FrameFinderOptions;
}

/** A short one, at once. What a caller's says is only there until the next one is read. False: it is text that is no UTF-8. */
export function readShort(message: Message, form: FrameFinderOptions): boolean {
  const { source, payloadFrom, to } = message;
  if (payloadFrom < 0) joinShort(message, form);
  else if (form.masked) message.says(unmasked(source, payloadFrom, to), 0, to - payloadFrom);
  else message.says(source, payloadFrom, to);
  return message.opcode !== opcodes.text || isUtf8(message.content);
}

/** Takes the mask off a part of a frame's payload, `from` up to `to`, into `into` from `at` on. A frame without a mask has none to take off. */
function unmask({ source, payloadFrom }: Pick<Frame, 'source' | 'payloadFrom'>, { from, to, into, at }: {
  readonly from: number; readonly to: number; readonly into: Buffer; readonly at: number;
}): void {
  source.copy(into, at, payloadFrom + from, payloadFrom + to);
  const [maskFrom, end] = [payloadFrom - 4, at + to - from];
  let next = at;
  const isAligned = (into.byteOffset + at) % 4 === 0 && from % 4 === 0;
  if (isAligned && to - from >= 64) {
    const words = new Int32Array(into.buffer, into.byteOffset + at, (to - from) >> 2);
    const mask = new Int32Array(Uint8Array.prototype.slice.call(source, maskFrom, payloadFrom).buffer)[0]!;
    for (let word = 0; word < words.length; word += 1) words[word]! ^= mask;
    next += words.length * 4;
  }
  for (; next < end; next += 1) into[next]! ^= source[maskFrom + ((from + next - at) & 3)]!;
}

function joinShort(message: Message, form: FrameFinderOptions): void {
  const text = Buffer.allocUnsafe(message.wireBytes);
  const to = join(message, { form, text, at: 0, from: message.from, until: message.to }).textAt;
  message.says(text, 0, to);
}

/** Frames that begin before `until` are joined; how far that came in the frames and in the text. */
function join({ source }: Message, { form, text, at, from, until }: {
  readonly form: FrameFinderOptions; readonly text: Buffer; readonly at: number; readonly from: number; readonly until: number;
}): { readonly frameAt: number; readonly textAt: number } {
  let [next, textAt] = [from, at];
  while (next < until) {
    const frame = frameAt(source, next, form) as Frame;
    const bytes = frame.to - frame.payloadFrom;
    if (form.masked) unmask(frame, { from: 0, to: bytes, into: text, at: textAt });
    else source.copy(text, textAt, frame.payloadFrom, frame.to);
    textAt += bytes;
    next = frame.to;
  }
  return { frameAt: next, textAt };
}

/** A long one. `done` runs once. */
export function readLong(message: Message, options: PlainTextOptions, done: (isText: boolean) => void): void {
  const { form } = options;
  const { payloadFrom } = message;
  const check = (): void => checkLong(message, options, done);
  if (payloadFrom >= 0 && !form.masked) {
    message.says(message.source, payloadFrom, message.to);
    return check();
  }
  const text = Buffer.allocUnsafe(message.wireBytes);
  if (payloadFrom >= 0) {
    const bytes = message.to - payloadFrom;
    inSlices(0, bytes, { ...options, slice: (from, to) => {
      unmask(message, { from, to, into: text, at: from });
      return to;
    }, done: () => {
      message.says(text, 0, bytes);
      check();
    } });
    return;
  }
  let textAt = 0;
  inSlices(message.from, message.to, { ...options, slice: (from, until) => {
    const joined = join(message, { form, text, at: textAt, from, until });
    textAt = joined.textAt;
    return joined.frameAt;
  }, done: () => {
    message.says(text, 0, textAt);
    check();
  } });
}

function checkLong(message: Message, options: PlainTextOptions, done: (isText: boolean) => void): void {
  if (message.opcode !== opcodes.text) return done(true);
  const { text, textFrom, textTo } = message;
  let isText = true;
  inSlices(textFrom, textTo, { ...options, slice: (from, until) => {
    const to = until === textTo ? until : characterAt(text, until);
    isText &&= isUtf8(text.subarray(from, to));
    return isText ? to : textTo;
  }, done: () => done(isText) });
}

/** Where the character begins that stands at `at`. What is no UTF-8 may have none within three bytes. */
function characterAt(text: Buffer, at: number): number {
  let from = at;
  while (at - from < 3 && (text[from]! & 0xc0) === 0x80) from -= 1;
  return from;
}
