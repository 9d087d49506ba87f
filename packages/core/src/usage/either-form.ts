/**
 * A JSON text, lines of them or a stream of events, whichever the first byte shows: providers send streams as `text/plain` or
 * `application/json`, and answer whoever asked for a stream with a JSON text under a stream's type. What shows none of them is of the form that its
 * type names. Decision 372.
 */
import { EventStreamForm, JsonBodyForm, type BodyForm, type FormVerdict } from './body-form.ts';
import type { Dialect } from './dialect.ts';
import { LinesForm } from './lines-form.ts';

/** White space, and the bytes of a byte order mark: they show nothing. */
const blank: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
/** `{` and `[`. No line of an event stream begins so. */
const opensJson: ReadonlySet<number> = new Set([0x7b, 0x5b]);
/** A comment, or the fields `data`, `event`, `id` and `retry`. No object and no array begins so. */
const opensEvents: ReadonlySet<number> = new Set([0x3a, 0x64, 0x65, 0x69, 0x72]);

/** `lines`: each is a JSON text. Their first byte is that of one JSON text too. */
export type NamedForm = 'whole' | 'lines' | 'events';

export class EitherForm implements BodyForm {
  readonly #dialect: Dialect;
  readonly #named: NamedForm;
  /** Made with the first body of that form. */
  #whole: JsonBodyForm | null = null;
  #lines: LinesForm | null = null;
  #events: EventStreamForm | null = null;
  #form: BodyForm;
  /** A byte has shown which form it is. */
  #isShown = false;

  /** @param named the form that the type of the answer names */
  constructor(dialect: Dialect, named: NamedForm) {
    this.#dialect = dialect;
    this.#named = named;
    this.#form = this.#of(named);
  }

  get dialogueEnded(): boolean {
    return this.#form.dialogueEnded;
  }

  push(chunk: Uint8Array): void {
    if (this.#isShown) this.#form.push(chunk);
    else this.#pushFirst(chunk);
  }

  #pushFirst(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length && blank.has(chunk[at]!)) at += 1;
    this.#isShown = at < chunk.length;
    const shown = this.#isShown ? this.#shownBy(chunk[at]!) : this.#named;
    if (shown === this.#named) return this.#form.push(chunk);
    // What came before was blank.
    this.#form.clear();
    this.#form = this.#of(shown);
    this.#form.push(chunk.subarray(at));
  }

  #shownBy(first: number): NamedForm {
    if (opensEvents.has(first)) return 'events';
    return this.#named === 'events' && opensJson.has(first) ? 'whole' : this.#named;
  }

  end(ending: 'whole' | 'cut'): FormVerdict {
    return this.#form.end(ending);
  }

  clear(): void {
    this.#form.clear();
    this.#form = this.#of(this.#named);
    this.#isShown = false;
  }

  #of(form: NamedForm): BodyForm {
    switch (form) {
      case 'whole': return this.#whole ??= new JsonBodyForm(this.#dialect);
      case 'lines': return this.#lines ??= new LinesForm(this.#dialect);
      case 'events': return this.#events ??= new EventStreamForm(this.#dialect);
    }
  }
}
