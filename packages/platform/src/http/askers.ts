/**
 * As whom a request has its turn (`request-turns.ts`), before anything of it was checked: as the organization that its credential was last found to
 * be of, otherwise as a stranger from the address that it comes from. Nothing but turns is decided by that. Decision 278.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { presentedTapKey } from '@metergate/core/tap/key.ts';
import type { GroupedAsker, ThreadAsker } from '@metergate/store/threads/others-first.ts';
import { parse } from 'hono/utils/cookie';
import { sessionCookieName } from '../auth/session-cookie.ts';
import { networkOf } from './client-address.ts';

/** Credentials that are remembered. One more, and the asker that has the most of them loses the one that it showed the longest ago. */
const knownMax = 4_096;

/** What a request shows of its sender: a token or a key, otherwise the session's cookie. */
export type ShownCredential = Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>;

/** An organization as an asker. */
export const asOrganization = (organization: string): string => `organization ${organization}`;

/** Anybody can have any number of addresses: all strangers together are one asker, who takes turns by address. */
const asStranger = (address: string): GroupedAsker => ({ group: 'strangers', name: `address ${networkOf(address)}` });

export interface Askers {
  /** `address`: as `clientAddress` gives it. */
  of(shown: ShownCredential, address: string): ThreadAsker;
  /** Requests with this credential were found to be of this asker. */
  learn(shown: ShownCredential, asker: string): void;
  /** This credential was refused: what shows it is a stranger's from now on. */
  unlearn(shown: ShownCredential): void;
}

/** `publicUrl`: the platform's, by which the session's cookie is named. */
export function createAskers(publicUrl: string): Askers {
  const cookieName = sessionCookieName(publicUrl);
  /** By hash: nothing that opens a door is kept. */
  const known = new Map<string, string>();
  /** The hashes of each asker. Here and within, the one that was found the longest ago stands first. */
  const hashes = new Map<string, Set<string>>();
  const forget = (hash: string): void => {
    const asker = known.get(hash);
    if (asker === undefined) return;
    known.delete(hash);
    const its = hashes.get(asker)!;
    its.delete(hash);
    if (its.size === 0) hashes.delete(asker);
  };
  return {
    of(shown, address) {
      const hash = hashOf(shown, cookieName);
      return (hash === null ? undefined : known.get(hash)) ?? asStranger(address);
    },
    learn(shown, asker) {
      const hash = hashOf(shown, cookieName);
      if (hash === null) return;
      forget(hash);
      if (known.size >= knownMax) forget(oldestOfMost(hashes));
      known.set(hash, asker);
      const its = hashes.get(asker) ?? new Set();
      hashes.delete(asker);
      hashes.set(asker, its.add(hash));
    },
    unlearn(shown) {
      const hash = hashOf(shown, cookieName);
      if (hash !== null) forget(hash);
    },
  };
}

/** So whoever has many credentials has their own forgotten, and nobody else's. */
function oldestOfMost(hashes: ReadonlyMap<string, ReadonlySet<string>>): string {
  let most: ReadonlySet<string> = new Set();
  for (const each of hashes.values()) if (each.size > most.size) most = each;
  return most.values().next().value!;
}

/** Of the credential alone: what else stands in the headers may differ from request to request. */
function hashOf({ authorization, cookie }: ShownCredential, cookieName: string): string | null {
  const credential = authorization === undefined ? sessionOf(cookie, cookieName) : presentedTapKey(authorization);
  return credential === '' ? null : createHash('sha256').update(credential).digest('base64');
}

/** The empty text: none. */
function sessionOf(cookie: string | undefined, name: string): string {
  return cookie === undefined ? '' : parse(cookie, name)[name] ?? '';
}
