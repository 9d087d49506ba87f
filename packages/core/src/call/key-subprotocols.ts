/**
 * Keys among the subprotocols that a WebSocket handshake offers: a browser can add no header, so it puts its key there. The prefix is
 * known in any case of its letters, so that no spelling of it carries a key to a destination. Decision 0121.
 */
const keyPrefix = 'openai-insecure-api-key.';
const serviceKeyPrefix = 'svc_live_';

/** The first key that a list of subprotocols holds, in whatever form; null: none. */
export function keyAmong(offered: string): string | null {
  for (const one of offered.split(',')) {
    const name = one.trim();
    if (name.toLowerCase().startsWith(keyPrefix)) return name.slice(keyPrefix.length);
  }
  return null;
}

/** The list without those that hold a key, or a service key in any other form; as it is if none does. Empty: nothing is left. */
export function withoutKeys(offered: string): string {
  if (!holdsKey(offered)) return offered;
  const others = offered.split(',').filter((one) => !holdsKey(one));
  return others.every((one) => one.trim() === '') ? '' : others.join(',').trim();
}

function holdsKey(offered: string): boolean {
  const lower = offered.toLowerCase();
  return lower.includes(keyPrefix) || lower.includes(serviceKeyPrefix);
}
