/**
 * The bytes of an answer that tells how work ended → what the work used. The answer itself has no usage: its reading is that nothing was due.
 * Memory does not grow with the answer: of a file of results one line at a time is looked at. What cannot be read to its end tells nothing.
 * Rule 6f.
 */
import { JsonScanner } from '../json/json-scanner.ts';
import { lineOfMessages, lineOfResults, objectOf, type LinePlaces, type OutcomeListener } from './outcome-parts.ts';
import { createUsageReader } from './reader.ts';
import { nothingDue, type Reading, type ReadingContext, type UsageReader } from './reading.ts';

/** The reader of one such answer, with status 200. */
export function createOutcomeReader({ wire, streamed }: Pick<ReadingContext, 'wire' | 'streamed'>, listener: OutcomeListener): UsageReader {
  const readsCost = wire === 'upstream';
  switch (listener.form) {
    case 'response': return new ResponseOutcome(createUsageReader({ wire, endpoint: 'responses', streamed }), listener);
    case 'interaction': {
      return new InteractionOutcome(createUsageReader({ wire, endpoint: 'other', streamed, dialect: 'gemini-interactions' }), listener);
    }
    case 'result_file': return new LineOutcomes(lineOfResults(readsCost), listener);
    case 'message_results': return new LineOutcomes(lineOfMessages(), listener);
    default: return new ObjectOutcome(objectOf(listener.form, readsCost), listener);
  }
}

/** A response that was made in the background. Of one in the foreground, its own call has the usage. */
class ResponseOutcome implements UsageReader {
  readonly #reader: UsageReader;
  readonly #listener: OutcomeListener;

  constructor(reader: UsageReader, listener: OutcomeListener) {
    this.#reader = reader;
    this.#listener = listener;
  }

  get dialogueEnded(): boolean { return this.#reader.dialogueEnded; }

  push(chunk: Uint8Array): void { this.#reader.push(chunk); }

  finish(ending: 'whole' | 'cut'): Reading {
    const reading = this.#reader.finish(ending);
    const works = this.takes(reading);
    if (works !== null) {
      this.#listener.part(reading);
      this.#listener.ended(works);
    }
    return nothingDue;
  }

  /** The work that it tells the end of, as the listener hears it; null: of none. */
  protected takes({ usage, work, finishReason }: Reading): readonly string[] | null {
    return usage === 'reported' && work !== null && finishReason !== 'queued' && finishReason !== 'in_progress' ? [work] : null;
  }
}

/** An interaction does not say whether it was made in the background: the store knows by which call it was begun. */
class InteractionOutcome extends ResponseOutcome {
  protected override takes({ usage, work }: Reading): readonly string[] | null {
    return usage === 'reported' && work === null ? [] : null;
  }
}

/** One JSON object that says whether the work has ended. */
class ObjectOutcome implements UsageReader {
  readonly dialogueEnded = false;
  readonly #scanner: JsonScanner;
  readonly #parts: ReturnType<typeof objectOf>;
  readonly #listener: OutcomeListener;

  constructor(parts: ReturnType<typeof objectOf>, listener: OutcomeListener) {
    this.#scanner = new JsonScanner(parts.place);
    this.#parts = parts;
    this.#listener = listener;
  }

  push(chunk: Uint8Array): void { this.#scanner.push(chunk); }

  finish(ending: 'whole' | 'cut'): Reading {
    if (ending === 'whole' && this.#scanner.verdict() === 'valid' && this.#parts.place.kind === 'object') this.#parts.take(this.#listener);
    return nothingDue;
  }
}

const lineFeed = 0x0a;

/** A line for each request. If one line has another form, the file is not one of these. */
class LineOutcomes implements UsageReader {
  readonly dialogueEnded = false;
  readonly #scanner: JsonScanner;
  readonly #line: LinePlaces;
  readonly #listener: OutcomeListener;
  #lines = 0;
  #isOther = false;

  constructor(line: LinePlaces, listener: OutcomeListener) {
    this.#scanner = new JsonScanner(line.place);
    this.#line = line;
    this.#listener = listener;
  }

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length && !this.#isOther;) {
      const end = chunk.indexOf(lineFeed, from);
      this.#scanner.push(chunk, from, end === -1 ? chunk.length : end);
      if (end === -1) return;
      this.#takeLine();
      from = end + 1;
    }
  }

  finish(ending: 'whole' | 'cut'): Reading {
    if (ending === 'whole' && !this.#isOther) this.#takeLine();
    if (ending === 'whole' && !this.#isOther && this.#lines > 0) this.#listener.ended([]);
    return nothingDue;
  }

  #takeLine(): void {
    const verdict = this.#scanner.verdict();
    if (verdict !== 'empty') {
      const part = verdict === 'valid' ? this.#line.take() : null;
      if (part === null) this.#isOther = true;
      else if (part.usage !== 'none') this.#listener.part(part);
      this.#lines += 1;
    }
    this.#scanner.clear();
    this.#line.clear();
  }
}
