/**
 * OpenAI's exports: pages of the usage API (one list for each operation) and of the costs API, and the CSV files of its dashboard.
 */
import { amountOf, checkDollars, countsOf, billFigure, type BillLine, type BilledOperation } from '../bill.ts';
import { dayOfBucket, type BillDay } from '../bill-days.ts';
import { itemOf, type BillItem } from '../bill-items.ts';
import type { ExportRow } from '../csv-rows.ts';
import { isObject, textOf, type JsonMembers } from '../json-rows.ts';
import { isPlainId } from '../model-names.ts';
import { bucketOfRow, firstOf, nothingBilled, type ReadLine, type SellerForms } from './form.ts';

/** The word in `organization.usage.….result`. */
const operationOf: Readonly<Record<string, BilledOperation>> = {
  completions: 'text', embeddings: 'embeddings', moderations: 'moderations', images: 'images', audio_speeches: 'speech',
  audio_transcriptions: 'transcription',
};
const itemOfList: Readonly<Record<string, BillItem>> = {
  vector_stores: 'storage', code_interpreter_sessions: 'code_execution', file_searches: 'file_search', file_search_calls: 'file_search',
  web_searches: 'web_search', web_search_calls: 'web_search',
};

export const openaiForms: SellerForms = {
  itemsApart: true,
  pages: {
    title: 'JSON pages of the usage API (completions, embeddings, images, audio_speeches, …) or of the costs API',
    bucketOf(bucket) {
      const end = secondsMs(bucket.end_time);
      return dayOfBucket(secondsMs(bucket.start_time) ?? Number.NaN, end, null);
    },
    read: (bucket, result) => (isObject(result.amount) ? costResult(bucket, result, result.amount) : usageResult(bucket, result)),
  },
  rows: [
    {
      title: 'the dashboard\'s cost CSV (start_time or start_time_iso, amount_value, line_item)',
      columns: [['start_time_iso', 'start_time', 'date'], ['amount_value']],
      read(row) {
        const bucket = bucketOf(row);
        const currency = row.get('amount_currency');
        if (currency !== undefined && currency !== '') checkDollars(currency);
        const { cost, places } = amountOf(row.get('amount_value'), 0);
        return { line: { ...lineOfItem(bucket.day, textOf(row.get('model')) ?? textOf(row.get('line_item'))), requestId: requestOf(row), cost },
          bucket, places };
      },
    },
    {
      title: 'the dashboard\'s usage CSV (start_time or start_time_iso, model, input_tokens, output_tokens, num_model_requests)',
      columns: [['start_time_iso', 'start_time', 'date'], ['input_tokens']],
      read(row) {
        const bucket = bucketOf(row);
        const requestId = requestOf(row);
        const counts = tokenCounts((name) => row.get(name), requestId === null ? null : 1);
        return { line: { ...nothingBilled, day: bucket.day, name: textOf(row.get('model')), requestId, counts }, bucket, places: null };
      },
    },
  ],
};

function costResult(bucket: BillDay, result: JsonMembers, amount: JsonMembers): ReadLine {
  checkDollars(amount.currency);
  const { cost, places } = amountOf(amount.value, 0);
  return { line: { ...lineOfItem(bucket.day, textOf(result.line_item)), cost }, bucket, places };
}

function usageResult(bucket: BillDay, result: JsonMembers): ReadLine | null {
  const list = /^organization\.usage\.([a-z_]{1,64})\.result$/.exec(textOf(result.object) ?? '')?.[1];
  const item = list === undefined ? undefined : itemOfList[list];
  const line = { ...nothingBilled, day: bucket.day };
  if (item !== undefined) {
    const calls = billFigure(result.num_requests ?? result.num_sessions ?? result.sessions);
    // Storage has bytes, which nothing here counts: a line without usage is left out by its bytes too.
    const bytes = billFigure(result.usage_bytes);
    if (calls === null && bytes === 0) return { line: { ...line, item, counts: { calls: 0 } }, bucket, places: null };
    return { line: { ...line, item, counts: countsOf({ calls }) }, bucket, places: null };
  }
  if (!('num_model_requests' in result)) return null;
  const operation = operationOf[list ?? ''];
  const known = operation === undefined ? {} : { operation };
  if (operation === 'moderations') {
    return { line: { ...line, item: 'moderation', counts: countsOf({ calls: billFigure(result.num_model_requests) }) }, bucket, places: null,
      ...known };
  }
  const counts = tokenCounts((name) => result[name], null);
  return { line: { ...line, name: textOf(result.model), counts }, bucket, places: null, ...known };
}

function tokenCounts(get: (name: string) => unknown, calls: number | null): BillLine['counts'] {
  const inputTokens = billFigure(get('input_tokens'));
  return countsOf({
    calls: billFigure(get('num_model_requests')) ?? calls, inputTokens,
    outputTokens: billFigure(get('output_tokens')) ?? (inputTokens === null ? null : 0),
    cachedTokens: billFigure(get('input_cached_tokens')), cacheWriteTokens: billFigure(get('input_cache_write_tokens')),
    audioInputTokens: billFigure(get('input_audio_tokens')), audioOutputTokens: billFigure(get('output_audio_tokens')),
    imageInputTokens: billFigure(get('input_image_tokens')), imageOutputTokens: billFigure(get('output_image_tokens')),
    seconds: billFigure(get('seconds')), characters: billFigure(get('characters')), images: billFigure(get('images')),
  });
}

/**
 * `gpt-4o-2024-08-06, cached input` is that model; `gpt-4o-2024-08-06, web search` and `Web search` are items. What a name that is neither
 * means is decided beside the records.
 */
function lineOfItem(day: string, text: string | null): BillLine {
  if (text === null) return { ...nothingBilled, day };
  const [head, ...rest] = text.split(',').map((part) => part.trim());
  const item = isPlainId(head!.toLowerCase()) ? itemOf(rest.join(' ')) : itemOf(text);
  return { ...nothingBilled, day, name: item === null ? head! : text, item };
}

function bucketOf(row: ExportRow): BillDay {
  const start = firstOf(row, ['start_time_iso', 'start_time', 'date']);
  const end = firstOf(row, ['end_time_iso', 'end_time']);
  return bucketOfRow(isoOf(start), isoOf(end));
}

/** Seconds since the epoch as text, or as it is. */
function isoOf(time: unknown): unknown {
  const ms = secondsMs(time);
  return ms === null ? time : new Date(ms).toISOString();
}

function requestOf(row: ExportRow): string | null {
  return textOf(row.get('request_id'));
}

function secondsMs(value: unknown): number | null {
  const seconds = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 0 && seconds < 8_640_000_000_000 ? Math.round(seconds * 1_000) : null;
}
