/** Whether whoever sent a request still waits for its answer. */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Aborts once the request's connection has ended, or its answer has been sent. Never if the app is called without a socket. */
export function leavingOf(context: Context): AbortSignal {
  const leaving = new AbortController();
  const { outgoing } = (context.env ?? {}) as Partial<HttpBindings>;
  if (outgoing?.destroyed === true) leaving.abort();
  else outgoing?.once('close', () => leaving.abort());
  return leaving.signal;
}
