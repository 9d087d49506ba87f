/**
 * Observes the calls of a client, in place: the host keeps using the same object, and each provider call passes one `SeenCall` to the sink
 * when it ends. Spec: Tap client wrapper; rules 27, 28 and 30b. The host's results never change, and a fault in here never
 * reaches the host: at worst a call is not reported.
 */
import { ignore, methodOf, quietly } from './look.ts';
import { lookAtReturned } from './in-place.ts';
import { observeConnection } from './connection.ts';
import { observeMethods } from './method-client.ts';
import { observeModelObject } from './model-object.ts';
import { observeStainless } from './stainless-client.ts';
import type { Hold } from './call.ts';
import type { Sink } from '../seen-call.ts';

export { settleOpenCalls } from './call.ts';

const holds = new WeakMap<object, Hold>();

/**
 * Observes the client: one of the OpenAI, Anthropic, Google or Mistral SDKs, a model or provider of the AI SDK, a model object of LangChain
 * or LlamaIndex that holds such a client, a WebSocket client of the OpenAI SDK, or any object with methods of the same names. A second call
 * on the same client only changes the sink, for it and for everything derived from it (`withOptions`, models).
 * False if nothing was recognised, or the object cannot be changed (frozen): then nothing is observed. `unknown` is called when a model
 * object that was recognised makes a client that is not.
 */
export function observe(client: object, sink: Sink, unknown: () => void = ignore): boolean {
  return !!quietly(() => observeObject(client, sink, unknown));
}

function observeObject(client: object, sink: Sink, unknown: () => void): boolean {
  if (!Object.isExtensible(client)) return false;
  const held = holds.get(client);
  if (held) {
    held.sink = sink;
    return true;
  }
  const hold: Hold = { client, sink };
  const observeDerived = (derived: unknown): boolean =>
    holds.has(derived as object) || observe(derived as object, (seen) => hold.sink(seen), unknown);
  const observed = observeStainless(hold, observeDerived) || observeProvider(client, observeDerived)
    || observeModelObject(client, observeDerived, unknown) || observeConnection(hold) || observeMethods(hold);
  if (observed) holds.set(client, hold);
  return observed;
}

/**
 * A provider of the AI SDK: each model that its methods make is observed. Called as a function, it makes models that cannot be observed
 * from the object; those are observed when they are passed to `tap`.
 */
function observeProvider(provider: object, observeModel: (model: unknown) => void): boolean {
  if (!methodOf(provider, 'languageModel')) return false;
  const makers = [...Object.keys(provider), 'languageModel', 'embeddingModel', 'textEmbeddingModel'];
  return makers.map((name) => lookAtReturned(provider, name, observeModel)).includes(true);
}
