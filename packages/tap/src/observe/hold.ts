/**
 * What is kept of an observed object: where its calls are told, which a later `observe` on the same object may change.
 */
import { at, isObject, pathsOf, textIn } from './look.ts';
import { beginCall } from './call.ts';
import { providerOf } from './provider.ts';
import type { Call } from './call.ts';
import type { Sink } from '../seen-call.ts';

/** One observed object. */
export interface Hold {
  readonly client: object;
  sink: Sink;
  /** A method of the client is just running: what it calls on the client by itself is the same call. */
  inside: boolean;
}

const modelPaths = pathsOf('model body.model');
const signalPaths = pathsOf('signal abortSignal config.abortSignal fetchOptions.signal');

/** Begins a call that is about to be made on the object. */
export function beginCallOf(hold: Hold, args: readonly unknown[], embeddings: boolean): Call {
  return beginCall({
    provider: providerOf(hold.client),
    model: args.map((one) => textIn(one, modelPaths)).find(Boolean) ?? textIn({ model: at(hold.client, 'modelId') }, modelPaths) ?? null,
    embeddings,
    signal: args.flatMap((one) => signalPaths.map((path) => at(one, ...path))).find(isObject),
  }, (seen) => hold.sink(seen));
}
