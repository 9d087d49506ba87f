/** Whether many requests may be priced by the sum of their tokens, as a batch reports it. Rule 6f. */
import { costOf, pricedModel, pricesOfModel, type Cost, type PricedCall } from './cost.ts';
import { ratesAt, type TokenRate } from './rates.ts';

/**
 * The cost of many requests by the sum of their tokens. Null: a rate depends on the length of each request, or each request has a separate price,
 * so the sum does not tell what they cost.
 */
export function costTogether(call: PricedCall): Cost | null {
  const model = pricedModel(call);
  if (model === null) return costOf(call);
  const { overlay, list } = pricesOfModel(call, model);
  const price = overlay ?? list;
  if (price === null) return costOf(call);
  const rates = ratesAt(price.rates, { serviceTier: call.reading.serviceTier, region: call.reading.region ?? call.region ?? null });
  const { input, output, cached, cacheWrite } = call.reading.tokens;
  const most = (input ?? 0) + (output ?? 0) + (cached ?? 0) + (cacheWrite ?? 0);
  const steps = Object.values(rates).some((rate) => isTokenRate(rate) && rate.above.some(({ tokens }) => tokens < most));
  return steps || rates.call !== 0n ? null : costOf(call);
}

function isTokenRate(rate: unknown): rate is TokenRate {
  return typeof rate === 'object' && rate !== null && 'above' in rate;
}
