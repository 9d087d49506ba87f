/**
 * Model objects of LangChain.js and LlamaIndex.TS. They call by a client of a known SDK that they hold, or make when they are first asked:
 * that client is observed. An object that makes a client of another kind, or a new one for each call, is not recognised; if that shows
 * only when the client is made, it is told then.
 */
import { at, ignore, isThere, methodOf, quietly } from './look.ts';
import { lookAtReturned, put } from './in-place.ts';

/** Says whether it knows a client. */
type Observe = (client: unknown) => boolean;

/** True if a client is observed, or will be when the model makes it; `unknown` hears of one that is made and is of no known kind. */
export function observeModelObject(model: object, observe: Observe, unknown: () => void): boolean {
  const observeMade = (client: unknown): void => { if (!observe(client)) unknown(); };
  if (at(model, 'lc_namespace') || methodOf(model, 'embeddingWithRetry')) return observeLangChain(model, observe, observeMade);
  return observeSession(model, observeMade) || observe(at(model, 'session.anthropic'));
}

/** LlamaIndex: a model keeps the promise of a session, which is its client, from when it is first asked for it. */
function observeSession(model: object, observeMade: (client: unknown) => void): boolean {
  const soon = (session: unknown): void => {
    quietly(() => (session as Promise<unknown>).then(observeMade, ignore)); // before the model itself hears of it
  };
  const make = methodOf(model, 'lazySession');
  if (!make) return false;
  // A model that has none yet would make one now: it is kept from that, and keeps nothing.
  const none = new Error();
  if (!put(model, 'lazySession', () => { throw none; })) return false;
  const before = at(model, 'session');
  put(model, 'lazySession', make);
  if (isThere(before)) soon(before);
  return lookAtReturned(model, 'lazySession', soon);
}

/** A model has its clients in itself, or in a model for each way of calling; what it is bound to (tools, settings) makes another. */
function observeLangChain(model: object, observe: Observe, observeMade: (client: unknown) => void): boolean {
  const inner = ['completions', 'responses', 'bound'].map((name) => observe(at(model, name)));
  const clients = ['client', 'batchClient', 'streamingClient'].map((name) => observeWhenMade(model, name, observe, observeMade));
  const observed = [...inner, ...clients].includes(true);
  if (observed) lookAtReturned(model, 'withConfig', observe);
  return observed;
}

/** What the model keeps there, at once or when it is made; of models that are known to make clients of known SDKs. */
function observeWhenMade(model: object, name: string, observe: Observe, observeMade: (client: unknown) => void): boolean {
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
      if (isThere(made)) observeMade(made);
    },
  });
}
