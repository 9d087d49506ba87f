/**
 * Model objects of LangChain.js and LlamaIndex.TS. They call by a client of a known SDK that they hold, or make when they are first asked:
 * that client is observed. An object that makes a client of another kind, or a new one for each call, is not recognised.
 */
import { at, ignore, isThere, methodOf, quietly } from './look.ts';
import { lookAtReturned, override } from './in-place.ts';

/** True where a client is observed, or will be when the model makes it. `observe` says whether it knows a client. */
export function observeModelObject(model: object, observe: (client: unknown) => boolean): boolean {
  if (at(model, 'lc_namespace') || methodOf(model, 'embeddingWithRetry')) return observeLangChain(model, observe);
  const later = override(model, 'lazySession', (run) => {
    const session = run();
    quietly(() => (session as Promise<unknown>).then(observe, ignore)); // before the model itself hears of it
    return session;
  });
  return later || observe(at(model, 'session.anthropic'));
}

/** A model has its clients in itself, or in a model for each way of calling; what it is bound to (tools, settings) makes another. */
function observeLangChain(model: object, observe: (client: unknown) => boolean): boolean {
  const inner = ['completions', 'responses', 'bound'].map((name) => observe(at(model, name)));
  const clients = ['client', 'batchClient', 'streamingClient'].map((name) => observeWhenMade(model, name, observe));
  const observed = [...inner, ...clients].includes(true);
  if (observed) lookAtReturned(model, 'withConfig', observe);
  return observed;
}

/** What the model keeps there, at once or when it is made; of models that are known to make clients of known SDKs. */
function observeWhenMade(model: object, name: string, observe: (client: unknown) => boolean): boolean {
  if (!Object.hasOwn(model, name)) return false;
  let client = at(model, name);
  if (isThere(client)) return observe(client);
  if (!methodOf(model, '_getClientOptions') && !methodOf(model, 'embeddingWithRetry') && !methodOf(model, 'createClient')) return false;
  return Reflect.defineProperty(model, name, {
    configurable: true,
    enumerable: true,
    get: () => client,
    set(made: unknown) {
      client = made;
      observe(made);
    },
  });
}
