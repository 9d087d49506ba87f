/**
 * The columns of a FOCUS 1.2 table, the FinOps format for cost and usage: its 21 mandatory ones, the provider columns that 1.4 adds,
 * and our own, with the prefix `x_` that the format asks for. It also maps each of our charges to their values.
 */
import { formatDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { PaidKind } from '@metergate/core/price/recorded-parts.ts';
import type { LackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import type { Wire } from '@metergate/core/wire/wire.ts';
import type { CostSource, PriceBasis } from '@metergate/core/record/call-record.ts';
import type { CsvValue } from './csv.ts';

/**
 * `all`: a cost that the record does not split by kind of token. `unknown`: calls whose usage did not arrive.
 * `none`: calls that use nothing. The last two count calls, not tokens.
 */
export type ChargeKind = PaidKind | 'all' | 'unknown' | 'none';

type LackingSums = { -readonly [Name in keyof LackingCalls]: number };

/** The subject of one line. */
export interface ChargeGroup {
  readonly fromMs: number;
  /** Excluded. */
  readonly toMs: number;
  readonly key: string;
  /** Null: the key has no name, or is gone. */
  readonly keyName: string | null;
  /** In a fixed order, each once. */
  readonly labels: readonly string[];
  readonly project: string | null;
  readonly wire: Wire;
  /** The name of the upstream that the calls went to; null: it has none, or they went elsewhere. */
  readonly upstream: string | null;
  /** The model that answered; if it was not named, the one that was asked for. */
  readonly model: string | null;
  readonly costSource: CostSource;
  readonly pricedBy: PriceBasis | null;
  readonly kind: ChargeKind;
}

export interface ChargeSums extends LackingSums {
  quantity: bigint;
  cost: NanoDollars;
  /** Each call is counted in exactly one of its lines. */
  calls: number;
}

/** The organization that the charges belong to. */
export interface FocusAccount {
  readonly id: string;
  readonly name: string;
}

interface FocusLine {
  readonly account: FocusAccount;
  /** The provider that a declared upstream is; null: it is not known, or the calls went to none. */
  readonly upstreamProvider: string | null;
  readonly group: ChargeGroup;
  readonly sums: ChargeSums;
}

const providers: { readonly [W in Wire]: string } = { openai: 'OpenAI', anthropic: 'Anthropic', upstream: 'Declared upstream' };
const services: { readonly [W in Wire]: string } = { openai: 'OpenAI API', anthropic: 'Anthropic API', upstream: 'Declared upstream' };

const kinds: { readonly [K in ChargeKind]: { readonly name: string; readonly words: string } } = {
  input: { name: 'input', words: 'input tokens' },
  cached: { name: 'cache_read', words: 'cached input tokens' },
  cacheWrite: { name: 'cache_write', words: 'input tokens written to the cache' },
  output: { name: 'output', words: 'output tokens' },
  reasoning: { name: 'reasoning', words: 'reasoning tokens' },
  all: { name: 'all', words: 'tokens of all types' },
  unknown: { name: 'unknown', words: 'calls whose usage is not known' },
  none: { name: 'none', words: 'calls without usage' },
};

const providerOf = ({ group, upstreamProvider }: FocusLine): string => upstreamProvider ?? providers[group.wire];
/** The format requires decimals here. */
const quantityOf = ({ sums }: FocusLine): string => `${sums.quantity}.0`;
const unitOf = ({ group }: Pick<FocusLine, 'group'>): string => (group.kind === 'unknown' || group.kind === 'none' ? 'Calls' : 'Tokens');
/** The model and the kind of token. */
const skuOf = ({ group }: Pick<FocusLine, 'group'>): string => `${group.model ?? 'no-model'}/${kinds[group.kind].name}`;
const costOf = ({ sums }: FocusLine): string => formatDollars(sums.cost);

const columns: Readonly<Record<string, (line: FocusLine) => CsvValue>> = {
  BilledCost: costOf,
  BillingAccountId: ({ account }) => account.id,
  BillingAccountName: ({ account }) => account.name,
  BillingCurrency: () => 'USD',
  BillingPeriodEnd: ({ group }) => instant(monthStart(group.fromMs, 1)),
  BillingPeriodStart: ({ group }) => instant(monthStart(group.fromMs, 0)),
  ChargeCategory: () => 'Usage',
  ChargeClass: () => null,
  ChargeFrequency: () => 'Usage-Based',
  ChargeDescription: ({ group }) => `${group.model ?? 'No model named'}: ${kinds[group.kind].words}`,
  ChargePeriodEnd: ({ group }) => instant(group.toMs),
  ChargePeriodStart: ({ group }) => instant(group.fromMs),
  ConsumedQuantity: quantityOf,
  ConsumedUnit: unitOf,
  ContractedCost: costOf,
  EffectiveCost: costOf,
  // No charge here belongs to an invoice: the provider's invoice is not known.
  InvoiceId: () => null,
  InvoiceIssuerName: providerOf,
  ListCost: costOf,
  PricingQuantity: quantityOf,
  PricingUnit: unitOf,
  ProviderName: providerOf,
  PublisherName: providerOf,
  ServiceCategory: () => 'AI and Machine Learning',
  ServiceName: ({ group, upstreamProvider }) => (upstreamProvider === null ? services[group.wire] : `${upstreamProvider} API`),
  ServiceSubcategory: () => 'Generative AI',
  SkuId: skuOf,
  SkuMeter: ({ group }) => kinds[group.kind].words,
  SkuPriceId: ({ group }) => (group.kind === 'unknown' || group.kind === 'none' ? null : skuOf({ group })),
  SubAccountId: ({ group }) => group.project,
  SubAccountName: ({ group }) => group.project,
  Tags: ({ group }) => JSON.stringify(Object.fromEntries(group.labels.map((label) => [label, 'true']))),
  ServiceProviderName: providerOf,
  HostProviderName: providerOf,
  x_ServiceKeyId: ({ group }) => group.key,
  x_ServiceKeyName: ({ group }) => group.keyName,
  x_Project: ({ group }) => group.project,
  x_Model: ({ group }) => group.model,
  x_TokenType: ({ group }) => kinds[group.kind].name,
  x_CostSource: ({ group }) => group.costSource,
  x_Calls: ({ sums }) => sums.calls,
  x_UnknownCalls: ({ sums }) => sums.unknownCalls,
  x_UnpricedCalls: ({ sums }) => sums.unpricedCalls,
  x_GapCalls: ({ sums }) => sums.gapCalls,
  x_PricedBy: ({ group }) => group.pricedBy,
  x_Upstream: ({ group }) => group.upstream,
};

export const focusNames: readonly string[] = Object.keys(columns);

/** The fields of one line, in the order of the columns. */
export function focusValues(line: FocusLine): CsvValue[] {
  return Object.values(columns).map((value) => value(line));
}

/** The format's own form of an instant. */
function instant(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function monthStart(atMs: number, monthsLater: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + monthsLater, 1);
}
