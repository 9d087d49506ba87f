/**
 * Messages of one direction of a connection that are like one before them. A voice sends and hears thousands of pieces of sound that differ in their
 * sound and in their own names alone: to such a message applies what was read in the one that was learnt (`EventPattern`). Any other is read.
 */
import { JsonScanner, type UnwatchedScalars } from '../../json/json-scanner.ts';
import type { WatchedValue } from '../../json/watched-value.ts';
import { EventPattern } from '../event-pattern.ts';

/** A reader that has read a message. */
export interface RepeatableReader<Event> {
  /** What every message is that is like the one that was read; null: one may be another event, or name a model. */
  likeTheLast(): Event | null;
}

/** A shorter message is read as fast as it is compared. Bytes. */
const comparedBytesMin = 256;
/**
 * A new message is learnt only after so many long ones in a row were unlike the learnt one, because a single one of another kind may come between.
 * More are needed after patterns that no message was like.
 */
const missedMin = 2;
const missedMax = 64;

/** Learns messages, for all connections: what is watched at these places is the same in all that are alike, and so are all names of members. */
export class MessageLearner implements UnwatchedScalars {
  readonly #scanner: JsonScanner;
  #pattern = new EventPattern();

  constructor(root: WatchedValue) {
    this.#scanner = new JsonScanner(root, this);
  }

  passed(kind: 'string' | 'word', from: number, to: number): void {
    this.#pattern.passed(kind, from, to);
  }

  learn(pattern: EventPattern, text: Uint8Array, from: number, to: number): void {
    this.#pattern = pattern;
    pattern.forget();
    this.#scanner.clear();
    this.#scanner.push(text, from, to);
    if (this.#scanner.verdict() === 'valid') pattern.learn(text, { from, dataTo: to, to });
  }
}

export class AlikeMessages<Event> {
  readonly #learner: MessageLearner;
  #pattern: EventPattern | null = null;
  #learnt: Event | null = null;
  /** Messages that were like the learnt one, and those since then that were not. */
  #found = 0;
  #missed = 0;
  /** How many must be unlike it before another one is learnt. */
  #missedMin = missedMin;

  constructor(learner: MessageLearner) {
    this.#learner = learner;
  }

  /** What `text[from..to)` is, if it is like the learnt message, else null. */
  eventOf(text: Uint8Array, from: number, to: number): Event | null {
    if (this.#learnt === null || to - from < comparedBytesMin || !this.#pattern!.isAlike(text, from, to)) return null;
    this.#found += 1;
    this.#missed = 0;
    return this.#learnt;
  }

  /** `text[from..to)` was like none, and `reader` has read it. */
  wasRead(text: Uint8Array, from: number, to: number, reader: RepeatableReader<Event>): void {
    if (to - from < comparedBytesMin) return;
    this.#missed += 1;
    if (this.#missed < this.#missedMin) return;
    const event = reader.likeTheLast();
    if (event === null) return;
    this.#missedMin = this.#found > 0 || this.#pattern === null ? missedMin : Math.min(this.#missedMin * 2, missedMax);
    this.#found = this.#missed = 0;
    const pattern = this.#pattern ??= new EventPattern();
    this.#learner.learn(pattern, text, from, to);
    this.#learnt = pattern.known ? event : null;
  }
}
