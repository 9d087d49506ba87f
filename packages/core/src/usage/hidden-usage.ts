/**
 * Calls whose provider would report what they used, and whose caller asks it not to: by the parameters and headers that Google's APIs have for all
 * of their methods, or by a stream in OpenAI's format without `include_usage`. Rule 6c.
 */
import { allValues, firstValue, type HeaderPairs } from '../call/header-pairs.ts';
import type { Route } from '../call/route.ts';
import { plainOperationOf } from './operation.ts';

/** Methods that do no work, as long as no header or parameter says that another one is meant. */
export const idleMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

/**
 * Whether the query or a header asks for an answer without usage, or in a form that is not read, or for another method than the call names. Only
 * calls to upstreams can: of the named providers neither has such a thing. Costs a look for a question mark and at the headers' names.
 */
export function hidesInHead({ method, path, target }: Pick<Route, 'path' | 'target'> & { readonly method: string }, headers: HeaderPairs): boolean {
  if (!path.startsWith('/upstream')) return false;
  const query = queryOf(target);
  // The answers of these are not watched.
  if (idleMethods.has(method)) {
    return methodFields.some((name) => firstValue(headers, name) !== null) || query.some(([name]) => name === '$httpmethod');
  }
  return firstValue(headers, 'x-goog-fieldmask') !== null
    || formFields.some((name) => allValues(headers, name).some((value) => binaryForm.test(value))) || query.some(hidesInQuery);
}

/** Whether a body of such a call may ask for a stream that reports nothing. */
export function mayStreamWithoutUsage(path: string): boolean {
  return streamedTexts.test(plainOperationOf(path));
}

/** What is known of the destination that a call to an upstream goes to. */
interface StreamingSeller {
  /** Host name or URL. */
  readonly upstreamHost: string | null;
  /** The provider of the price list that it was declared to be, or null. */
  readonly listedAs: string | null;
}

/** Whether the provider reports the usage of every stream, whatever the caller asks for. */
export function reportsStreamsUnasked({ upstreamHost, listedAs }: StreamingSeller): boolean {
  return (listedAs !== null && unaskedProviders.has(listedAs)) || (upstreamHost !== null && unaskedHost.test(upstreamHost));
}

/** Names and values of a query's parameters, decoded once and in small letters: no other spelling of a name may pass. */
function queryOf(target: string): readonly (readonly [name: string, value: string])[] {
  const at = target.indexOf('?');
  return at === -1 ? [] : [...new URLSearchParams(target.slice(at + 1))].map(([name, value]) => [name.toLowerCase(), value.toLowerCase()]);
}

function hidesInQuery([name, value]: readonly [name: string, value: string]): boolean {
  const plain = name.replace(/^\$/, '');
  if (plain === 'alt') return !readForm.test(value);
  return plain === 'fields' || plain === 'callback' || plain === 'x-goog-fieldmask';
}

const methodFields = ['x-http-method-override', 'x-http-method', 'x-method-override'] as const;
const formFields = ['accept', 'content-type'] as const;
const binaryForm = /protobuf/i;
/** Google's own clients ask for numbers in the place of names: `json;enum-encoding=int`. */
const readForm = /^(?:json|sse)(?:;.*)?$/;
const streamedTexts = /^\/v1\/(?:.+\/)?completions$/;
const unaskedProviders: ReadonlySet<string> = new Set(['mistral', 'groq', 'perplexity']);
const unaskedHost = /^(?:https?:\/\/)?(?:api\.mistral\.ai|api\.groq\.com|api\.perplexity\.ai)(?:[:/]|$)/;
