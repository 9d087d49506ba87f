/** Where the price feed is asked for; off unless an address is set. docs/settings.md. */
import type { PriceFeedSettings } from '@metergate/platform/price-feed/feed-work.ts';
import { BadValue } from './values.ts';
import { valueOf, type Environment, type VariableName } from './variables.ts';

/** Null: no feed is asked for. @throws BadValue; its words have no part of the address, which may hold a secret */
export function priceFeedOf(env: Environment): PriceFeedSettings | null {
  const url = addressOf(env, 'SVC_PRICES_URL');
  const checksumUrl = addressOf(env, 'SVC_PRICES_SHA256_URL');
  if (url === null && checksumUrl !== null) throw new BadValue('SVC_PRICES_SHA256_URL is set, but SVC_PRICES_URL is not: there is no list to check.');
  return url === null ? null : { url, checksumUrl };
}

/** Without encryption only where the operator opened a range of addresses: the feed's guard refuses all others. */
function addressOf(env: Environment, name: VariableName): string | null {
  const text = valueOf(env, name);
  if (text === null) return null;
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) throw new BadValue(`${name} must be the https URL of a file.`);
  if (/^http:/i.test(text) && valueOf(env, 'SVC_UPSTREAM_ALLOW') === null) {
    throw new BadValue(`${name} must be an https URL. http is for addresses that SVC_UPSTREAM_ALLOW opens, and it is not set.`);
  }
  return text;
}
