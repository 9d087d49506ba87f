/**
 * The body of a call of the Responses API → whether it asks for its work to be done in the background, and so billed later. Rule 6c. A name
 * that comes twice counts in each of its values, since servers differ in which of them they take. Only a body that was read to its end as
 * one JSON object says no: what is compressed, cut or no JSON is `unread`.
 */
import { JsonScanner } from '../json/json-scanner.ts';
import { watched, WatchedValue, type ValueKind } from '../json/watched-value.ts';
import type { AskedLater } from './unmetered.ts';

/** Watches one body go by, in pieces cut anywhere; time grows with the bytes alone, memory does not. Never throws. */
export class BackgroundScanner {
  readonly #background = new EverSet();
  readonly #body = watched({ background: this.#background });
  readonly #scanner = new JsonScanner(this.#body);

  /** The next bytes. No reference to `chunk` is kept. */
  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** What the body asks for, if it ends here. */
  result(): AskedLater {
    if (this.#background.wasSet) return 'yes';
    return this.#scanner.verdict() === 'valid' && this.#body.kind === 'object' ? 'no' : 'unread';
  }
}

/** A place that remembers whether any value at it was something else than `false` or `null`. */
export class EverSet extends WatchedValue {
  #set = false;

  constructor() {
    super(null, null);
  }

  get wasSet(): boolean {
    return this.#set || sets(this.kind);
  }

  /** For the next text. */
  begin(): void {
    this.forget();
    this.#set = false;
  }

  override forget(): void {
    this.#set ||= sets(this.kind);
    super.forget();
  }

  override write(kind: ValueKind, source: Uint8Array, from: number, to: number): void {
    this.#set ||= sets(kind);
    super.write(kind, source, from, to);
  }
}

function sets(kind: ValueKind): boolean {
  return kind !== 'absent' && kind !== 'false' && kind !== 'null';
}
