/**
 * What a provider's cache saved on one call: cached tokens × (input price − cached price) − tokens written × (write price − input
 * price). Rules: `cacheSavings`. Negative if writing cost more than reading saved. Exact, rounded once, half to even.
 */
import type { ChargedTokens } from './charged-tokens.ts';
import { divideHalfEven, nanoDollars, nanoDollarsMax, type NanoDollars } from '../money.ts';
import { picoPerNano, rateAt, type Rates, type TokenRate } from './rates.ts';

/** The input of a call by price: each token is counted once. */
type CacheTokens = Omit<ChargedTokens, 'output' | 'reasoning' | 'audioOutput' | 'imageOutput'>;

const nothing = nanoDollars(0n);

/** Null: the model's input has no price. Cache reads and writes that have no price are charged as input and save nothing. */
export function cacheSavingsOf(tokens: CacheTokens, rates: Rates): NanoDollars | null {
  if (rates.input === null) return null;
  const cached = tokens.cached + tokens.cachedAudio + tokens.cachedImage + tokens.cacheWrite + tokens.cacheWriteOneHour;
  if (cached === 0) return nothing;
  const whole = tokens.input + tokens.audioInput + tokens.imageInput + cached;
  const input = rateAt(rates.input, whole);
  const write = rates.cacheWrite ?? rates.input;
  const pico = BigInt(tokens.cached) * (input - rateAt(rates.cached ?? rates.input, whole))
    + saved(tokens.cachedAudio, { fresh: rates.audioInput ?? rates.input, cached: rates.cachedAudio ?? rates.cached ?? rates.input }, whole)
    + saved(tokens.cachedImage, { fresh: rates.imageInput ?? rates.input, cached: rates.cachedImage ?? rates.cached ?? rates.input }, whole)
    - BigInt(tokens.cacheWrite) * (rateAt(write, whole) - input)
    - BigInt(tokens.cacheWriteOneHour) * (rateAt(rates.cacheWriteOneHour ?? write, whole) - input);
  const nano = divideHalfEven(pico < 0n ? -pico : pico, picoPerNano);
  const bounded = nano > nanoDollarsMax ? nanoDollarsMax : nano;
  return (pico < 0n ? -bounded : bounded) as NanoDollars;
}

function saved(tokens: number, { fresh, cached }: { readonly fresh: TokenRate; readonly cached: TokenRate }, whole: number): bigint {
  return tokens === 0 ? 0n : BigInt(tokens) * (rateAt(fresh, whole) - rateAt(cached, whole));
}
