/**
 * A call record → its receipt: which fields are hashed, and how. Rule 24; docs/receipts.md specifies the form. Hashes are SHA-256 of
 * a text's UTF-8 bytes, in lower-case hexadecimal; the texts are made here, hashed by whoever has a hash function.
 *
 * Figures are hashed as they are. Words, which erasure takes out of a record, are hashed apart and with a salt: once words and
 * salt are gone, their digest tells nothing of them, and the figures and the chain verify as before.
 */
import type { OrganizationId } from '../../id.ts';
import { formatDollars } from '../../money.ts';
import type { CallRecord } from '../../record/call-record.ts';
import { instantText } from '../../time/instant-text.ts';
import type { ToolCalls } from '../../usage/reading.ts';
import { unitsText } from '../../usage/units.ts';
import { joinFields, type Field } from './fields.ts';

/** The hash that the first record of every chain follows. */
export const chainStart = '0'.repeat(64);

/** In place of a digest of words that cannot be salted: those of a record that arrived after its organization was erased. They are never shown. */
export const noDigest = chainStart;

/** How each text begins. The later forms are those of receipts with figures or words that receipts did not have at first. */
export const textForms = {
  salt: 'metergate-salt-1\n', words: 'metergate-words-1\n', link: 'metergate-receipt-1\n',
  laterWords: 'metergate-words-2\n', laterLink: 'metergate-receipt-2\n',
} as const;

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

/** Figures that receipts did not have at first. A receipt has all of them, after the others, or none if each is null. */
const laterFigures = {
  // The usual basis follows from `costSource`.
  pricedBy: (r) => r.pricedBy === 'requested_model' ? r.pricedBy : null,
  units: (r) => unitsText(r.units),
} as const satisfies Readonly<Record<string, (record: CallRecord) => Field>>;

type FigureName = keyof typeof figures;
export const figureNames = Object.keys(figures) as readonly FigureName[];
type LaterFigureName = keyof typeof laterFigures;
export const laterFigureNames = Object.keys(laterFigures) as readonly LaterFigureName[];

/** The figures of one call as text, under the names of the record. */
export type ReceiptFigures = { readonly [Name in FigureName]: Field } & { readonly [Name in LaterFigureName]?: Field };

/** What callers and providers wrote, as the record keeps it. */
export type ReceiptWords = Pick<CallRecord, 'project' | 'labels' | 'run' | 'path' | 'model' | 'finishReason' | 'serviceTier' | 'providerRequestId'>
  & { /** Receipts did not have it at first; left out if it is null. */ readonly requestedModel?: string };

/** A record's place in its organization's chain. */
export interface ReceiptPlace {
  /** Dense, from 1. */
  readonly sequence: number;
  /** Hash of the record before; `chainStart` for the first. */
  readonly previous: string;
  readonly wordsDigest: string;
}

/** The figures of a record, as a receipt holds them. */
export function receiptFiguresOf(record: CallRecord): ReceiptFigures {
  const first = Object.fromEntries(figureNames.map((name) => [name, figures[name](record)])) as ReceiptFigures;
  return hasLaterFigures(record) ? { ...first, ...Object.fromEntries(laterFigureNames.map((name) => [name, laterFigures[name](record)])) } : first;
}

/** Whether a record has a figure that receipts did not have at first. */
export function hasLaterFigures({ pricedBy, units }: Pick<CallRecord, 'pricedBy' | 'units'>): boolean {
  return pricedBy === 'requested_model' || units !== null;
}

/** Those figures, as they stand in `linkText`. */
export function laterFiguresText(record: CallRecord): string {
  return joinFields(laterFigureNames.map((name) => laterFigures[name](record)));
}

/** The words as stores keep them: U+0000 and half a surrogate pair, which no text can hold, become U+FFFD. */
export function receiptWordsOf(record: CallRecord): ReceiptWords {
  const { project, labels, run, path, model, finishReason, serviceTier, providerRequestId, requestedModel } = record;
  return {
    project: kept(project), labels: labels.map(kept), run: kept(run), path: kept(path),
    model: kept(model), finishReason: kept(finishReason), serviceTier: kept(serviceTier), providerRequestId: kept(providerRequestId),
    ...(requestedModel === null ? {} : { requestedModel: kept(requestedModel) }),
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
  const { providerRequestId, requestedModel } = words;
  return requestedModel === undefined ? `${textForms.words}${joinFields([salt, ...firstWords(words), providerRequestId])}`
    : `${textForms.laterWords}${joinFields([salt, ...firstWords(words), providerRequestId, requestedModel])}`;
}

/** The words before the provider's request id, in the order in which they are hashed. */
export function firstWords({ project, labels, run, path, model, finishReason, serviceTier }: Omit<ReceiptWords, 'requestedModel'>): readonly Field[] {
  return [project, String(labels.length), ...labels, run, path, model, finishReason, serviceTier];
}

/** Its SHA-256 is the hash of a record in its place. */
export function linkText({ sequence, previous, wordsDigest }: ReceiptPlace, of: ReceiptFigures): string {
  const later = laterFigureNames.filter((name) => of[name] !== undefined).map((name) => of[name] ?? null);
  const form = later.length === 0 ? textForms.link : textForms.laterLink;
  return `${form}${joinFields([previous, String(sequence), ...figureNames.map((name) => of[name]), ...later, wordsDigest])}`;
}

/** A run of figures, from one to another, as they stand in `linkText`. */
export function figureRunText(from: FigureName, to: FigureName): (record: CallRecord) => string {
  const those = figureNames.slice(figureNames.indexOf(from), figureNames.indexOf(to) + 1).map((name) => figures[name]);
  return (record) => joinFields(those.map((figure) => figure(record)));
}
