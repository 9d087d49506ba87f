/**
 * Observes clients by the methods that make their calls: Google's and Mistral's SDKs, the models of the AI SDK, and unknown clients that
 * have methods of the same names.
 */
import { at, methodOf, quietly } from './look.ts';
import { beginCall } from './call.ts';
import { followAnswer } from './follow-answer.ts';
import { observeOutcome } from './follow-stream.ts';
import { lookAtReturned, override } from './in-place.ts';
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

/** Observes the client in place; false if it has none of the methods or cannot be changed. */
export function observeMethods(hold: Hold): boolean {
  const parts = Object.entries(seams).map(([name, methods]) => {
    const observe = (part: unknown): boolean => observePart(hold, part, methods, name);
    return observeOnceThere(hold.client, name, observe) || observe(at(hold.client, name));
  });
  return [...parts, observePart(hold, hold.client, 'doGenerate doStream doEmbed', '')].includes(true);
}

function observePart(hold: Hold, part: unknown, methods: string, partName: string): boolean {
  return methods.split(' ').map((method) => {
    const path = method.split('.');
    const name = path.pop()!;
    const owner = path.reduce<unknown>((here, key) => at(here, key), part);
    const inner = `${name}Internal`; // Google's: makes one call, where the public one may make several
    return override(owner, methodOf(owner, inner) ? inner : name, (run, args) => {
      const call = !hold.inside && quietly(() => beginCall(hold, args[0], /embed/i.test(partName + name)));
      if (!call) return run();
      hold.inside = true;
      try {
        return observeOutcome(run(), (answer) => followAnswer(answer, call), call.fail); // a synchronous throw means that no call was made
      } finally {
        hold.inside = false;
      }
    });
  }).includes(true);
}

/**
 * A client whose class makes its parts on first access keeps doing so: a part is observed when the host accesses it.
 * False if there is no such getter.
 */
function observeOnceThere(client: object, name: string, observe: (part: unknown) => void): boolean {
  const inherited = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(client) ?? {}, name);
  const known = new WeakSet<object>();
  return lookAtReturned(inherited, 'get', (part) => {
    if (!known.has(part as object)) observe(part);
    known.add(part as object);
  }) && Reflect.defineProperty(client, name, inherited!);
}
