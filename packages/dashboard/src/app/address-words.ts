/**
 * What pages keep in their address, as text: `?label=env:production`. Every value is a text, also `true` or `1.0`; one that begins with a quotation
 * mark is written as JSON, as the router wrote everything that was not certainly text before.
 */

export function searchIn(address: string): Record<string, string> {
  return Object.fromEntries([...new URLSearchParams(address)].map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    const text: unknown = JSON.parse(value);
    return typeof text === 'string' ? text : value;
  } catch {
    return value;
  }
}

/** The part of an address from its `?` on; empty if nothing is set. */
export function addressWith(search: Readonly<Record<string, unknown>>): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null) continue;
    const text = String(value);
    words.append(name, text.startsWith('"') ? JSON.stringify(text) : text);
  }
  return words.size === 0 ? '' : `?${words.toString()}`;
}
