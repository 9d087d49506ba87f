/**
 * One variable's text → its value, or a `BadValue` whose sentence names the variable and what is expected. Rules: Interfaces.
 * A sentence repeats a value only if it cannot contain a secret.
 */
import { isIP } from 'node:net';
import { withoutEnding } from '@metergate/core/json/without-ending.ts';
import { valueOf, type Environment, type VariableName } from './variables.ts';

/** Stops reading the environment; `read-config.ts` turns it into a refusal. */
export class BadValue extends Error {}

/** A whole number within bounds; `fallback` if the variable is unset. */
export function wholeNumber(
  env: Environment, name: VariableName, { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: number },
): number {
  const text = valueOf(env, name);
  if (text === null) return fallback;
  if (/^\d{1,12}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new BadValue(`${name} must be a whole number from ${min} to ${max}${shown(text)}.`);
}

/** An address to listen on: an IP address or a host name. */
export function listenHost(env: Environment, name: VariableName, fallback: string): string {
  const text = valueOf(env, name);
  if (text === null) return fallback;
  const bare = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  const isName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(bare) && !/^[\d.]+$/.test(bare);
  if (isIP(bare) !== 0 || isName) return bare;
  throw new BadValue(`${name} must be an IP address or a host name without scheme and port, such as 127.0.0.1${shown(text)}.`);
}

/** One of a few words. */
export function oneOf<Word extends string>(env: Environment, name: VariableName, words: readonly [Word, ...Word[]]): Word {
  const text = valueOf(env, name);
  if (text === null) return words[0];
  const word = words.find((each) => each === text);
  if (word !== undefined) return word;
  throw new BadValue(`${name} must be ${words.join(' or ')}${shown(text)}.`);
}

/** Scheme, host and port of a provider, without a trailing slash. */
export function originUrl(env: Environment, name: VariableName, fallback: string): string {
  const text = valueOf(env, name);
  if (text === null) return fallback;
  const url = httpUrl(name, text);
  if (url.pathname !== '/' || /[?#]/.test(text)) {
    throw new BadValue(`${name} must be only scheme, host and port, without path or query: ${url.origin}`);
  }
  return url.origin;
}

/** A URL that links show: http or https, a path if need be, without a trailing slash. Null if it is unset. */
export function publicUrl(env: Environment, name: VariableName): string | null {
  const text = valueOf(env, name);
  if (text === null) return null;
  const url = httpUrl(name, text);
  if (/[?#]/.test(text)) throw new BadValue(`${name} must be a URL without query and fragment.`);
  return withoutEnding(url.origin + url.pathname, '/');
}

function httpUrl(name: VariableName, text: string): URL {
  const url = /^https?:\/\/[^/\\]/i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw new BadValue(`${name} must be a URL that begins with https:// or http:// and names a host.`);
  if (url.username !== '' || url.password !== '') {
    throw new BadValue(`${name} must not carry a user name or password; provider keys are connected with: metergate provider connect`);
  }
  return url;
}

/** The value for the end of a sentence, if it is short and plain. */
function shown(text: string): string {
  return /^[\x21-\x7e]{1,40}$/.test(text) && !/[@=]/.test(text) ? `, not ${text}` : '';
}
