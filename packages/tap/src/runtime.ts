/**
 * The runtime functions that the tap uses, captured when the package is loaded, so that later patches by the host have no effect. Any of them
 * may be missing (edge runtimes); callers catch the error.
 */
import { ignore } from './observe/look.ts';
import type * as crypto from 'node:crypto';
import type * as http from 'node:http';
import type * as https from 'node:https';
import type * as threads from 'node:worker_threads';

interface NodeModules {
  readonly crypto: typeof crypto;
  readonly http: typeof http;
  readonly https: typeof https;
  readonly worker_threads: typeof threads;
}

const scope = globalThis as Partial<typeof globalThis>;
// Taken as a plain function: some runtimes refuse timers that are called as methods of another object.
const { setTimeout: nativeSetTimeout } = scope;
const nativeRandomUuid = scope.crypto?.randomUUID?.bind(scope.crypto);
const imported: Record<string, unknown> = {};

/** Node's own `process`, or another runtime's equivalent; undefined if there is none. */
export const hostProcess: NodeJS.Process | undefined = scope.process;

const versions = hostProcess?.versions;

/** Wall time, milliseconds since the epoch. */
export const wallMs: () => number = Date?.now;

/** Monotonic time in milliseconds. */
export const monotonicMs: () => number = scope.performance?.now.bind(scope.performance) ?? wallMs;

/**
 * Prints one line on stderr. Node's console handles its stream's errors while it writes, so a closed stderr does no harm.
 */
export const print: (line: string) => void = scope.console?.error.bind(scope.console) ?? ignore;

/** True on Node itself, where a thread can be waited for while the process ends. */
export const canWaitForThreads = versions?.node && !versions['bun'] && !versions['deno'];

/** False if the runtime has no sockets to post by (edge runtimes); Bun and Deno have Node's modules. */
export const canPost = !!versions?.node;

/** One of Node's own modules. Throws if the runtime has none, or has not loaded it yet. */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] {
  return (hostProcess!.getBuiltinModule?.(`node:${name}`) ?? imported[name]) as NodeModules[Name];
}

/** Loads Node's modules where they can only be imported (before 20.16); never by a name that a bundler would follow. */
export function loadNodeModules(): void {
  if (hostProcess?.getBuiltinModule || !canWaitForThreads) return;
  for (const name of ['http', 'https', 'worker_threads', 'crypto']) {
    import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`).then((module) => (imported[name] = module), ignore);
  }
}

/** A version 4 UUID. Throws if the runtime cannot make one. */
export function uuid(): string {
  return nativeRandomUuid?.() ?? nodeModule('crypto').randomUUID();
}

/** Runs once after a time. Does not keep the process alive. */
export function after(delayMs: number, run: () => void): void {
  (nativeSetTimeout!(run, delayMs) as { unref?(): void }).unref?.();
}
