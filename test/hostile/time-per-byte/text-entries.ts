/**
 * Where the product reads a text from outside, other than the platform's operations, whole connections and settings, which have files of their
 * own. A new place is one line.
 */
import { Readable } from 'node:stream';
import { roleEntriesOf } from '@metergate/core/account/provided-roles.ts';
import { framingFaultOf } from '@metergate/core/call/framing.ts';
import { outboundRequestHeaders } from '@metergate/core/call/header-pairs.ts';
import { createStreamFlagScanner } from '@metergate/core/call/include-usage.ts';
import { labelsOf, projectOf } from '@metergate/core/call/labels.ts';
import { routeOf } from '@metergate/core/call/route.ts';
import { presentedServiceKey } from '@metergate/core/call/service-key.ts';
import { header } from '@metergate/core/id.ts';
import { JsonNumber, wholeNumberOf } from '@metergate/core/json/strict-json.ts';
import { parseDollars } from '@metergate/core/money.ts';
import { parseOverlay } from '@metergate/core/price/overlay.ts';
import { createPriceBook, pricesOf } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import { PublicListFault } from '@metergate/core/price/public-list/fault.ts';
import { publicSellers } from '@metergate/core/price/public-list/public-list.ts';
import { parseStatus } from '@metergate/core/report/call-search.ts';
import { Reconciliation } from '@metergate/core/books/reconcile/compare.ts';
import { BillFault } from '@metergate/core/books/reconcile/bill.ts';
import { billSellers, readBill, type BillSeller } from '@metergate/core/books/reconcile/read-bill.ts';
import { runDeclarationOf } from '@metergate/core/run/declaration.ts';
import { parseGrant } from '@metergate/core/run/grant.ts';
import { readTapBatch } from '@metergate/core/tap/batch.ts';
import { presentedTapKey } from '@metergate/core/tap/key.ts';
import { sampleNowMs, sentEvent } from '@metergate/core/tap/test-support/sample-event.ts';
import { parseMonth, parseTime } from '@metergate/core/time/time-word.ts';
import { withoutUsage } from '@metergate/core/usage/operation.ts';
import { createUsageReader } from '@metergate/core/usage/reader.ts';
import type { ReadingContext } from '@metergate/core/usage/reading.ts';
import { wholeNumberIn } from '@metergate/core/usage/token-figure.ts';
import { createGrantVerifier } from '@metergate/gateway/guards/verify-grant.ts';
import { idleLimitMs } from '@metergate/gateway/network/keep-alive.ts';
import { traceParentOf } from '@metergate/gateway/traces/trace-parent.ts';
import { ownPath } from '@metergate/platform/auth/oidc/begun-sign-in.ts';
import { isIssuerUrl } from '@metergate/platform/auth/oidc/oidc-settings.ts';
import { clientAddress, trustedProxies } from '@metergate/platform/http/client-address.ts';
import { repeatedName } from '@metergate/platform/http/repeated-name.ts';
import { planConfiguration } from '@metergate/platform/use-cases/configuration/plan.ts';
import { csvLine } from '@metergate/platform/use-cases/export/csv.ts';
import { checkMonth } from '@metergate/platform/use-cases/months/check-month.ts';
import { checkReceipts } from '@metergate/platform/use-cases/receipts/check-receipts.ts';
import { rawKeysIn } from '@metergate/platform/use-cases/receipts/public-key-pem.ts';
import { parseNamedUpstreamUrl, parseUpstreamUrl } from '@metergate/platform/use-cases/upstream-url.ts';
import { parseWebhookUrl } from '@metergate/platform/use-cases/webhooks/webhook-url.ts';
import { checkedEmail } from '@metergate/store/accounts/people.ts';
import { credentialRefusal, nameRefusal, projectRefusal } from '@metergate/store/engine/names.ts';
import { isPublicAddress } from '@metergate/store/network/public-address.ts';
import { readYaml } from 'metergate/configuration/yaml-document.ts';
import { bodies, texts, values, type Shape } from './shapes.ts';

export interface TextEntry {
  readonly shapes: Readonly<Record<string, Shape>>;
  /** The longest text that is tried, if it is not the usual one. */
  readonly bytesMax?: number;
  read(text: string): unknown;
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');

/** Reads any text. */
const ofText = (read: (text: string) => unknown): TextEntry => ({ shapes: texts, read });
/** Reads a whole file or body. */
const ofBody = (read: (text: string) => unknown): TextEntry => ({ shapes: bodies, read });
/** The same, with the value where each of the bodies has a `V`. */
function inBodies(templates: readonly string[], read: (text: string) => unknown): TextEntry {
  return { shapes: values, read: (value) => { for (const template of templates) read(template.replace('V', () => value)); } };
}
/** Reads the value of one header. */
const ofHeader = (name: string, read: (pairs: readonly string[]) => unknown): TextEntry => ofText((text) => read([name, text]));

const readTap = (text: string): unknown => readTapBatch(bytesOf(text), sampleNowMs);
const event = sentEvent();
const tapFields = Object.fromEntries(Object.keys(event).map((name) => [
  `tap: ${name}`, inBodies([JSON.stringify({ events: [{ ...event, [name]: '\u0000' }] }).replace('"\\u0000"', 'V')], readTap),
]));

const pieceBytes = 61;

/** An answer, whole and in small pieces. */
function readAnswer(context: ReadingContext, text: string): void {
  const bytes = bytesOf(text);
  for (const size of [bytes.length, pieceBytes]) {
    const reader = createUsageReader(context);
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    reader.finish('whole');
  }
}

/** One of each dialect. */
const answers: readonly ReadingContext[] = [
  { wire: 'openai', endpoint: 'chat.completions', streamed: false }, { wire: 'openai', endpoint: 'responses', streamed: false },
  { wire: 'anthropic', endpoint: 'messages', streamed: false }, { wire: 'openai', endpoint: 'other', streamed: false },
  { wire: 'upstream', endpoint: 'chat.completions', streamed: false },
];
const answerTemplates = [
  '{"model":V}', '{"usage":V}', '{"usage":{"prompt_tokens":V,"completion_tokens":1}}', '{"usage":{"input_tokens":V,"output_tokens":1}}',
  '{"usage":{"cost":V}}', '{"usage":{"iterations":V}}', '{"choices":V}', '{"output":V}', '{"response":{"usage":V}}', '{"type":V}',
];
const answerEntries = Object.fromEntries(answers.flatMap((context) => {
  const name = `answer: ${context.wire} ${context.endpoint}`;
  const streamed = { ...context, streamed: true };
  return [
    [name, ofBody((text) => readAnswer(context, text))],
    [`${name}, streamed`, ofBody((text) => readAnswer(streamed, text))],
    [`${name}, its values`, inBodies(answerTemplates.map((template) => `data: ${template}\n\n`), (text) => readAnswer(streamed, text))],
  ] as [string, TextEntry][];
}));

function readBillOf(seller: BillSeller, text: string): void {
  try {
    new Reconciliation(seller, readBill(seller, text)).lines(sampleNowMs);
  } catch (fault) {
    if (!(fault instanceof BillFault)) throw fault;
  }
}

const billBucket = '{"object":"bucket","start_time":1767225600,"end_time":1767312000,"starting_at":"2026-01-01T00:00:00Z","results":[';
const billTemplates = [
  `{"data":[{"start_time":V,"starting_at":V,"results":[]}]}`, '{"data":V}', `{"data":[${billBucket}V]}]}`,
  `{"data":[${billBucket}{"num_model_requests":1,"uncached_input_tokens":1,"input_tokens":1,"model":V}]}]}`,
  `{"data":[${billBucket}{"num_model_requests":V,"uncached_input_tokens":V}]}]}`,
  `{"data":[${billBucket}{"amount":V,"currency":"USD"}]}]}`, `{"data":[${billBucket}{"amount":{"value":V,"currency":"usd"},"line_item":"a"}]}]}`,
];
const billRows = [
  'date,model,amount_value\n2026-01-01,a,V\n', 'date,model,cost_usd\n2026-01-01,V,1\n', 'date,model,input_tokens\nV,a,1\n',
  'date,model,input_tokens,uncached_input_tokens\n2026-01-01,a,V,V\n', 'date,V,input_tokens\n2026-01-01,a,1\n',
];

const cloudRows = [
  'Date,MeterName,MeterCategory,Quantity,UnitOfMeasure,CostInUsd\n01/02/2026,V,Azure OpenAI,1,1K,1\n',
  'Date;MeterName;MeterCategory;Quantity;UnitOfMeasure;CostInUsd\n2026-01-02;gpt 4o Inp Tokens;Azure OpenAI;V;1K;V\n',
  'ChargePeriodStart,ServiceName,BilledCost,BillingCurrency,ConsumedQuantity,SkuMeter\n2026-01-02T00:00:00Z,Amazon Bedrock,V,USD,V,V\n',
  'line_item_usage_start_date,line_item_usage_type,line_item_unblended_cost,line_item_product_code\n2026-01-02,V,1,AmazonBedrock\n',
  'V,line_item_usage_start_date,line_item_usage_type,line_item_unblended_cost,line_item_product_code\n1,V,USE1-a-input-tokens,1,AmazonBedrock\n',
  '{"usage_start_time":V,"sku":{"description":V},"service":{"description":"Gemini API"},"cost":V,"currency":"USD"}\n',
  '{"data":[{"date":"2026-01-02","model":V,"usage":V,"prompt_tokens":V}]}',
];

/** Any text, and values in the exports of every seller. */
const billEntries = Object.fromEntries(billSellers.flatMap((seller) => {
  const known = seller === 'openai' || seller === 'anthropic' ? [...billTemplates, ...billRows] : cloudRows;
  return [
    [`a bill of ${seller}`, ofBody((text) => readBillOf(seller, text))],
    [`a bill of ${seller}, its values`, inBodies(known, (text) => readBillOf(seller, text))],
  ] as [string, TextEntry][];
}));

/** As far as the store is asked: none of the texts names an organization. */
async function readConfiguration(text: string): Promise<void> {
  const document = readYaml(text);
  if ('problems' in document) return;
  const planning = { document: document.value, organization: undefined, prune: false, rules: outward, credentialOf: async () => ({ sentence: '' }) };
  const found = await planConfiguration(undefined as never, planning);
  for (const { path } of 'problems' in found ? found.problems : []) document.lineOf(path);
}

const book = createPriceBook({ list: priceList, overlay: null });
const outward = { allow: [] };
const proxies = trustedProxies(['10.0.0.0/8', '::1/128']);
const verifyGrant = createGrantVerifier();
const request = { httpMajorVersion: 1, httpMinorVersion: 1, rawTarget: '/', headers: ['host', 'a'] } as const;
const receiptHead = '{"type":"head","format":"metergate-receipts-1","organization":"org_a","first":1,"previous":"V","keys":[]}\n';

/** As `price import` reads a downloaded list. */
function readPublicList(text: string): void {
  try {
    publicSellers(JSON.parse(text) as unknown);
  } catch (fault) {
    if (!(fault instanceof PublicListFault || fault instanceof SyntaxError)) throw fault;
  }
}

const readMonth = (text: string): Promise<unknown> => checkMonth(Readable.from([bytesOf(text)]), null);
const monthHead = '{"type":"month","format":"metergate-month-1","organization":"org_a","month":"2026-10","version":1,'
  + '"closedAt":"2026-11-01T00:00:00.000Z","sequence":1,"hash":"a","keys":[]}\n';
const readReceipts = (text: string): Promise<unknown> => checkReceipts(Readable.from([bytesOf(text)]), null);

export const textEntries: Readonly<Record<string, TextEntry>> = {
  'tap: the body': ofBody(readTap),
  'tap: the events': inBodies(['{"events":V}', '{"events":[V]}'], readTap),
  'tap: many events': ofText((text) => {
    const tag = text.slice(0, text.length / 500);
    return readTap(JSON.stringify({ events: Array.from({ length: 500 }, () => ({ ...event, tag })) }));
  }),
  ...tapFields,
  'tap: the key': ofText(presentedTapKey),
  'a number of a tap event': ofText((text) => wholeNumberOf(new JsonNumber(text))),
  'a token figure': ofText(wholeNumberIn),
  ...answerEntries,
  'a request body': ofBody((text) => {
    for (const size of [text.length, pieceBytes]) {
      const scanner = createStreamFlagScanner();
      const bytes = bytesOf(text);
      for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
      scanner.result();
      scanner.release();
    }
  }),
  'header: labels': ofHeader(header.tags, labelsOf),
  'header: project': ofHeader(header.project, projectOf),
  'header: run': ofHeader(header.runId, runDeclarationOf),
  'header: run budget': ofText((text) => runDeclarationOf([header.runId, 'a', `${header.runPrefix}budget`, text])),
  'header: run time': ofText((text) => runDeclarationOf([header.runId, 'a', `${header.runPrefix}ttl`, text])),
  'header: many lines of a run': ofText((text) => runDeclarationOf(text.split('').slice(0, 4_000).flatMap((part) => [header.runId, part]))),
  'header: authorization': ofHeader('authorization', presentedServiceKey),
  'header: x-api-key': ofHeader('x-api-key', presentedServiceKey),
  'header: traceparent': ofHeader('traceparent', traceParentOf),
  'header: connection': ofHeader('connection', (pairs) => outboundRequestHeaders(pairs, null)),
  'header: connection, and all that it names': ofText((text) => outboundRequestHeaders(
    ['connection', text, ...text.split(',').flatMap((name) => [name, 'a'])], { name: 'authorization', value: 'a' },
  )),
  'header: keep-alive of a provider': ofHeader('keep-alive', (pairs) => idleLimitMs({ status: 200, pairs }, 4_000)),
  'header: host': ofText((text) => framingFaultOf({ ...request, headers: ['host', text] })),
  'header: content-length': ofText((text) => framingFaultOf({ ...request, headers: ['host', 'a', 'content-length', text] })),
  'header: transfer-encoding': ofText((text) => framingFaultOf({ ...request, headers: ['host', 'a', 'transfer-encoding', text] })),
  'header: x-forwarded-for': ofText((text) => clientAddress('10.0.0.1', `${text}, 10.0.0.2`, proxies)),
  'the target of a call': ofText((text) => {
    for (const before of ['', '/v1/', '/v1/chat/completions/', '/upstream/v1/', '/alt/v1/messages/', '/v1/models?']) routeOf('POST', before + text);
  }),
  'the operation of a call': ofText((text) => {
    for (const before of ['', '/v1/', '/v1/threads/thread_', '/v1/models/a:']) {
      withoutUsage({ endpoint: 'other', method: 'POST', path: before + text });
    }
  }),
  'a grant': ofText((text) => [parseGrant(text), parseGrant(`rbg1.${text}`), verifyGrant(text, [])]),
  'a price file': ofBody(parseOverlay),
  'a price file, its values': inBodies([
    '{"prices":V}', '{"prices":[{"provider":V,"model":"a","input":1,"output":1}]}', '{"prices":[{"host":V,"model":"a","input":1,"output":1}]}',
    '{"prices":[{"provider":"openai","model":V,"input":1,"output":1}]}', '{"prices":[{"provider":"openai","model":"a","input":V,"output":1}]}',
    '{"prices":[{"provider":"openai","model":"a","input":1,"output":1,"serviceTiers":V}]}',
    '{"prices":[{"provider":"openai","model":"a","input":1,"output":1,"above":V}]}',
  ], parseOverlay),
  'the name of a model': ofText((text) => pricesOf(book, { provider: 'openai', upstreamHost: null, model: text, atMs: sampleNowMs })),
  'the host of an upstream': ofText((text) => pricesOf(book, { provider: null, upstreamHost: text, model: 'a', atMs: sampleNowMs })),
  ...billEntries,
  // The library of YAML takes a microsecond a byte.
  'a configuration': { ...ofBody(readConfiguration), bytesMax: 32_768 },
  'a configuration, its values': {
    ...inBodies([
      '{"settings":V,"upstream":{"url":V}}', '{"keys":V}', '{"keys":[V],"webhooks":V}', '{"upstreams":[{"name":V,"url":V}]}',
      '{"allocation":V}', '{"allocation":{"rules":V,"rest":V}}', '{"keys":[{"name":"a","models":V}]}', '{"caps":[{"limit":V,"alerts":V}]}',
    ], readConfiguration),
    bytesMax: 16_384,
  },
  'a list of public prices': ofBody(readPublicList),
  'a list of public prices, its values': inBodies([
    '{"gpt-5":V}', '{"gpt-5":{"litellm_provider":V}}', '{"gpt-5":{"litellm_provider":"openai","input_cost_per_token":V}}', '{"V":1}',
    '[{"id":V}]', '[{"id":"openai","models":V}]', '[{"id":"openai","models":[{"id":V,"match":V,"prices":V}]}]',
    '[{"id":"openai","models":[{"id":"a","match":{"regex":V},"prices":{"input_mtok":V}}]}]',
  ], readPublicList),
  'a file of a month': ofBody(readMonth),
  'a file of a month behind its head': ofBody((text) => readMonth(monthHead + text)),
  'a head of a month': inBodies([monthHead.replace('"org_a"', 'V'), monthHead.replace('"2026-10"', 'V'), monthHead.replace('[]', 'V')], readMonth),
  'a month': ofText(parseMonth),
  'a file of receipts': ofBody(readReceipts),
  'a file of receipts behind its head': ofBody((text) => readReceipts(receiptHead.replace('V', '0'.repeat(64)) + text)),
  'a head of receipts': inBodies([receiptHead.replace('"V"', 'V'), receiptHead.replace('"org_a"', 'V'), receiptHead.replace('[]', 'V')],
    readReceipts),
  'public keys': ofText(rawKeysIn),
  'names in a body': ofText((text) => repeatedName(JSON.stringify({ [text]: text }))),
  'a time': ofText(parseTime),
  'an amount': ofText(parseDollars),
  'a status': ofText(parseStatus),
  'an email address': ofText(checkedEmail),
  'a name': ofText((text) => [nameRefusal('A name', text), projectRefusal(text), credentialRefusal('A credential', text)]),
  'the address of an upstream': ofText((text) => [parseUpstreamUrl(text, outward), parseNamedUpstreamUrl(text, outward)]),
  'the address of a webhook': ofText((text) => parseWebhookUrl(text, outward)),
  'the address of an identity provider': ofText(isIssuerUrl),
  'an internet address': ofText(isPublicAddress),
  'where to go after signing in': ofText((text) => ownPath(text, 'https://example.com')),
  'a claim of roles': ofText((text) => roleEntriesOf(text.split(','))),
  'a cell of an export': ofText((text) => csvLine([text])),
};
