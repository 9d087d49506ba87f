/**
 * A call record → its receipt: which fields are hashed, and how. Rule 24; docs/receipts.md specifies the form. Hashes are SHA-256 of
 * a text's UTF-8 bytes, in lower-case hexadecimal; the texts are made here, hashed by who has a hash function.
 *
 * Figures are hashed as they are. Words, which erasure takes out of a record, are hashed apart and with a salt: once words and
 * salt are gone, their digest tells nothing of them, and the figures and the chain verify as before.
 */
import type { OrganizationId } from '../id.ts';
import { formatDollars } from '../money.ts';
import type { CallRecord } from '../record/call-record.ts';
import { instantText } from '../time/instant-text.ts';
import type { ToolCalls } from '../usage/reading.ts';
import { joinFields, type Field } from './fields.ts';

/** The hash that the first record of every chain follows. */
export const chainStart = '0'.repeat(64);

/** In place of a digest of words that cannot be salted: those of a record that arrived after its organization was erased. They are never shown. */
export const noDigest = chainStart;

/** How each text begins. */
export const textForms = { salt: 'metergate-salt-1\n', words: 'metergate-words-1\n', link: 'metergate-receipt-1\n' } as const;

const number = (value: number | null): Field => value === null ? null : String(value);

const toolNames = ['webSearch', 'webFetch', 'fileSearch', 'codeInterpreter'] as const satisfies readonly (keyof ToolCalls)[];

/** The figures in the order in which they are hashed, each as text. */
const figures = {
  id: (r) => r.id,
  organization: (r) => r.organization,
  key: (r) => r.key,
  labelsDropped: (r) => number(r.labelsDropped),
  wire: (r) => r.wire,
  endpoint: (r) => r.endpoint,
  method: (r) => r.method,
  startedAt: (r) => instantText(r.startedAtMs),
  node: (r) => r.node,
  streamed: (r) => String(r.streamed),
  status: (r) => number(r.status),
  outcome: (r) => r.outcome,
  inputTokens: (r) => number(r.inputTokens),
  outputTokens: (r) => number(r.outputTokens),
  cachedTokens: (r) => number(r.cachedTokens),
  cacheWriteTokens: (r) => number(r.cacheWriteTokens),
  reasoningTokens: (r) => number(r.reasoningTokens),
  audioInputTokens: (r) => number(r.audioInputTokens),
  audioOutputTokens: (r) => number(r.audioOutputTokens),
  toolCalls: (r) => r.toolCalls === null ? null : toolNames.map((name) => `${name}=${r.toolCalls![name]}`).join(','),
  usage: (r) => r.usage,
  usageReason: (r) => r.usageReason,
  cost: (r) => r.cost === null ? null : formatDollars(r.cost),
  costGaps: (r) => r.costGaps.join(','),
  costSource: (r) => r.costSource,
  priceList: (r) => r.priceList,
  requestBytes: (r) => number(r.requestBytes),
  responseBytes: (r) => number(r.responseBytes),
  firstByteMs: (r) => number(r.firstByteMs),
  durationMs: (r) => number(r.durationMs),
} as const satisfies Readonly<Record<string, (record: CallRecord) => Field>>;

export type FigureName = keyof typeof figures;
export const figureNames = Object.keys(figures) as readonly FigureName[];

/** The figures of one call as text, under the names of the record. */
export type ReceiptFigures = { readonly [Name in FigureName]: Field };

/** What callers and providers wrote, as the record keeps it. */
export type ReceiptWords = Pick<CallRecord, 'project' | 'labels' | 'run' | 'path' | 'model' | 'finishReason' | 'serviceTier' | 'providerRequestId'>;

/** A record's place in its organization's chain. */
export interface ReceiptPlace {
  /** Dense, from 1. */
  readonly sequence: number;
  /** Hash of the record before; `chainStart` for the first. */
  readonly previous: string;
  readonly wordsDigest: string;
}

/** The figures of a record, as a receipt holds them. */
export function figuresOf(record: CallRecord): ReceiptFigures {
  return Object.fromEntries(figureNames.map((name) => [name, figures[name](record)])) as ReceiptFigures;
}

/** The words as stores keep them: U+0000 and half a surrogate pair, which no text can hold, become U+FFFD. */
export function wordsOf({ project, labels, run, path, model, finishReason, serviceTier, providerRequestId }: CallRecord): ReceiptWords {
  return {
    project: kept(project), labels: labels.map(kept), run: kept(run), path: kept(path),
    model: kept(model), finishReason: kept(finishReason), serviceTier: kept(serviceTier), providerRequestId: kept(providerRequestId),
  };
}

/** One word as stores keep it. */
export function kept<Word extends string | null>(word: Word): Word {
  if (word === null || !/[\0\ud800-\udfff]/.test(word)) return word;
  return word.replaceAll('\0', '\uFFFD').toWellFormed() as Word;
}

/**
 * Its SHA-256 is the salt of one call's words: made of the organization's secret, so that all salts are gone with it.
 * `secret`: 64 hexadecimal characters.
 */
export function saltText(secret: string, { organization, id }: { readonly organization: OrganizationId; readonly id: string }): string {
  return `${textForms.salt}${joinFields([secret, organization, id])}`;
}

/** Its SHA-256 is the digest of a call's words. `salt`: 64 hexadecimal characters. */
export function wordsText(salt: string, words: ReceiptWords): string {
  return `${textForms.words}${joinFields([salt, ...firstWords(words), words.providerRequestId])}`;
}

/** All words but the last, in the order in which they are hashed. */
export function firstWords({ project, labels, run, path, model, finishReason, serviceTier }: ReceiptWords): readonly Field[] {
  return [project, String(labels.length), ...labels, run, path, model, finishReason, serviceTier];
}

/** Its SHA-256 is the hash of a record in its place. */
export function linkText({ sequence, previous, wordsDigest }: ReceiptPlace, of: ReceiptFigures): string {
  return `${textForms.link}${joinFields([previous, String(sequence), ...figureNames.map((name) => of[name]), wordsDigest])}`;
}

/** A run of figures, from one to another, as they stand in `linkText`. */
export function figuresText(from: FigureName, to: FigureName): (record: CallRecord) => string {
  const those = figureNames.slice(figureNames.indexOf(from), figureNames.indexOf(to) + 1).map((name) => figures[name]);
  return (record) => joinFields(those.map((figure) => figure(record)));
}
