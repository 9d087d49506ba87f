/** The region in which a call is served, as far as addresses and paths name it: some prices depend on it. */
import { wires } from './wire.ts';

/** What stands before the provider's own host: `https://eu.api.openai.com` is of the region `eu`. */
export function regionIn(url: string, host: string | null): string | null {
  const { hostname } = new URL(url);
  return host !== null && hostname.endsWith(`.${host}`) ? hostname.slice(0, -host.length - 1) : null;
}

/** An upstream, as far as it tells a region. */
interface PlacedUpstream {
  readonly url: string;
  /** The provider of the price list that it was declared to be; null: its host tells. */
  readonly listedAs: string | null;
}

/**
 * Of a call to an upstream; null: none is named, or its price does not depend on it. Google's platform names the place of a model in the path.
 * Claude costs more there than at its global address, and only in models from Sonnet 4.5 on.
 */
export function regionOfUpstream({ url, listedAs }: PlacedUpstream, path: string): string | null {
  if (listedAs === 'openai') return regionIn(url, wires.openai.host);
  const [, place, model] = claudeAtGoogle.exec(path) ?? [];
  return place === undefined || place === 'global' || samePriceEverywhere.test(model!) ? null : place;
}

const claudeAtGoogle = /\/locations\/([a-z0-9-]{1,40})\/publishers\/anthropic\/models\/(claude-[a-z0-9-]{1,80})/;
const samePriceEverywhere = /^claude-(?:3-|(?:opus|sonnet)-4(?:-[01])?$)/;
