/** What a destination is made of, whichever client is behind it. */
import type { AddressGuard } from '@metergate/store/network/address-guard.ts';
import type { DestinationTimeouts } from './destination.ts';

/** How long an idle connection is kept where the destination does not announce its own limit. */
export const idleConnectionMs = 4_000;

/** How many connections to one destination may be idle, of all keys together. */
export const idleConnectionsMax = 1_024;

/** More interim responses than any server has a reason to send; each one restarts the wait for the head. */
export const interimResponsesMax = 4_096;

/** Runs `dispatch` in the check phase of the event loop. */
export type DispatchIn = (dispatch: () => void) => void;

export interface DestinationOptions {
  /** `setImmediate` by default; whoever only ever sends from within the check phase may dispatch at once. */
  readonly dispatchIn?: DispatchIn | undefined;
  /** `scheme://host:port`, http or https, nothing after it. */
  readonly origin: string;
  readonly timeouts: DestinationTimeouts;
  /** Null for a destination the operator configured. */
  readonly guard: AddressGuard | null;
  /** Idle life of a connection, milliseconds; shorter where the destination announces less. */
  readonly keepAliveMs?: number | undefined;
  /** Idle at once, of all keys together; `idleConnectionsMax` at most. Past that the one that is idle the longest is closed. */
  readonly idleMax?: number | undefined;
  readonly tls?: { readonly ca?: string | Buffer | undefined } | undefined;
}

/** Throws a TypeError if the text is anything but scheme, host and port. */
export function parseOrigin(text: string): { readonly url: URL; readonly scheme: 'http' | 'https' } {
  const url = new URL(text);
  const scheme = url.protocol === 'https:' ? 'https' : url.protocol === 'http:' ? 'http' : null;
  if (scheme === null || url.username !== '' || url.password !== '' || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new TypeError('A destination is scheme, host and port alone, with http or https.');
  }
  return { url, scheme };
}
