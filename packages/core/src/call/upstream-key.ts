/**
 * The service key on the paths of named upstreams: there, it is wherever the provider's own client puts the provider's. It is taken out of every
 * such place, whether it was the one that was read or not. Decision 150.
 */
import type { HeaderPairs } from './header-pairs.ts';
import { keyFields, keyOrNull } from './key-form.ts';

const bearer = /^bearer +/i;

/** The key that a call to a named upstream presents; null: none of the places holds the form of one. Undefined: none of them holds anything. */
export function presentedAtUpstream(headers: HeaderPairs, rawTarget: string): string | null | undefined {
  let place: number = keyFields.length;
  let key: string | null = null;
  let presents = false;
  for (let at = 0; at < headers.length; at += 2) {
    const field = keyFields.indexOf(headers[at]!.toLowerCase());
    if (field === -1) continue;
    presents = true;
    const found = field < place ? keyOrNull(headers[at + 1]!.replace(field === 0 ? bearer : '', '')) : null;
    if (found === null) continue;
    [place, key] = [field, found];
  }
  if (key !== null) return key;
  const inQuery = keyParameter(rawTarget);
  if (inQuery === null) return presents ? null : undefined;
  return keyOrNull(inQuery);
}

/** The value of `key` in the query; null: it has none. */
function keyParameter(target: string): string | null {
  const query = target.indexOf('?');
  if (query === -1) return null;
  const parameter = target.slice(query + 1).split('&').find((each) => each.startsWith('key='));
  return parameter === undefined ? null : parameter.slice('key='.length);
}
