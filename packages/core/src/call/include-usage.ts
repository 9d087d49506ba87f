/**
 * The held body of a chat call → whether `stream_options` goes in, and where. Spec: Endpoints rules 1 and 2.
 * The only edit the gateway ever makes to a body. Decided as JavaScript would read the body: names unescaped, the last of
 * two equal names counts, top level only. Anything but a JSON object in valid UTF-8 (with a byte order mark, with trailing bytes, compressed)
 * stays untouched, and the provider judges it.
 */
import { JsonScanner } from '../json/json-scanner.ts';
import { watched } from '../json/watched-value.ts';

/**
 * What goes in right after the object's `{`. It ends in a comma: an object that holds `stream` is never empty.
 * Shared by all calls: write it out, never into it.
 */
export const includeUsageBytes: Uint8Array = new TextEncoder().encode('"stream_options":{"include_usage":true},');

/** `at`: bytes of the body that go before `includeUsageBytes`. */
export type IncludeUsageDecision = { readonly kind: 'insert'; readonly at: number } | { readonly kind: 'untouched' };

/** Watches one body go by, in pieces cut anywhere; time grows with the bytes alone, memory does not. Never throws. */
export interface StreamFlagScanner {
  /** The next bytes. No reference to `chunk` is kept. */
  push(chunk: Uint8Array): void;
  /** The decision, if the body ends here. */
  result(): IncludeUsageDecision;
  /** The body, if it ends here, is a JSON object whose top-level `stream` is literally `true`. */
  readonly streamRequested: boolean;
  /** The text of the top-level `model`, as far as the body came; null: none, or it is no text. */
  readonly model: string | null;
  /** Gives the scanner back for the next body; it must not be touched afterwards. */
  release(): void;
}

const untouched: IncludeUsageDecision = Object.freeze({ kind: 'untouched' });

/** How many idle scanners are kept; making one takes a dozen small objects. */
const idleMax = 128;
const idle: BodyScanner[] = [];

/** A scanner for one body. */
export function createStreamFlagScanner(): StreamFlagScanner {
  return idle.pop() ?? new BodyScanner();
}

class BodyScanner implements StreamFlagScanner {
  readonly #stream = watched();
  readonly #streamOptions = watched();
  readonly #modelPlace = watched();
  readonly #scanner = new JsonScanner(watched({ stream: this.#stream, stream_options: this.#streamOptions, model: this.#modelPlace }));
  /** White space before the first other byte. */
  #leadingBytes = 0;
  #begun = false;

  push(chunk: Uint8Array): void {
    if (!this.#begun) this.#countLeading(chunk);
    this.#scanner.push(chunk);
  }

  get streamRequested(): boolean {
    return this.#stream.kind === 'true' && this.#scanner.complete;
  }

  get model(): string | null {
    return this.#modelPlace.string();
  }

  release(): void {
    if (idle.length === idleMax) return;
    this.#scanner.clear();
    this.#leadingBytes = 0;
    this.#begun = false;
    idle.push(this);
  }

  result(): IncludeUsageDecision {
    if (!this.streamRequested || this.#streamOptions.kind !== 'absent') return untouched;
    return { kind: 'insert', at: this.#leadingBytes + 1 };
  }

  #countLeading(chunk: Uint8Array): void {
    let i = 0;
    while (i < chunk.length && (chunk[i] === 0x20 || chunk[i] === 0x0a || chunk[i] === 0x0d || chunk[i] === 0x09)) i++;
    this.#leadingBytes += i;
    this.#begun = i < chunk.length;
  }
}
