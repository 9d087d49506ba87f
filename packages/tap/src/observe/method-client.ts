/**
 * Observes clients by the methods that make their calls: Google's and Mistral's SDKs, the models of the AI SDK, and unknown clients that
 * have methods of the same names.
 */
import { at, methodOf, quietly } from './look.ts';
import { beginCall } from './call.ts';
import { followReturned } from './follow-answer.ts';
import { override } from './in-place.ts';
import type { Hold } from './call.ts';

/** The methods of a client's parts, by the parts' names. */
const seams: Readonly<Record<string, string>> = {
  models: 'generateContent generateContentStream embedContent',
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
    const observe = (part: unknown): boolean => observePart(hold, part, methods, name);
    return observeOnceThere(hold.client, name, observe) ?? observe(at(hold.client, name));
  });
  return [...parts, observePart(hold, hold.client, 'doGenerate doStream doEmbed', '')].includes(true);
}

function observePart(hold: Hold, part: unknown, methods: string, partName: string): boolean {
  return methods.split(' ').map((method) => {
    const path = method.split('.');
    const name = path.pop()!;
    const owner = at(part, ...path);
    const inner = `${name}Internal`; // Google's: makes one call, where the public one may make several
    return observeMethod(hold, owner, methodOf(owner, inner) ? inner : name, /embed/i.test(partName + name));
  }).includes(true);
}

function observeMethod(hold: Hold, owner: unknown, name: string, embeddings: boolean): boolean {
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
