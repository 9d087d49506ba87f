/**
 * Observes clients by the methods that make their calls: Google's and Mistral's SDKs, the models of the AI SDK, and unknown clients that
 * have methods of the same names. Where an SDK has an inner method that makes exactly one provider call, that one is observed, for the
 * public one may make several.
 */
import { at, methodOf, quietly } from './look.ts';
import { beginCall } from './call.ts';
import { followReturned } from './follow-answer.ts';
import { override } from './in-place.ts';
import type { Hold } from './call.ts';

/** The methods of a client's parts, by the parts' names; of `inner|public`, the first that is there. */
const seams: Readonly<Record<string, string>> = {
  models: 'generateContentInternal|generateContent generateContentStreamInternal|generateContentStream embedContentInternal|embedContent',
  chat: 'complete stream parse parseStream completions.create',
  agents: 'complete stream',
  fim: 'complete stream',
  completions: 'create',
  responses: 'create',
  embeddings: 'create',
  messages: 'create',
  beta: 'chat.completions.create responses.create messages.create',
};

/** Observes the client in place; false where it has none of the methods or cannot be changed. */
export function observeMethods(hold: Hold): boolean {
  const parts = Object.entries(seams).map(([name, methods]) => {
    const observe = (part: unknown): boolean => observePart(hold, part, methods, name === 'embeddings');
    return observeOnceThere(hold.client, name, observe) ?? observe(at(hold.client, name));
  });
  return [...parts, observePart(hold, hold.client, 'doGenerate doStream doEmbed', false)].includes(true);
}

function observePart(hold: Hold, part: unknown, methods: string, embeddings: boolean): boolean {
  return methods.split(' ').map((method) => {
    const path = method.split('.');
    const names = path.pop()!.split('|');
    const owner = at(part, ...path);
    const name = names.find((one) => methodOf(owner, one)) ?? '';
    return observeMethod(hold, { owner, name, embeddings: embeddings || /embed/i.test(name) });
  }).includes(true);
}

function observeMethod(hold: Hold, { owner, name, embeddings }: { owner: unknown; name: string; embeddings: boolean }): boolean {
  return override(owner, name, (run, args) => {
    const call = hold.inside ? null : quietly(() => beginCall(hold, args[0], embeddings));
    if (!call) return run();
    hold.inside = true;
    try {
      return followReturned(run(), call); // what throws at once made no call
    } finally {
      hold.inside = false;
    }
  });
}

/**
 * A client whose class makes its parts when they are first asked for keeps doing so: a part is observed when the host asks.
 * Undefined where there is no such getter.
 */
function observeOnceThere(client: object, name: string, observe: (part: unknown) => void): boolean | undefined {
  const inherited = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(client) ?? {}, name);
  const get = inherited?.get;
  if (!get) return undefined;
  const known = new WeakSet<object>();
  return Reflect.defineProperty(client, name, {
    ...inherited,
    get() {
      const part = Reflect.apply(get, this, []) as object;
      quietly(() => {
        if (!known.has(part)) observe(part);
        known.add(part);
      });
      return part;
    },
  });
}
