/**
 * Which answers tell how work ended that an earlier call began, and that is billed later: by method and path, as the providers document
 * them. Only the plain spelling is taken for one, because ids differ by case. Rule 6f.
 */
import { asFirstWirePath, behindName, upstreamNameOf } from '../call/named-upstream.ts';
import { laterWorkOf, type WorkDoneLater, type OutcomeForm } from './later-work.ts';

/** An answer that tells it. */
export interface OutcomePlace {
  readonly form: OutcomeForm;
  /** The provider's id in the path. */
  readonly id: string;
}

/** Null: the answer of such a call tells no outcome. `path`: as called, without its query. */
export function outcomePlaceOf({ method, path }: { readonly method: string; readonly path: string }): OutcomePlace | null {
  if (method !== 'GET' && method !== 'POST') return null;
  const operation = operationOf(path);
  for (const [ofMethod, form, pattern] of places) {
    const id = ofMethod === method ? pattern.exec(operation)?.[1] : undefined;
    if (id !== undefined) return { form, id };
  }
  return null;
}

/** The calls whose answers name work that goes on, whose outcome one of the places tells: the same rule for all. `path`: as called. */
export function beginsWork({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'POST' && (begunAs(path)?.settledBy ?? null) !== null;
}

/** The work that a call of this path begins; null: none that is known. */
export function begunAs(path: string): WorkDoneLater | null {
  return laterWorkOf(operationOf(path));
}

/** What a call of this path asks for, in its own case, as of the first wire. */
function operationOf(path: string): string {
  const name = upstreamNameOf(path);
  return name === null ? path.replace(/^\/(?:alt|upstream)(?=\/v1\/)/, '') : asFirstWirePath(behindName(path, name));
}

const places: readonly (readonly [method: string, form: OutcomeForm, pattern: RegExp])[] = [
  ['GET', 'response', /^\/v1\/(?:responses|agent)\/([\w-]+)$/],
  ['POST', 'response', /^\/v1\/responses\/(resp_[\w-]+)\/cancel$/],
  ['GET', 'batch', /^\/v1\/batch(?:es|\/jobs)\/([\w-]+)$/],
  ['GET', 'result_file', /^\/v1\/files\/([\w-]+)\/content$/],
  ['GET', 'message_results', /^\/v1\/messages\/batches\/([\w-]+)\/results$/],
  ['GET', 'video', /^\/v1\/videos\/([\w-]+)$/],
  ['GET', 'fine_tuning', /^\/v1\/fine_tuning\/jobs\/([\w-]+)$/],
  ['GET', 'interaction', /^\/v1\/interactions\/([\w-]+)$/],
  ['POST', 'interaction', /^\/v1\/interactions\/([\w-]+)\/cancel$/],
  ['GET', 'completion', /^\/v1\/chat\/deferred-completion\/([\w-]+)$/],
  ['GET', 'wrapped_completion', new RegExp('^/v1/async/(?:sonar|chat/completions)/([\\w-]+)$')],
];
