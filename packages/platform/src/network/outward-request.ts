/**
 * A request to an address that somebody gave us (a webhook, an upstream, a list of prices): to the exact address that the guard checked, without
 * following redirects, over a connection of its own.
 */
import { request as plainRequest, type ClientRequest, type RequestOptions } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { NotPublicFault, reachOf, type AddressGuard } from '@metergate/store/network/address-guard.ts';

/** Null: the host may not be dialled. Whoever gets the request ends it, and hears its faults. */
export function outwardRequest(url: URL, guard: AddressGuard, options: Pick<RequestOptions, 'method' | 'headers' | 'signal'>): ClientRequest | null {
  const reach = reachOf(url);
  if (guard.refuseLiteral(url.hostname, reach) !== null) return null;
  const begin = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const request = begin(url, { ...options, agent: false, lookup: guard.lookupFor(reach) });
  // The address that was reached is checked as well, before a byte is written to it.
  request.once('socket', (socket) => socket.prependOnceListener('connect', () => {
    if (!guard.admits(socket.remoteAddress, reach)) socket.destroy(new NotPublicFault(url.hostname, 'was reached at an address that is not public'));
  }));
  return request;
}
