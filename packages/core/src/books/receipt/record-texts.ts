/**
 * The texts of `receipt.ts` for a record that is being stored: every call is chained, so this must be fast. What consecutive
 * records have in common is built once. The rest is numbers, digests and instants, whose length equals their bytes. The results are byte for
 * byte the texts of `saltText`, `wordsText` and `linkText`.
 */
import { formatDollars, type NanoDollars } from '../../money.ts';
import type { CallRecord } from '../../record/call-record.ts';
import { instantText } from '../../time/instant-text.ts';
import { joinFields, type Field } from './fields.ts';
import { figureRunText, firstWords, hasLaterFigures, kept, laterFiguresText, textForms, type ReceiptPlace } from './receipt.ts';

/** A field of characters below 128. */
function plain(text: string): string {
  return `${text.length}:${text},`;
}

const smallMax = 2_048;
const smallFields: readonly string[] = Array.from({ length: smallMax }, (_, number) => plain(String(number)));

function numberField(number: number | null): string {
  if (number === null) return '-,';
  // An index outside the array would be looked up by its name.
  return (number | 0) === number && number >= 0 && number < smallMax ? smallFields[number]! : plain(String(number));
}

function dollarsField(amount: NanoDollars | null): string {
  return amount === null ? '-,' : plain(formatDollars(amount));
}

/** Words of a record as fields. Nearly all of them hold only ASCII characters that stores can keep. */
function wordFields(words: readonly Field[]): string {
  let text = '';
  for (const word of words) text += word === null ? '-,' : plain(word);
  return /^[\x01-\x7f]*$/.test(text) ? text : joinFields(words.map(kept));
}

/** Text that many records share: the last record's text is reused for a record like it. */
function shared<Of>(make: (of: Of) => string, isLike: (one: Of, other: Of) => boolean): (of: Of) => string {
  let last: Of | null = null;
  let text = '';
  return (of) => {
    if (last === null || !isLike(last, of)) {
      text = make(of);
      last = of;
    }
    return text;
  };
}

const idText = shared<CallRecord>(({ id }) => joinFields([id]), (one, other) => one === other);
const callerText = shared(figureRunText('organization', 'method'), (one, other) =>
  one.key === other.key && one.organization === other.organization && one.labelsDropped === other.labelsDropped && one.wire === other.wire
  && one.endpoint === other.endpoint && one.method === other.method);
const answerText = shared(figureRunText('node', 'outcome'), (one, other) =>
  one.node === other.node && one.streamed === other.streamed && one.status === other.status && one.outcome === other.outcome);
const usageText = shared(figureRunText('toolCalls', 'usageReason'), (one, other) =>
  one.toolCalls === null && other.toolCalls === null && one.usage === other.usage && one.usageReason === other.usageReason);
const pricingText = shared(figureRunText('costGaps', 'priceList'), (one, other) =>
  one.costGaps.length === 0 && other.costGaps.length === 0 && one.costSource === other.costSource && one.priceList === other.priceList);

/** `linkText` of a record's figures. */
export function recordLinkText({ sequence, previous, wordsDigest }: ReceiptPlace, record: CallRecord): string {
  const later = hasLaterFigures(record);
  return [
    later ? textForms.laterLink : textForms.link, plain(previous), numberField(sequence), idText(record), callerText(record),
    plain(instantText(record.startedAtMs)),
    answerText(record), numberField(record.inputTokens), numberField(record.outputTokens), numberField(record.cachedTokens),
    numberField(record.cacheWriteTokens), numberField(record.reasoningTokens), numberField(record.audioInputTokens),
    numberField(record.audioOutputTokens), usageText(record), dollarsField(record.cost), pricingText(record), numberField(record.requestBytes),
    numberField(record.responseBytes), numberField(record.firstByteMs), numberField(record.durationMs),
    later ? laterFiguresText(record) : '', plain(wordsDigest),
  ].join('');
}

const firstWordsText = shared<CallRecord>((record) => wordFields(firstWords(record)), (one, other) =>
  one.model === other.model && one.run === other.run && one.project === other.project && one.path === other.path
  && one.finishReason === other.finishReason && one.serviceTier === other.serviceTier && areSameWords(one.labels, other.labels));

/** Whether two lists have the same words in the same order. */
export function areSameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index]);
}

/** `wordsText` of a record's words. */
export function recordWordsText(salt: string, record: CallRecord): string {
  const { providerRequestId, requestedModel } = record;
  return requestedModel === null ? `${textForms.words}${plain(salt)}${firstWordsText(record)}${wordFields([providerRequestId])}`
    : `${textForms.laterWords}${plain(salt)}${firstWordsText(record)}${wordFields([providerRequestId, requestedModel])}`;
}

type Salting = readonly [secret: string, organization: string];

const saltingText = shared<Salting>((salting) => joinFields(salting), areSameWords);

/** `saltText` of a record. */
export function recordSaltText(secret: string, record: CallRecord): string {
  return `${textForms.salt}${saltingText([secret, record.organization])}${idText(record)}`;
}
