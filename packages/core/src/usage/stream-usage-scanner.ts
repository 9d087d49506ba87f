/**
 * The body of a call in OpenAI's format → whether it asks for a stream without asking for its usage: `stream` without `include_usage` in
 * `stream_options`. Rule 6c. As with work that is done later, a name that comes twice counts in each of its values, and only a body that was read to
 * its end as one JSON object says no.
 */
import { JsonScanner } from '../json/json-scanner.ts';
import { watched, WatchedValue } from '../json/watched-value.ts';
import { EverSet } from './later-scanner.ts';
import type { AskedLater } from './unmetered.ts';

/** Watches one body go by, in pieces cut anywhere; time grows with the bytes alone, memory does not. Never throws. */
export class StreamUsageScanner {
  readonly #stream = new EverSet();
  readonly #includeUsage = new OnlyTrue();
  readonly #options = new OnlyAsking(this.#includeUsage);
  readonly #body = watched({ stream: this.#stream, stream_options: this.#options });
  readonly #scanner = new JsonScanner(this.#body);

  /** The next bytes. No reference to `chunk` is kept. */
  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** Whether the body asks for a stream that reports nothing, if it ends here. */
  result(): AskedLater {
    if (this.#scanner.verdict() !== 'valid' || this.#body.kind !== 'object') return 'unread';
    return this.#stream.wasSet && !this.#options.asks ? 'yes' : 'no';
  }
}

/** A place that remembers whether any value at it was something else than `true`. */
class OnlyTrue extends WatchedValue {
  #other = false;

  constructor() {
    super(null, null);
  }

  /** There is a value, and each was `true`. */
  get asks(): boolean {
    return !this.#other && this.kind === 'true';
  }

  override forget(): void {
    this.#other ||= this.kind !== 'absent' && this.kind !== 'true';
    super.forget();
  }
}

/** Options that remember whether any of them did not ask for usage. */
class OnlyAsking extends WatchedValue {
  readonly #includeUsage: OnlyTrue;
  #other = false;

  constructor(includeUsage: OnlyTrue) {
    super({ include_usage: includeUsage }, null);
    this.#includeUsage = includeUsage;
  }

  get asks(): boolean {
    return !this.#other && this.kind === 'object' && this.#includeUsage.asks;
  }

  override forget(): void {
    this.#other ||= this.kind !== 'absent' && !this.asks;
    super.forget();
  }
}
