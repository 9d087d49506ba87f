/**
 * What the events of a stream have in common. Most differ from the one before them only in a piece of text, in numbers and in padding, none of
 * which is watched. Such an event needs no reading: its bytes are compared with those of the last one that was read, and what may differ is
 * checked to be a JSON string, number or literal as the scanner reads them. An event that is alike is therefore as valid as that one was,
 * and has the same values in all watched places. Any other event is read.
 */
import type { UnwatchedScalars } from '../json/json-scanner.ts';
import { StringLexer } from '../json/string-lexer.ts';
import { wordBegins, wordContinues, wordKind } from '../json/word-lexer.ts';

/** Events longer than this have no pattern: those that repeat are short. Bytes. */
const patternBytesMax = 2048;
/** The most parts that may differ; further ones count as fixed. */
const partsMax = 16;

/** Kinds of parts that may differ. */
const ofString = 0;
const ofWord = 1;
const ofPadding = 2;

const space = 0x20;
const braceClose = 0x7d;
const strings = new StringLexer();
const none = new Uint8Array(0);

/** Where one event stands in a chunk: all its lines, its one data line's end among them, and the blank one. */
export interface EventExtent {
  readonly from: number;
  readonly dataTo: number;
  readonly to: number;
}

export class EventPattern implements UnwatchedScalars {
  /** Whether there is an event to compare with. */
  known = false;
  /** The lines of that event. */
  #bytes = none;
  #length = 0;
  /** Its parts that may differ, in their order: three numbers each, kind, from, to. While it is read they count in its chunk. */
  readonly #parts: number[] = [];

  /** Forgets the event: there is nothing to compare with until another one is read and learnt. */
  forget(): void {
    this.known = false;
    this.#parts.length = 0;
  }

  passed(kind: 'string' | 'word', from: number, to: number): void {
    if (this.#parts.length < partsMax * 3) this.#parts.push(kind === 'string' ? ofString : ofWord, from, to);
  }

  /** `chunk[from..to)` is an event that was read since `forget`, and is valid. */
  learn(chunk: Uint8Array, { from, dataTo, to }: EventExtent): void {
    const length = to - from;
    if (length > patternBytesMax) return;
    this.#addPadding(chunk, dataTo);
    const parts = this.#parts;
    for (let at = 0; at < parts.length; at += 3) {
      parts[at + 1]! -= from;
      parts[at + 2]! -= from;
    }
    if (this.#bytes.length < length) this.#bytes = new Uint8Array(length);
    for (let at = 0; at < length; at++) this.#bytes[at] = chunk[from + at]!;
    this.#length = length;
    this.known = true;
  }

  /** Where an event that is like the learnt one ends, if it begins at `from` and is in this chunk to its end, or −1. */
  endOfAlike(chunk: Uint8Array, from: number): number {
    const parts = this.#parts;
    let at = from;
    let done = 0;
    for (let part = 0; part < parts.length; part += 3) {
      const until = parts[part + 1]!;
      if (!this.#agrees(chunk, at, done, until)) return -1;
      at = endOfPart(parts[part]!, chunk, at + until - done);
      if (at < 0) return -1;
      done = parts[part + 2]!;
    }
    return this.#agrees(chunk, at, done, this.#length) ? at + this.#length - done : -1;
  }

  /** Whether the learnt bytes from `done` up to `until` stand in `chunk` at `from`. */
  #agrees(chunk: Uint8Array, from: number, done: number, until: number): boolean {
    const bytes = this.#bytes;
    const count = until - done;
    if (from + count > chunk.length) return false;
    for (let at = 0; at < count; at++) if (bytes[done + at] !== chunk[from + at]) return false;
    return true;
  }

  /** Some providers write spaces before the last brace, as many as they like. `dataTo`: the end of the data. */
  #addPadding(chunk: Uint8Array, dataTo: number): void {
    const to = dataTo - 1;
    if (chunk[to] !== braceClose) return;
    let from = to;
    while (chunk[from - 1] === space) from--;
    this.#parts.push(ofPadding, from, to);
  }
}

/** Where the part ends that begins at `from`; −1 if it is not of its kind, or does not end in this chunk. */
function endOfPart(kind: number, chunk: Uint8Array, from: number): number {
  let at = from;
  if (kind === ofString) {
    strings.open();
    return strings.scan(chunk, from, chunk.length) === 'closed' ? strings.at - 1 : -1;
  }
  if (kind === ofPadding) {
    while (at < chunk.length && chunk[at] === space) at++;
    return at;
  }
  if (at === chunk.length) return -1;
  let word = wordBegins(chunk[at]!);
  while (word !== 0 && ++at < chunk.length) {
    const next = wordContinues(word, chunk[at]!);
    if (next === 0) return wordKind(word) === null ? -1 : at;
    word = next;
  }
  return -1;
}
