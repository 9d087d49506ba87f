/** The host of a listener, as a URL on the same machine names it: `0.0.0.0` and `::` are no address that can be called. */
export function hostInUrl(host: string): string {
  const named = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return named.includes(':') ? `[${named}]` : named;
}
