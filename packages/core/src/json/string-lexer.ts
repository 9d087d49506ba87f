/**
 * The inside of one JSON string, cut anywhere: finds its closing quote, checks escapes and that the bytes are UTF-8
 * (RFC 8259 sections 7 and 8.1; RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF).
 */

import { plainRunEnd } from './plain-run.ts';

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** 1 for what may follow a backslash, but for `u`. */
export const shortEscape = new Uint8Array(256).map((_, byte) => ('"\\/bfnrt'.includes(String.fromCharCode(byte)) ? 1 : 0));
export const hexDigit = new Uint8Array(256).map((_, byte) => (/[0-9a-fA-F]/.test(String.fromCharCode(byte)) ? 1 : 0));

/** How many bytes follow one that begins a character of several bytes; 0 for those that cannot. */
export const continuationsAfter = new Uint8Array(256).map((_, byte) => (byte < 0xc2 || byte > 0xf4 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3));

/** Where `scan` stopped: chunk used up, closing quote passed, or no JSON string. */
type StringProgress = 'more' | 'closed' | 'invalid';

/** Reads one string after its opening quote; `open` begins the next. */
export class StringLexer {
  /** Index after the last byte looked at. */
  at = 0;
  /** The string held a backslash. */
  escaped = false;
  /** A backslash was the last byte. */
  #afterBackslash = false;
  #hexDigitsDue = 0;
  #continuationsDue = 0;
  /** Range of the next continuation byte; narrower after some first bytes. */
  #continuationMin = 0x80;
  #continuationMax = 0xbf;

  /** A new string begins. */
  open(): void {
    this.escaped = false;
    this.#afterBackslash = false;
    this.#hexDigitsDue = 0;
    this.#continuationsDue = 0;
    this.#continuationMin = 0x80;
    this.#continuationMax = 0xbf;
  }

  /** Reads on in `chunk[from..to)`; `at` then tells how far. */
  scan(chunk: Uint8Array, from: number, to: number): StringProgress {
    let i = from;
    while (i < to) {
      if (this.#afterBackslash || this.#hexDigitsDue > 0 || this.#continuationsDue > 0) {
        if (!this.#takePending(chunk[i]!)) return this.#stop(i, 'invalid');
        i++;
        continue;
      }
      i = plainRunEnd(chunk, i, to);
      if (i === to) break;
      const byte = chunk[i]!;
      if (byte === quote) return this.#stop(i + 1, 'closed');
      if (byte === backslash) {
        this.escaped = true;
        if (i + 1 < to && shortEscape[chunk[i + 1]!] === 1) i += 2;
        else {
          this.#afterBackslash = true;
          i++;
        }
        continue;
      }
      i = this.#scanCharacters(chunk, i, to);
      if (i < 0) return this.#stop(to, 'invalid');
    }
    return this.#stop(to, 'more');
  }

  #stop(at: number, progress: StringProgress): StringProgress {
    this.at = at;
    return progress;
  }

  /** The next byte of an escape or of a character of several bytes; false if it cannot be. */
  #takePending(byte: number): boolean {
    if (this.#afterBackslash) {
      this.#afterBackslash = false;
      if (byte === letterU) this.#hexDigitsDue = 4;
      return byte === letterU || shortEscape[byte] === 1;
    }
    if (this.#hexDigitsDue > 0) {
      this.#hexDigitsDue--;
      return hexDigit[byte] === 1;
    }
    if (byte < this.#continuationMin || byte > this.#continuationMax) return false;
    this.#continuationMin = 0x80;
    this.#continuationMax = 0xbf;
    this.#continuationsDue--;
    return true;
  }

  /** A run of characters of several bytes, from a first byte on; the index after it, or −1 where it is not UTF-8. */
  #scanCharacters(chunk: Uint8Array, from: number, to: number): number {
    let i = from;
    while (i < to && chunk[i]! >= 0x80) {
      if (!this.#beginCharacter(chunk[i]!)) return -1;
      i++;
      while (i < to && this.#continuationsDue > 0) if (!this.#takePending(chunk[i++]!)) return -1;
    }
    return i === from ? -1 : i;
  }

  #beginCharacter(byte: number): boolean {
    this.#continuationsDue = continuationsAfter[byte]!;
    if (this.#continuationsDue === 0) return false;
    if (byte === 0xe0) this.#continuationMin = 0xa0;
    else if (byte === 0xed) this.#continuationMax = 0x9f;
    else if (byte === 0xf0) this.#continuationMin = 0x90;
    else if (byte === 0xf4) this.#continuationMax = 0x8f;
    return true;
  }
}
