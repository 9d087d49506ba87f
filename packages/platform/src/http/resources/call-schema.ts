/** A call record as the platform's HTTP shows it: every field of rules: Record, with its form. If a field is missing here, it does not compile. */
import { z } from '@hono/zod-openapi';
import {
  callOutcomes, callTransports, costGapNames, costSources, priceBases, recordKinds, type CallRecordJson,
} from '@metergate/core/record/call-record.ts';
import { costLineKinds, withoutLinesReasons } from '@metergate/core/price/cost-lines.ts';
import { usageReasons, usageStates } from '@metergate/core/usage/reading.ts';
import { unitNames, type UnitName } from '@metergate/core/usage/units.ts';
import { instant } from './fields.ts';

const words = z.string().nullable();
/** Null: the provider did not report it. */
const tokens = z.int().min(0).nullable();
const count = z.int().min(0);
const milliseconds = z.number().min(0).nullable();

const unitCounts = Object.fromEntries(unitNames.map((name) => [name, z.number().min(0).optional()])) as
  { [Name in UnitName]: z.ZodOptional<z.ZodNumber> };

const fields = {
  id: z.string().openapi({ description: 'The call\'s x-svc-request-id', example: 'req_0123456789abcdef0123456789abcdef' }),
  organization: z.string(),
  key: z.string().openapi({ description: 'Id of the service key' }),
  project: words,
  labels: z.array(z.string()),
  labelsDropped: z.int().min(0).openapi({ description: 'Labels that were too long or too many' }),
  run: words,
  wire: z.string().openapi({ description: 'openai, anthropic, or upstream for the declared one' }),
  upstream: words.openapi({ description: 'The name of the upstream that the call went to; null if it has none' }),
  endpoint: z.string().openapi({ description: 'What the call was counted as, such as chat.completions; other for all other paths' }),
  method: z.string(),
  path: z.string().openapi({ description: 'As called, without its query' }),
  streamed: z.boolean(),
  status: z.int().nullable().openapi({ description: 'The provider\'s; null if it did not answer' }),
  outcome: z.enum(callOutcomes),
  model: words.openapi({ description: 'The model that answered' }),
  requestedModel: words.openapi({ description: 'The model that the request asked for; null if it named none that could be read' }),
  finishReason: words,
  inputTokens: tokens,
  outputTokens: tokens,
  cachedTokens: tokens,
  cacheWriteTokens: tokens,
  reasoningTokens: tokens,
  usage: z.enum(usageStates)
    .openapi({ description: 'none: none was due. unknown: it was due and did not come. partial: only a running figure came.' }),
  usageReason: z.enum(usageReasons).nullable().openapi({ description: 'Why usage is unknown or partial' }),
  cost: z.string().nullable().openapi({ description: 'US dollars with nine decimal places; null if it is not known', example: '0.012345600' }),
  costGaps: z.array(z.enum(costGapNames))
    .openapi({ description: 'What was reported but is not in the cost because it has no price; empty if the cost is complete' }),
  serviceTier: words.openapi({ description: 'The tier that served the call, in the provider\'s word' }),
  audioInputTokens: tokens,
  audioOutputTokens: tokens,
  toolCalls: z.object({ webSearch: count, webFetch: count, fileSearch: count, codeInterpreter: count }).nullable()
    .openapi({ description: 'Calls of the provider\'s own tools, which have fees of their own; null if it reported none' }),
  units: z.object(unitCounts).nullable()
    .openapi({ description: 'What was reported in other units, and kinds of tokens that the figures contain; null if nothing was' }),
  costSource: z.enum(costSources),
  pricedBy: z.enum(priceBases).nullable()
    .openapi({ description: 'Whose price the cost is: of the model that answered or, if the answer named none, of the one that was asked for' }),
  priceList: words.openapi({ description: 'Date and hash of the list that priced the call' }),
  providerRequestId: words,
  requestBytes: count,
  responseBytes: count,
  startedAt: instant,
  firstByteMs: milliseconds,
  durationMs: milliseconds,
  node: z.string(),
  label: z.literal('measured'),
  transport: z.enum(callTransports).openapi({ description: 'websocket: the handshake of a connection, or a response on one' }),
  connection: words.openapi({ description: 'Of a response on a WebSocket connection: id of the handshake\'s own record' }),
  session: words.openapi({ description: 'What the caller\'s agent calls its session, from a header such as session-id' }),
  kind: z.enum(recordKinds).openapi({ description: 'settlement: what became of work that an earlier call began; nothing was forwarded for it' }),
  works: z.array(z.string())
    .openapi({ description: 'The provider\'s ids of work that goes on after its answer: of a settlement, of the work settled' }),
  settles: words.openapi({ description: 'Of a settlement: id of the call that began the work; null if it is not known' }),
  settledBy: words.openapi({ description: 'Of a call whose usage came later: id of the settlement' }),
} as const satisfies { readonly [Field in keyof CallRecordJson]: z.ZodType };

export const callSchema = z.object(fields).openapi('CallRecord');

const exact = z.string().openapi({ description: 'US dollars as exact decimal text, without trailing zeros', example: '0.0000025' });

/** How a cost was computed. */
export const callCostSchema = z.object({
  call: fields.id, cost: fields.cost, costSource: fields.costSource, costGaps: fields.costGaps, priceList: fields.priceList,
  lines: z.array(z.object({
    of: z.enum(costLineKinds), count: z.number().openapi({ description: 'Tokens, or calls; no token is counted twice' }),
    price: exact.nullable().openapi({ description: 'For `per` of them, before the factor; null: no price is known' }), per: z.int(),
    paidAs: z.enum(costLineKinds).nullable().openapi({ description: 'The kind whose price applies if this one has none of its own' }),
    amount: exact.nullable(),
  })).nullable().openapi({ description: 'The cost is their sum, rounded once, half to even, to nine places' }),
  withoutLines: z.enum(withoutLinesReasons).nullable().openapi({
    description: 'no_cost: the call has none. reported: the upstream reported it. other_prices: the prices at hand do not give it.',
  }),
  factor: z.string().nullable().openapi({ description: 'The factor of token prices for the service tier', example: '0.5' }),
}).openapi('CallCost');
