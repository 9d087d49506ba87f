/** The region that the address of a provider names. */

/** What stands before the provider's own host: `https://eu.api.openai.com` is of the region `eu`. */
export function regionIn(url: string, host: string | null): string | null {
  const { hostname } = new URL(url);
  return host !== null && hostname.endsWith(`.${host}`) ? hostname.slice(0, -host.length - 1) : null;
}
