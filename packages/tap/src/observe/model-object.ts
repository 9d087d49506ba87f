/**
 * Model objects of LangChain.js and LlamaIndex.TS. They call through a client of a known SDK that they hold, or make on first use: that
 * client is observed. An object that makes a client of another kind, or a new one for each call, is not recognised; if that shows only
 * when the client is made, it is reported then.
 */
import { at, ignore, isThere, methodOf, quietly } from './look.ts';
import { lookAtReturned, put } from './in-place.ts';

/** Observes a client; false if it is of no known kind. */
type Observe = (client: unknown) => boolean;

/** True if a client is observed, or will be when the model makes it; `unknown` is called if a client is made that is of no known kind. */
export function observeModelObject(model: object, observe: Observe, unknown: () => void): boolean {
  const observeMade = (client: unknown): void => { if (!observe(client)) unknown(); };
  if (at(model, 'lc_namespace') || methodOf(model, 'embeddingWithRetry')) return observeLangChain(model, observe, observeMade);
  return observeSession(model, observeMade) || observe(at(model, 'session.anthropic'));
}

/** LlamaIndex: a model keeps the promise of a session, which is its client, from the first time it needs it. */
function observeSession(model: object, observeMade: (client: unknown) => void): boolean {
  const soon = (session: unknown): void => {
    quietly(() => (session as Promise<unknown>).then(observeMade, ignore)); // runs before the model's own continuation
  };
  const make = methodOf(model, 'lazySession');
  if (!make) return false;
  // A model without a session would make one when asked: a function that throws prevents that, and the model keeps nothing.
  const none = new Error();
  if (!put(model, 'lazySession', () => { throw none; })) return false;
  const before = at(model, 'session');
  put(model, 'lazySession', make);
  if (isThere(before)) soon(before);
  return lookAtReturned(model, 'lazySession', soon);
}

/** A model holds its clients itself, or in one model for each way of calling; binding tools or settings makes another model. */
function observeLangChain(model: object, observe: Observe, observeMade: (client: unknown) => void): boolean {
  const inner = ['completions', 'responses', 'bound'].map((name) => observe(at(model, name)));
  const clients = ['client', 'batchClient', 'streamingClient'].map((name) => observeWhenMade(model, name, observe, observeMade));
  const observed = [...inner, ...clients].includes(true);
  if (observed) lookAtReturned(model, 'withConfig', observe);
  return observed;
}

/** Observes the client under that name, at once or when it is made; only for models known to make clients of known SDKs. */
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
