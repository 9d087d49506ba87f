/** The client's address of a request, as far as the connection and trusted proxies show it. Rule 16. */
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { clientAddress } from './client-address.ts';
import type { PlatformParts } from './parts.ts';

/** Empty if the app is called without a socket. */
export function addressOf(context: Context, { trusted }: PlatformParts): string {
  const connection = context.env !== undefined && 'incoming' in (context.env as object) ? (getConnInfo(context).remote.address ?? '') : '';
  return clientAddress(connection, context.req.header('x-forwarded-for') ?? null, trusted);
}
