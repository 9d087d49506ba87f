/**
 * The export files of OpenAI and Anthropic → a bill. JSON: pages of their usage and cost APIs, one or a list of them. CSV: the exports of
 * their dashboards. Forms: docs/reconcile.md. @throws BillFault with a sentence for any other file.
 */
import type { Provider } from '../wire/wire.ts';
import { amountOf, BillFault, dayOfBucket, figureOf, type Bill, type BillLine } from './bill.ts';
import { csvRows, type CsvRow } from './csv-rows.ts';

type Members = Readonly<Record<string, unknown>>;
interface Read {
  readonly line: BillLine;
  readonly places: number | null;
}

/** A provider's export, JSON or CSV, as lines. Throws a `BillFault`, which says what is wrong with the file. */
export function readBill(provider: Provider, text: string): Bill {
  const trimmed = text.trimStart();
  const read = trimmed.startsWith('{') || trimmed.startsWith('[') ? bucketsIn(trimmed).flatMap((bucket) => ofBucket(provider, bucket))
    : csvRows(text).map(forms[provider].row);
  if (read.length === 0) throw new BillFault('The file has no lines of usage or cost.');
  const places = read.reduce((most, each) => Math.max(most, each.places ?? -1), -1);
  return { lines: read.map(({ line }) => line), places: places < 0 ? null : places };
}

function bucketsIn(text: string): Members[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BillFault('The file is not JSON, though it begins like it.');
  }
  const pages = Array.isArray(value) ? value : [value];
  if (pages.some((page) => !isObject(page))) throw new BillFault(notKnown);
  const last = pages.at(-1) as Members | undefined;
  if (last?.has_more === true) {
    throw new BillFault('The file is not the whole export: its last page says that there is more. Put all pages in one JSON array.');
  }
  return pages.flatMap((page: Members) => {
    const data = page.data ?? ('results' in page ? [page] : null);
    if (!Array.isArray(data) || !data.every(isObject)) throw new BillFault(notKnown);
    return data as Members[];
  });
}

const notKnown = 'The form of the file is not known: it must be a usage or cost export of the provider, in a form that docs/reconcile.md lists.';

function ofBucket(provider: Provider, bucket: Members): Read[] {
  const { results } = bucket;
  if (!Array.isArray(results) || !results.every(isObject)) throw new BillFault(notKnown);
  const { bounds, result } = forms[provider];
  const [start, end] = bounds(bucket);
  const day = dayOfBucket(start ?? Number.NaN, end);
  return (results as Members[]).map((each) => result(day, each));
}

/** What the exports of one provider look like. */
interface ExportForm {
  /** Start and end of a bucket. */
  readonly bounds: (bucket: Members) => readonly [startMs: number | null, endMs: number | null];
  /** One result of a bucket. */
  readonly result: (day: string, result: Members) => Read;
  /** One row of a CSV file. */
  readonly row: (row: CsvRow) => Read;
}

const forms: Readonly<Record<Provider, ExportForm>> = {
  openai: { bounds: (bucket) => [secondsMs(bucket.start_time), secondsMs(bucket.end_time)], result: openaiResult, row: openaiRow },
  anthropic: { bounds: (bucket) => [isoMs(bucket.starting_at), isoMs(bucket.ending_at)], result: anthropicResult, row: anthropicRow },
};

const nothing = { requestId: null, calls: null, inputTokens: null, outputTokens: null, cost: null } as const;

function openaiResult(day: string, result: Members): Read {
  if (isObject(result.amount)) {
    checkDollars(result.amount.currency);
    const { cost, places } = amountOf(result.amount.value, 0);
    return { line: { ...nothing, day, model: modelOfItem(result.line_item), cost }, places };
  }
  if (!('num_model_requests' in result)) throw new BillFault(notKnown);
  const inputTokens = figureOf(result.input_tokens);
  return {
    line: {
      ...nothing, day, model: textOf(result.model), calls: figureOf(result.num_model_requests), inputTokens,
      outputTokens: figureOf(result.output_tokens) ?? (inputTokens === null ? null : 0),
    },
    places: null,
  };
}

function anthropicResult(day: string, result: Members): Read {
  if ('amount' in result) {
    checkDollars(result.currency);
    const { cost, places } = amountOf(result.amount, 2);
    return { line: { ...nothing, day, model: textOf(result.model), cost }, places };
  }
  if (!('uncached_input_tokens' in result)) throw new BillFault(notKnown);
  return {
    line: {
      ...nothing, day, model: textOf(result.model), inputTokens: figureOf(result.uncached_input_tokens),
      outputTokens: figureOf(result.output_tokens),
    },
    places: null,
  };
}

function openaiRow(row: CsvRow): Read {
  const startMs = row.start_time_iso === undefined || row.start_time_iso === '' ? secondsMs(row.start_time ?? row.date) : isoMs(row.start_time_iso);
  const endMs = row.end_time_iso === undefined || row.end_time_iso === '' ? secondsMs(row.end_time) : isoMs(row.end_time_iso);
  const day = dayOfBucket(startMs ?? isoMs(row.date) ?? Number.NaN, endMs);
  const requestId = textOf(row.request_id);
  if ('amount_value' in row) {
    if (!/^(?:usd)?$/i.test(row.amount_currency ?? '')) throw new BillFault('The file has amounts in another currency than US dollars.');
    const { cost, places } = amountOf(row.amount_value, 0);
    return { line: { ...nothing, requestId, day, model: textOf(row.model) ?? modelOfItem(row.line_item), cost }, places };
  }
  if (!('input_tokens' in row)) throw new BillFault(notKnown);
  return {
    line: {
      ...nothing, requestId, day, model: textOf(row.model), calls: figureOf(row.num_model_requests), inputTokens: figureOf(row.input_tokens),
      outputTokens: figureOf(row.output_tokens),
    },
    places: null,
  };
}

function anthropicRow(row: CsvRow): Read {
  const day = dayOfBucket(isoMs(row.usage_date_utc ?? row.date) ?? Number.NaN, null);
  const requestId = textOf(row.request_id);
  const model = textOf(row.model_version) ?? textOf(row.model);
  if ('cost_usd' in row) {
    const { cost, places } = amountOf(row.cost_usd, 0);
    return { line: { ...nothing, requestId, day, model, cost }, places };
  }
  const input = row.usage_input_tokens_no_cache ?? row.uncached_input_tokens;
  if (input === undefined) throw new BillFault(notKnown);
  return {
    line: { ...nothing, requestId, day, model, inputTokens: figureOf(input), outputTokens: figureOf(row.usage_output_tokens ?? row.output_tokens) },
    places: null,
  };
}

function checkDollars(currency: unknown): void {
  if (textOf(currency)?.toLowerCase() !== 'usd') throw new BillFault('The file has amounts in another currency than US dollars.');
}

/** `gpt-4o-2024-08-06, cached input` → `gpt-4o-2024-08-06`. A text without a model, such as `Web search`, is an item of its own. */
function modelOfItem(item: unknown): string | null {
  return textOf(item)?.split(', ', 1)[0] ?? null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function secondsMs(value: unknown): number | null {
  return (typeof value === 'number' || (typeof value === 'string' && /^\d{1,12}$/.test(value))) ? Number(value) * 1_000 : null;
}

function isoMs(value: unknown): number | null {
  const ms = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
