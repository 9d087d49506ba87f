/**
 * The bytes of one response → its reading: model, finish reason, usage. Spec: Usage fields read from forwarded responses;
 * design 4. Memory does not grow with the response. A fault of its own becomes usage `unknown`, `reader_fault`: reading
 * must never harm the call it watches.
 */
import { EventStreamForm, JsonBodyForm, type BodyForm, type FormVerdict } from './body-form.ts';
import { createChatDialect } from './chat-dialect.ts';
import type { Dialect } from './dialect.ts';
import { createMessagesDialect } from './messages-dialect.ts';
import { createResponsesDialect } from './responses-dialect.ts';
import { noTokens, type Reading, type ReadingContext, type UsageReader, type UsageReason, type UsageState } from './reading.ts';

/**
 * The reader for one response with status 2xx; what other statuses report is never usage. `finish` gives it back: it must
 * not be touched afterwards, since the next response may already be read with it. Readers are kept because making one
 * takes dozens of small objects, which at thousands of calls a second is most of what the collector would have to do.
 */
export function createUsageReader(context: ReadingContext): UsageReader {
  const kept = idleReaders(context);
  const idle = kept?.pop();
  if (idle !== undefined) return idle;
  const dialect = dialectOf(context);
  if (dialect === null || kept === undefined) return nothingToRead;
  const form = context.streamed ? new EventStreamForm(dialect) : new JsonBodyForm(dialect);
  return new ResponseReader(dialect, form, kept);
}

/** How many idle readers of one kind are kept; each holds a few kilobytes. */
const idleReadersMax = 128;
const idleByKind = new Map<string, ResponseReader[]>();

function idleReaders({ wire, endpoint, streamed }: ReadingContext): ResponseReader[] | undefined {
  const kind = `${wire} ${endpoint} ${streamed}`;
  let kept = idleByKind.get(kind);
  if (kept === undefined) idleByKind.set(kind, kept = []);
  return kept;
}

/** Null where the endpoint never reports usage. A declared upstream is read as the first wire, whatever its paths are called. */
function dialectOf({ wire, endpoint }: ReadingContext): Dialect | null {
  if (endpoint === 'models' || endpoint === 'other') return null;
  if (wire === 'anthropic') return endpoint === 'messages' ? createMessagesDialect() : null;
  return endpoint === 'responses' ? createResponsesDialect(wire === 'upstream') : createChatDialect(wire === 'upstream');
}

const nothingToRead: UsageReader = Object.freeze({
  push(): void {},
  dialogueEnded: false,
  finish: () => withoutFigures('none', null),
});

function withoutFigures(usage: UsageState, usageReason: UsageReason | null): Reading {
  return { model: null, finishReason: null, usage, usageReason, tokens: noTokens, reportedCost: null };
}

class ResponseReader implements UsageReader {
  private readonly dialect: Dialect;
  private readonly form: BodyForm;
  private readonly kept: ResponseReader[];
  private broken = false;

  constructor(dialect: Dialect, form: BodyForm, kept: ResponseReader[]) {
    this.dialect = dialect;
    this.form = form;
    this.kept = kept;
  }

  get dialogueEnded(): boolean {
    return this.form.dialogueEnded;
  }

  push(chunk: Uint8Array): void {
    if (this.broken) return;
    try {
      this.form.push(chunk);
    } catch {
      this.broken = true;
    }
  }

  finish(ending: 'whole' | 'cut'): Reading {
    if (this.broken) return withoutFigures('unknown', 'reader_fault');
    try {
      const verdict = this.form.end(ending);
      const reading = this.readingOf(verdict, this.form.dialogueEnded ? 'whole' : ending);
      this.giveBack();
      return reading;
    } catch {
      return withoutFigures('unknown', 'reader_fault');
    }
  }

  /** A reader that broke is never used again. */
  private giveBack(): void {
    if (this.kept.length === idleReadersMax) return;
    this.form.clear();
    this.dialect.clear();
    this.kept.push(this);
  }

  private readingOf(verdict: FormVerdict, ending: 'whole' | 'cut'): Reading {
    const { model, finishReason, usage, usageFinal } = this.dialect.findings;
    const known = { model, finishReason };
    const missing: UsageReason = verdict === 'not_readable' ? 'not_readable' : ending === 'cut' ? 'cut' : 'absent';
    if (usage === null) return { ...withoutFigures('unknown', missing), ...known };
    if (usage.kind === 'not_a_figure') return { ...withoutFigures('unknown', 'not_a_figure'), ...known };
    const figures = { tokens: usage.tokens, reportedCost: usage.cost };
    if (usageFinal) return { ...known, ...figures, usage: 'reported', usageReason: null };
    if (this.dialect.keepsPartial) return { ...known, ...figures, usage: 'partial', usageReason: missing };
    if (ending === 'whole') return { ...known, ...figures, usage: 'reported', usageReason: null };
    return { ...withoutFigures('unknown', 'cut'), ...known };
  }
}
