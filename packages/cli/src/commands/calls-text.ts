/**
 * Records of calls → a table for people, as wide as the terminal, and under it what the table cannot say: how many
 * calls have no known usage and why, and how many have no price. Every figure shown was reported; `?` stands for one that is
 * not known, `+` behind one that is the least it can be.
 */
import { costGapNames, type CallRecordJson, type CostGap } from '@metergate/core/record/call-record.ts';
import type { UsageReason } from '@metergate/core/usage/reading.ts';
import { countOf } from '../command-line/counts.ts';
import { plain, secondsText, table } from '../command-line/table.ts';

/** The columns left out on a narrow terminal, the first one first. The id stays: other commands need it. */
const drops = ['LABELS', 'RUN', 'CACHED', 'PROJECT', 'CALL', 'KEY', 'IN', 'MODEL'] as const;
/** The most models named in the line about prices. */
const modelsNamedMax = 3;

interface Column {
  readonly head: string;
  readonly value: (record: CallRecordJson, names: NamesByKey) => string | number | null;
  /** Left out if no record has a value above 0 in it. */
  readonly optional?: true;
}

const columns: readonly Column[] = [
  { head: 'STARTED', value: ({ startedAt }) => secondsText(startedAt) },
  { head: 'CALL', value: callOf },
  { head: 'STATUS', value: statusOf },
  { head: 'MODEL', value: modelOf },
  { head: 'IN', value: (record) => figureOf(record, record.inputTokens) },
  { head: 'CACHED', value: ({ cachedTokens }) => cachedTokens, optional: true },
  { head: 'OUT', value: outputOf },
  { head: 'COST USD', value: costOf },
  { head: 'KEY', value: ({ key }, names) => names.get(key) ?? shortId(key) },
  { head: 'PROJECT', value: ({ project }) => project, optional: true },
  { head: 'RUN', value: ({ run }) => run, optional: true },
  { head: 'LABELS', value: ({ labels }) => labels.join(','), optional: true },
  { head: 'ID', value: ({ id }) => id },
];

/** Key id → its name. */
type NamesByKey = ReadonlyMap<string, string>;

export function callsText(
  records: readonly CallRecordJson[],
  { names = new Map(), width = null }: { readonly names?: NamesByKey; readonly width?: number | null } = {},
): string {
  if (records.length === 0) return 'There are no such calls.';
  const shown = columns.filter(({ optional, value }) => optional === undefined || records.some((record) => Boolean(value(record, names))));
  const rows = records.map((record) => shown.map(({ value }) => value(record, names)));
  const fit = { widthMax: width, shrinks: ['LABELS', 'RUN', 'PROJECT', 'KEY', 'MODEL'], drops };
  return [table(shown.map(({ head }) => head), rows, fit), ...notes(records)].join('\n');
}

/** Enough of an id to distinguish it by eye. */
function shortId(id: string): string {
  return id.length > 12 ? `${id.slice(0, 10)}…` : id;
}

/** In brackets, the model that was asked for, if the answer named none. */
function modelOf({ model, requestedModel }: CallRecordJson): string | null {
  return model ?? (requestedModel === null ? null : `(${requestedModel})`);
}

/** What was called. Of a WebSocket connection: the connection itself, and each response on it. */
function callOf({ endpoint, transport, connection, kind }: CallRecordJson): string {
  if (kind === 'settlement') return 'settlement';
  if (transport === 'websocket') return connection === null ? 'websocket' : `${endpoint} (ws)`;
  return endpoint === 'chat.completions' ? 'chat' : endpoint;
}

function statusOf({ status, outcome }: CallRecordJson): string {
  if (outcome === 'completed') return String(status ?? '-');
  return status === null ? outcome : `${status} ${outcome}`;
}

function figureOf({ usage, settledBy }: CallRecordJson, figure: number | null): number | string | null {
  if (settledBy !== null) return figure;
  return figure === null && (usage === 'unknown' || usage === 'partial') ? '?' : figure;
}

/** For a call that was cut: the provider may have produced more than it had reported. */
function outputOf(record: CallRecordJson): number | string | null {
  const { usage, outputTokens } = record;
  return usage === 'partial' && outputTokens !== null ? `${outputTokens}+` : figureOf(record, outputTokens);
}

/** Nano-dollars have nine places; six are always kept, zeros too, so that the decimal points align. */
function costOf({ usage, cost, costGaps, costSource, settledBy }: CallRecordJson): string | null {
  if (settledBy !== null && cost === null) return 'settled';
  if (cost !== null) return `${cost.replace(/(\.\d{6}\d{0,2}?)0{1,3}$/, '$1')}${costGaps.length > 0 ? '+' : ''}`;
  if (costSource === 'unpriced') return 'unpriced';
  return usage === 'unknown' ? '?' : null;
}

function notes(records: readonly CallRecordJson[]): string[] {
  const unknown = records.filter(({ usage, settledBy }) => usage === 'unknown' && settledBy === null);
  const partial = records.filter(({ usage }) => usage === 'partial');
  const unpriced = records.filter(({ costSource }) => costSource === 'unpriced');
  const gaps = records.filter(({ costGaps }) => costGaps.length > 0);
  const lines: string[] = [];
  if (unknown.length > 0) lines.push(`Usage unknown (?): ${countOf(unknown.length, 'call')}. Why: ${reasons(unknown)}.`);
  if (partial.length > 0) lines.push(`Usage partial (+): ${countOf(partial.length, 'call')}, at least the tokens shown. Why: ${reasons(partial)}.`);
  if (gaps.length > 0) lines.push(`Cost incomplete (+): ${countOf(gaps.length, 'call')}. Reported and not in it: ${gapNames(gaps)}.`);
  if (unpriced.length > 0) lines.push(`Unpriced: ${countOf(unpriced.length, 'call')}. No price is known for ${models(unpriced)}.`);
  return lines;
}

const reasonText: { readonly [R in UsageReason]: string } = {
  absent: 'not reported by the provider',
  cut: 'response cut short',
  caller_gone: 'caller gone',
  interrupted: 'gateway ended during the call',
  not_a_figure: 'reported figure is no token count',
  not_readable: 'response not readable',
  decode_failed: 'compressed response not decoded',
  decode_limit: 'decoded response too large',
  decode_late: 'compressed response not decoded in time',
  deferred: 'work done and paid for later',
  not_reported: 'operation whose usage is never reported',
  reader_fault: 'fault while reading',
  body_over_bound: 'request too large to ask for usage',
};

/** Each reason with its number of calls, the most frequent first. */
function reasons(records: readonly CallRecordJson[]): string {
  const counts = new Map<string, number>();
  for (const { usageReason } of records) {
    const text = usageReason === null ? 'reason not recorded' : reasonText[usageReason];
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const parts = [...counts].sort(([, one], [, other]) => other - one);
  return parts.map(([text, count]) => (parts.length === 1 ? text : `${text} (${count})`)).join(', ');
}

const gapText: { readonly [G in CostGap]: string } = {
  service_tier: 'the rate of its service tier', region: 'the rate of its region', audio: 'audio tokens', cache_write: 'cache writes',
  web_search: 'web searches', web_fetch: 'web fetches', file_search: 'file searches', code_interpreter: 'code interpreter',
  other_model: 'work that its figures leave out', cached: 'the rate of cached tokens', image: 'tokens of images', seconds: 'seconds of sound',
  characters: 'characters', pages: 'pages', images: 'images', tool_calls: 'other calls of tools', amount: 'an amount above what can be kept',
};

function gapNames(records: readonly CallRecordJson[]): string {
  return costGapNames.filter((gap) => records.some(({ costGaps }) => costGaps.includes(gap))).map((gap) => gapText[gap]).join(', ');
}

function models(records: readonly CallRecordJson[]): string {
  const names = [...new Set(records.map(({ model, requestedModel }) => plain(model ?? requestedModel ?? 'a model that was not named')))];
  const more = names.length - modelsNamedMax;
  return names.slice(0, modelsNamedMax).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
