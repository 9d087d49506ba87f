/**
 * The body of a call → whether it asks for its work to be done later, and so billed later: in which members, says the table (`later-work.ts`).
 * Rule 6c. A name that comes twice counts in each of its values, since servers differ in which of them they take. Only a body that was read to
 * its end as one JSON object says no: what is compressed, cut or no JSON is `unread`.
 */
import { JsonScanner } from '../json/json-scanner.ts';
import { watched, WatchedValue, type ValueKind } from '../json/watched-value.ts';
import type { AskedInBody } from './later-work.ts';
import type { AskedLater } from './unmetered.ts';

/** Watches one body go by, in pieces cut anywhere; time grows with the bytes alone, memory does not. Never throws. */
export class LaterScanner {
  readonly #asks: readonly EverSet[];
  readonly #body: WatchedValue;
  readonly #scanner: JsonScanner;

  constructor(members: AskedInBody) {
    const asks = Object.entries(members).map(([name, harmless]) => [name, new EverSet(harmless)] as const);
    this.#asks = asks.map(([, place]) => place);
    this.#body = watched(Object.fromEntries(asks));
    this.#scanner = new JsonScanner(this.#body);
  }

  /** The next bytes. No reference to `chunk` is kept. */
  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** What the body asks for, if it ends here. */
  result(): AskedLater {
    if (this.#asks.some(({ wasSet }) => wasSet)) return 'yes';
    return this.#scanner.verdict() === 'valid' && this.#body.kind === 'object' ? 'no' : 'unread';
  }
}

/** A place that remembers whether any value at it was something else than `false`, `null` or one of some harmless texts. */
export class EverSet extends WatchedValue {
  readonly #harmless: readonly string[];
  #set = false;

  constructor(harmless: readonly string[] = []) {
    super(null, null);
    this.#harmless = harmless;
  }

  get wasSet(): boolean {
    return this.#set || this.#sets(this.kind);
  }

  /** For the next text. */
  begin(): void {
    this.forget();
    this.#set = false;
  }

  override forget(): void {
    this.#set ||= this.#sets(this.kind);
    super.forget();
  }

  override write(kind: ValueKind, source: Uint8Array, from: number, to: number): void {
    super.write(kind, source, from, to);
    this.#set ||= this.#sets(kind);
  }

  #sets(kind: ValueKind): boolean {
    if (kind === 'absent' || kind === 'false' || kind === 'null') return false;
    // A text whose end has not come is judged once it has.
    return kind !== 'string' || (this.complete && !this.#harmless.includes(this.string()?.toLowerCase() ?? ''));
  }
}
