/** Where answers that tell how work ended say what it used: objects of jobs, and the lines of batches' results. The forms are the providers' own. */
import { watched, type WatchedValue } from '../json/watched-value.ts';
import { createChatDialect } from './chat-dialect.ts';
import { resetDialect, type Dialect } from './dialect.ts';
import { FirstWireUsage } from './first-wire-usage.ts';
import { providerName } from './found-usage.ts';
import { createMessagesDialect } from './messages-dialect.ts';
import { createOpenDialect } from './open-dialect.ts';
import type { OutcomeForm } from './later-work.ts';
import { reportedReading } from './reader.ts';
import { nothingDue, type Reading } from './reading.ts';
import { unitsOf, type Units } from './units.ts';

/** The tier under which requests of a batch are served, which not every line says. */
const batchTier = 'batch';

/** Hears what became of the work. */
export interface OutcomeListener {
  readonly form: OutcomeForm;
  /** The answer, or one line of it, reports this much. Not yet certain: the answer may be cut. */
  part(reading: Reading): void;
  /** The answer was read to its end, and the work has ended. `works`: as in the record; empty if the answer does not name its work. */
  ended(works: readonly string[]): void;
}

/** One object. */
interface ObjectPlaces {
  readonly place: WatchedValue;
  /** The object was read whole. */
  take(listener: OutcomeListener): void;
}

/** One line. */
export interface LinePlaces {
  readonly place: WatchedValue;
  /** What the line's request used; `none`: it failed, or costs nothing. Null: it is no line of results, or holds what is no figure. */
  take(): Reading | null;
  clear(): void;
}

/** Those that are one object, which says whether the work has ended. */
type ObjectForm = Exclude<OutcomeForm, 'response' | 'interaction' | 'result_file' | 'message_results'>;

/** The places of a job's object. `readsCost`: the destination is a declared upstream. */
export function objectOf(form: ObjectForm, readsCost: boolean): ObjectPlaces {
  switch (form) {
    case 'batch': return batchObject(readsCost);
    case 'video': return videoObject();
    case 'fine_tuning': return trainingObject();
    case 'completion': return completionObject(readsCost);
    case 'wrapped_completion': return wrappedCompletion(readsCost);
  }
}

/** The second row is Mistral's. */
const endsOfBatch = [
  'completed', 'failed', 'expired', 'cancelled',
  'SUCCESS', 'FAILED', 'TIMEOUT_EXCEEDED', 'CANCELLED',
] as const;

/** A batch that has ended names the files of its results. Its usage, if it has one, is that of all its lines. */
function batchObject(readsCost: boolean): ObjectPlaces {
  const [id, object, status, model] = [watched(), watched(), watched(), watched()];
  const files = { output_file_id: watched(), error_file_id: watched(), output_file: watched(), error_file: watched() };
  const usage = new FirstWireUsage(['input', 'output'], { readsCost });
  return {
    place: watched({ id, object, status, model, ...files, usage: usage.place }),
    take(listener) {
      const name = providerName(id.string());
      if (name === null || !object.isString('batch') || !endsOfBatch.some((end) => status.isString(end))) return;
      const found = usage.read();
      if (found?.kind === 'figures' && found.tokens.input !== null && found.tokens.output !== null) {
        const { tokens, cost, units, cachedSplit, cachedBeside } = found;
        listener.part(tokens.input === 0 && tokens.output === 0 ? nothingDue : {
          ...nothingDue, usage: 'reported', model: providerName(model.string()), finishReason: status.string(), serviceTier: batchTier,
          tokens, reportedCost: cost, units, cachedSplit, cachedBeside,
        });
      }
      listener.ended([name, ...Object.values(files).map((file) => providerName(file.string())).filter((file) => file !== null)]);
    },
  };
}

/** A chat that was deferred is answered as it would have been at once, under another id than the one by which it is asked for. */
function completionObject(readsCost: boolean): ObjectPlaces {
  const dialect = createChatDialect({ readsCost });
  return {
    place: dialect.body,
    take(listener) {
      dialect.takeBody();
      const { findings } = dialect;
      if (findings.usage?.kind !== 'figures') return;
      listener.part(reportedReading(findings, findings.usage, null));
      listener.ended([]);
    },
  };
}

/** `{"id": …, "status": "COMPLETED", "response": …}`: the response is the answer that the chat would have got at once. */
function wrappedCompletion(readsCost: boolean): ObjectPlaces {
  const [id, status] = [watched(), watched()];
  const dialect = createChatDialect({ readsCost });
  return {
    place: watched({ id, status, response: dialect.body }),
    take(listener) {
      const name = providerName(id.string());
      if (name === null || !status.isString('COMPLETED') || dialect.body.kind !== 'object') return;
      dialect.takeBody();
      const { findings } = dialect;
      if (findings.usage?.kind !== 'figures') return;
      listener.part(reportedReading(findings, findings.usage, null));
      listener.ended([name]);
    },
  };
}

/** A video's length is written as text. What a failed one costs is not documented, so it stays unknown. */
function videoObject(): ObjectPlaces {
  const [id, object, status, model, seconds] = [watched(), watched(), watched(), watched(), watched()];
  return {
    place: watched({ id, object, status, model, seconds }),
    take(listener) {
      const name = providerName(id.string());
      const units = unitsOf({ seconds: wholeOrFraction(seconds.string() ?? seconds.numberText()) });
      if (name === null || !object.isString('video') || !status.isString('completed') || units === null) return;
      listener.part(byUnits(units, { model: providerName(model.string()), finishReason: status.string() }));
      listener.ended([name]);
    },
  };
}

/** How much a job trained is known once it has ended; a job that ended without any costs nothing that is known. */
function trainingObject(): ObjectPlaces {
  const [id, object, status, model, trained] = [watched(), watched(), watched(), watched(), watched()];
  return {
    place: watched({ id, object, status, model, trained_tokens: trained }),
    take(listener) {
      const name = providerName(id.string());
      const ended = ['succeeded', 'failed', 'cancelled'].some((end) => status.isString(end));
      const tokens = trained.plainWholeNumber();
      if (name === null || !object.isString('fine_tuning.job') || !ended || tokens < 0) return;
      const units = unitsOf({ trainedTokens: tokens });
      listener.part(units === null ? nothingDue : byUnits(units, { model: providerName(model.string()), finishReason: status.string() }));
      listener.ended([name]);
    },
  };
}

function byUnits(units: Units, of: Pick<Reading, 'model' | 'finishReason'>): Reading {
  return { ...nothingDue, ...of, usage: 'reported', units };
}

function wholeOrFraction(text: string | null): number | null {
  return text !== null && /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : null;
}

/** `{"custom_id": …, "response": {"status_code": …, "body": …}, "error": …}`: the body is the answer that the request would have got by itself. */
export function lineOfResults(readsCost: boolean): LinePlaces {
  const [custom, error] = [watched(), watched()];
  const dialect = createOpenDialect(readsCost);
  const response = watched({ body: dialect.body });
  return {
    place: watched({ custom_id: custom, response, error }),
    take() {
      if (custom.kind !== 'string' || (response.kind !== 'object' && error.kind !== 'object')) return null;
      return partOf(dialect);
    },
    clear() {
      resetDialect(dialect);
      for (const place of [custom, error, response]) place.forget();
    },
  };
}

/** `{"custom_id": …, "result": {"type": "succeeded", "message": …}}`. Only what succeeded is charged. */
export function lineOfMessages(): LinePlaces {
  const [custom, type] = [watched(), watched()];
  const dialect = createMessagesDialect(false);
  const result = watched({ type, message: dialect.body });
  return {
    place: watched({ custom_id: custom, result }),
    take: () => custom.kind !== 'string' || type.kind !== 'string' ? null : type.isString('succeeded') ? partOf(dialect) : nothingDue,
    clear() {
      resetDialect(dialect);
      for (const place of [custom, result]) place.forget();
    },
  };
}

function partOf(dialect: Dialect): Reading | null {
  const { findings, body } = dialect;
  if (body.kind !== 'object') return nothingDue;
  dialect.takeBody();
  if (findings.usage === null) return findings.metered ? null : nothingDue;
  return findings.usage.kind === 'not_a_figure' ? null : { ...reportedReading(findings, findings.usage, null), serviceTier: batchTier };
}
