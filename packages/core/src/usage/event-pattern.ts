/**
 * What the events of a stream have in common. Most differ from the one before them only in a piece of text, in numbers and in padding, none of
 * which is watched. Such an event needs no reading: its bytes are compared with those of the last one that was read, and what may differ is
 * checked to be a JSON string, number or literal as the scanner reads them. An event that is alike is therefore as valid as that one was,
 * and has the same values in all watched places. Any other event is read. The comparing is done by WebAssembly where there is some.
 */
import type { UnwatchedScalars } from '../json/json-scanner.ts';
import { StringLexer } from '../json/string-lexer.ts';
import { wordBegins, wordContinues, wordKind } from '../json/word-lexer.ts';
import { comparedBytesMax, createComparer, learntBytesAt, learntPlace, partKind, soughtBytesMax, type Comparer } from './pattern-code.ts';

/** Events of which more than this stays the same have no pattern. Bytes. */
const patternBytesMax = learntPlace.bytesMax;
/** The most parts that may differ; further ones count as fixed. The padding and the end of the event come with them. */
const partsMax = learntPlace.parts - 2;

const space = 0x20;
const braceClose = 0x7d;
const strings = new StringLexer();
const none = new Uint8Array(0);

/** Null: there is none. Undefined: nobody has asked yet. */
let comparer: Comparer | null | undefined;
/** The image that is in its memory. */
let compared: Uint8Array | null = null;

/** Where one event stands in a chunk: all its lines, its one data line's end among them, and the blank one. */
interface EventExtent {
  readonly from: number;
  readonly dataTo: number;
  readonly to: number;
}

export class EventPattern implements UnwatchedScalars {
  /** Whether there is an event to compare with. */
  known = false;
  /** As `learntPlace` says, so that it can be compared elsewhere. */
  #image = none;
  #words = new Int32Array(0);
  /** The lines of that event without what may differ: the bytes of the image. */
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
    if (this.#parts.length < partsMax * 3) this.#parts.push(partKind[kind], from, to);
  }

  /** `chunk[from..to)` is an event that was read since `forget`, and is valid. */
  learn(chunk: Uint8Array, { from, dataTo, to }: EventExtent): void {
    const length = to - from;
    this.#addPadding(chunk, dataTo);
    const parts = this.#parts;
    let equalBytes = length;
    for (let at = 0; at < parts.length; at += 3) {
      parts[at + 1]! -= from;
      parts[at + 2]! -= from;
      equalBytes -= parts[at + 2]! - parts[at + 1]!;
    }
    if (equalBytes > patternBytesMax) return;
    if (this.#bytes.length < equalBytes) {
      this.#image = new Uint8Array(learntBytesAt + equalBytes);
      this.#words = new Int32Array(this.#image.buffer, 0, learntBytesAt / 4);
      this.#bytes = this.#image.subarray(learntBytesAt);
    }
    this.#length = length;
    this.#fill(chunk, from);
    if (compared === this.#image) compared = null;
    this.known = true;
  }

  /** What differs has no bytes in the image: those before it and behind it stand side by side. */
  #fill(chunk: Uint8Array, from: number): void {
    const words = this.#words;
    const bytes = this.#bytes;
    const parts = this.#parts;
    let [word, filled, done] = [0, 0, 0];
    for (let part = 0; part <= parts.length; part += 3) {
      const until = parts[part + 1] ?? this.#length;
      words[word++] = until - done;
      words[word++] = parts[part] ?? partKind.end;
      for (; done < until; done++) bytes[filled++] = chunk[from + done]!;
      done = parts[part + 2] ?? done;
    }
  }

  /** Where an event that is like the learnt one ends, if it begins at `from` and is in this chunk to its end, or −1. */
  endOfAlike(chunk: Uint8Array, from: number): number {
    const rest = chunk.length - from;
    const bytes = rest > soughtBytesMax ? soughtBytesMax : rest;
    const end = this.#endWithin(chunk, from, bytes);
    return end < 0 && bytes < rest ? this.endOfAlikeByBytes(chunk, from) : end;
  }

  /** Whether `chunk[from..to)` is an event that is like the learnt one. */
  isAlike(chunk: Uint8Array, from: number, to: number): boolean {
    return (to - from > comparedBytesMax ? this.endOfAlikeByBytes(chunk, from) : this.#endWithin(chunk, from, to - from)) === to;
  }

  #endWithin(chunk: Uint8Array, from: number, bytes: number): number {
    if (comparer === undefined) comparer = createComparer();
    if (comparer === null) return this.endOfAlikeByBytes(chunk, from);
    const { memory, run, learntAt } = comparer;
    if (compared !== this.#image) {
      compared = this.#image;
      memory.set(compared, learntAt);
    }
    memory.set(bytes === chunk.length ? chunk : chunk.subarray(from, from + bytes));
    const end = run(bytes);
    return end > 0 ? from + end : -1;
  }

  /** As `endOfAlike`, where there is no WebAssembly, and for events that may be long. */
  endOfAlikeByBytes(chunk: Uint8Array, from: number): number {
    const words = this.#words;
    let at = from;
    let done = 0;
    for (let word = 0; ; word += 2) {
      const count = words[word]!;
      if (!this.#agrees(chunk, at, done, count)) return -1;
      at += count;
      done += count;
      const kind = words[word + 1]!;
      if (kind === partKind.end) return at;
      at = endOfPart(kind, chunk, at);
      if (at < 0) return -1;
    }
  }

  /** Whether so many of the learnt bytes, from `done` on, stand in `chunk` at `from`. */
  #agrees(chunk: Uint8Array, from: number, done: number, count: number): boolean {
    const bytes = this.#bytes;
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
    this.#parts.push(partKind.padding, from, to);
  }
}

/** Where the part ends that begins at `from`; −1 if it is not of its kind, or does not end in this chunk. */
function endOfPart(kind: number, chunk: Uint8Array, from: number): number {
  let at = from;
  if (kind === partKind.string) {
    strings.open();
    return strings.scan(chunk, from, chunk.length) === 'closed' ? strings.at - 1 : -1;
  }
  if (kind === partKind.padding) {
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
