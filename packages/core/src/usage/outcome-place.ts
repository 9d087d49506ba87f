/**
 * Which answers tell how work ended that an earlier call began, and that is billed later: by method and path, as the providers document
 * them. Only the plain spelling is taken for one, because ids are told apart by their case. Rule 6f.
 */

/**
 * `response`: a response of the Responses API. `batch`: a batch of the first wire. `result_file`: a file, perhaps of the results of a batch.
 * `message_results`: the results of a batch of messages. `video`, `fine_tuning`: the job as an object.
 */
export type OutcomeForm = 'response' | 'batch' | 'result_file' | 'message_results' | 'video' | 'fine_tuning';

/** An answer that tells it. */
export interface OutcomePlace {
  readonly form: OutcomeForm;
  /** The provider's id in the path. */
  readonly id: string;
}

/** Null: the answer of such a call tells no outcome. `path`: as called, without its query. */
export function outcomePlaceOf({ method, path }: { readonly method: string; readonly path: string }): OutcomePlace | null {
  if (method !== 'GET' && method !== 'POST') return null;
  const plain = path.replace(prefix, '');
  for (const [ofMethod, form, pattern] of places) {
    const id = ofMethod === method ? pattern.exec(plain)?.[1] : undefined;
    if (id !== undefined) return { form, id };
  }
  return null;
}

/** The calls whose answers name work that goes on, whose outcome one of the places tells: the same rule for all. `path`: as called. */
export function beginsWork({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'POST' && beginning.test(path.replace(prefix, ''));
}

/** What stands before the provider's own path. */
const prefix = /^\/(?:alt|upstream|upstreams\/[^/]+)(?=\/v1\/)/;

const places: readonly (readonly [method: string, form: OutcomeForm, pattern: RegExp])[] = [
  ['GET', 'response', /^\/v1\/responses\/([\w-]+)$/],
  ['POST', 'response', /^\/v1\/responses\/(resp_[\w-]+)\/cancel$/],
  ['GET', 'batch', /^\/v1\/batches\/([\w-]+)$/],
  ['GET', 'result_file', /^\/v1\/files\/([\w-]+)\/content$/],
  ['GET', 'message_results', /^\/v1\/messages\/batches\/([\w-]+)\/results$/],
  ['GET', 'video', /^\/v1\/videos\/([\w-]+)$/],
  ['GET', 'fine_tuning', /^\/v1\/fine_tuning\/jobs\/([\w-]+)$/],
];
const beginning = /^\/v1\/(?:responses|batches|messages\/batches|videos(?:\/[\w-]+\/remix)?|fine_tuning\/jobs)$/;
