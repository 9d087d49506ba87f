/** A stream of lines, each one JSON text. A line that is not one makes the body unreadable, unless the body was cut in it. */
import { JsonScanner } from '../json/json-scanner.ts';
import type { BodyForm, FormVerdict } from './body-form.ts';
import type { Dialect } from './dialect.ts';

const lineFeed = 0x0a;

export class LinesForm implements BodyForm {
  dialogueEnded = false;
  readonly #dialect: Dialect;
  readonly #scanner: JsonScanner;
  #linesRead = 0;
  #linesUnread = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#scanner = new JsonScanner(dialect.event);
  }

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length && !this.dialogueEnded;) {
      const end = chunk.indexOf(lineFeed, from);
      this.#scanner.push(chunk, from, end === -1 ? chunk.length : end);
      if (end === -1) return;
      this.#endLine();
      from = end + 1;
    }
  }

  end(ending: 'whole' | 'cut'): FormVerdict {
    const cutInLine = ending === 'cut' && this.#scanner.verdict() === 'incomplete';
    if (!this.dialogueEnded && !cutInLine) this.#endLine();
    if (this.#linesUnread > 0) return 'not_readable';
    return this.#linesRead > 0 ? 'readable' : 'empty';
  }

  clear(): void {
    this.#scanner.clear();
    this.dialogueEnded = false;
    this.#linesRead = this.#linesUnread = 0;
  }

  #endLine(): void {
    const verdict = this.#scanner.verdict();
    if (verdict === 'valid') {
      this.#linesRead++;
      this.#dialect.takeEvent();
      this.dialogueEnded = this.#dialect.endsDialogue();
    } else if (verdict !== 'empty') {
      this.#linesUnread++;
    }
    this.#scanner.clear();
  }
}
