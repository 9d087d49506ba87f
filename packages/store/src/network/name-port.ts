/**
 * The resolver of names between threads and processes: the main thread has it, and those that dial ask for names through a port. Connections that
 * wait for the same name of one organization share one question. Nothing is remembered after the answer.
 */
import type { LookupAddress } from 'node:dns';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ResolveAll } from '../network/address-guard.ts';
import type { NameAnswer, NameResolver } from './name-resolver.ts';

export interface NameToResolve { readonly id: number; readonly organization: string; readonly hostname: string }
/** Null: it did not resolve. */
export interface ResolvedName { readonly id: number; readonly addresses: readonly LookupAddress[] | null }

/** What a thread or process asks through. */
interface AskingPort {
  postMessage(question: NameToResolve): void;
  on(event: 'message', listener: (answer: ResolvedName) => void): unknown;
}

/** A port for a thread, through which it is answered until it closes it or ends. */
export function portOf(resolver: NameResolver): MessagePort {
  const { port1: port, port2 } = new MessageChannel();
  port.on('message', (question: NameToResolve) => resolveFor(question, resolver, (answer) => port.postMessage(answer)));
  port.unref();
  return port2;
}

export function resolveFor({ id, ...name }: NameToResolve, resolver: NameResolver, answer: (resolved: ResolvedName) => void): void {
  resolver.resolve(name, (addresses) => answer({ id, addresses }));
}

/** How the names of an organization are resolved through this port. */
type NamesOf = (organization: string) => ResolveAll;

/** Of this thread: whoever asks through the same port hears the answers to the others' questions. */
let lastId = 0;

export function namesThrough(port: AskingPort): NamesOf {
  const waiting = new Map<string, NameAnswer[]>();
  const asked = new Map<number, string>();
  port.on('message', ({ id, addresses }: ResolvedName) => {
    const name = asked.get(id);
    if (name === undefined) return;
    const waiters = waiting.get(name)!;
    asked.delete(id);
    waiting.delete(name);
    for (const answer of waiters) answer(addresses);
  });
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
    port.postMessage({ id, organization, hostname });
  };
}
