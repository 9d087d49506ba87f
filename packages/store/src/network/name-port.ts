/**
 * The resolver of names between threads: the main thread has it, and threads that dial ask for names through a port. Connections that wait for the
 * same name of one organization share one question. Nothing is remembered after the answer.
 */
import type { LookupAddress } from 'node:dns';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ResolveAll } from '../network/address-guard.ts';
import type { NameAnswer, NameResolver } from './name-resolver.ts';

interface Question { readonly id: number; readonly organization: string; readonly hostname: string }
interface Answer { readonly id: number; readonly addresses: readonly LookupAddress[] | null }

/** A port for a thread, through which it is answered until it closes it or ends. */
export function portOf(resolver: NameResolver): MessagePort {
  const { port1: port, port2 } = new MessageChannel();
  port.on('message', ({ id, organization, hostname }: Question) => {
    resolver.resolve({ organization, hostname }, (addresses) => port.postMessage({ id, addresses } satisfies Answer));
  });
  port.unref();
  return port2;
}

/** How the names of an organization are resolved through this port. */
type NamesOf = (organization: string) => ResolveAll;

/** Of this thread: whoever asks through the same port hears the answers to the others' questions. */
let lastId = 0;

export function namesThrough(port: MessagePort): NamesOf {
  const waiting = new Map<string, NameAnswer[]>();
  const asked = new Map<number, string>();
  port.on('message', ({ id, addresses }: Answer) => {
    const name = asked.get(id);
    if (name === undefined) return;
    const waiters = waiting.get(name)!;
    asked.delete(id);
    waiting.delete(name);
    for (const answer of waiters) answer(addresses);
  });
  port.unref();
  return (organization) => (hostname, _options, done) => {
    const answer: NameAnswer = (addresses) => addresses === null ? done(new Error('did not resolve'), []) : done(null, [...addresses]);
    const name = `${organization} ${hostname}`;
    const waiters = waiting.get(name);
    if (waiters !== undefined) {
      waiters.push(answer);
      return;
    }
    waiting.set(name, [answer]);
    const id = lastId += 1;
    asked.set(id, name);
    port.postMessage({ id, organization, hostname } satisfies Question);
  };
}
