/**
 * `/upstreams/NAME/…`: the destinations that an organization declares by name. What follows the name goes out as it came, but for a service key
 * in its query. Decision 150.
 */
import { containsServiceKey } from './key-form.ts';

/** What may be the name of an upstream: one segment of a path, in lower case. */
export const upstreamNameForm = /^[a-z0-9-]{1,32}$/;

const prefix = '/upstreams/';
const nameMax = 32;

/** The name in a raw path that leads to a named upstream; null for any other path. Behind the name there is a slash. */
export function upstreamNameOf(path: string): string | null {
  if (!path.startsWith(prefix)) return null;
  const end = path.indexOf('/', prefix.length);
  if (end === -1 || end - prefix.length > nameMax) return null;
  const name = path.slice(prefix.length, end);
  return upstreamNameForm.test(name) ? name : null;
}

/** What stands behind the name, from the slash on. `path`: one that leads to the upstream of this name. */
export function behindName(path: string, name: string): string {
  return path.slice(prefix.length + name.length);
}

/** A target without the parameters of its query that hold a service key; no other byte of it changes. */
export function withoutKeyInQuery(target: string): string {
  const query = target.indexOf('?');
  if (query === -1 || !containsServiceKey(decoded(target.slice(query)))) return target;
  const kept = target.slice(query + 1).split('&').filter((parameter) => !containsServiceKey(decoded(parameter)));
  return target.slice(0, query) + (kept.length === 0 ? '' : `?${kept.join('&')}`);
}

const encodedByte = /%([0-9a-f]{2})/gi;

/** Once: a key has no character that needs it, and a coat more is no key to anybody. */
function decoded(text: string): string {
  return text.includes('%') ? text.replace(encodedByte, (_coat, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : text;
}

/**
 * The path at a named upstream as a path of the first wire, so that operations are recognized by one table: the version in it, whatever it is called
 * and whatever stands before it, becomes `/v1`, with Google's `/openai` behind it; so does what Azure has in place of one: a project, a deployment
 * or nothing. What follows keeps its case.
 */
export function asFirstWirePath(path: string): string {
  const before = versionBefore.exec(path) ?? azureBefore.exec(path);
  return `/v1${before === null ? path : path.slice(before[0].length)}`;
}

const versionBefore = /^(?:\/[^/]+){0,4}?\/v\d[a-z0-9.]*(?:\/openai)?(?=\/)/;
const azureBefore = /^(?:\/api\/projects\/[^/]+)?(?:\/openai(?:\/deployments\/[^/]+)?)?(?=\/)/;
