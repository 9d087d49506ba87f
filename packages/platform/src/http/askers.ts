/**
 * As whom a request has its turn (`request-turns.ts`), before anything of it was checked: as the organization that its credential was last found to
 * be of, otherwise as the address that it comes from. Nothing but turns is decided by that. Decision 278.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { networkOf } from './client-address.ts';

/** Credentials that are remembered; the one that was found the longest ago is forgotten first. */
const knownMax = 4_096;

/** What a request shows of its sender: a token or a key, otherwise the session's cookie. */
export type ShownCredential = Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>;

/** An organization as an asker. */
export const asOrganization = (organization: string): string => `organization ${organization}`;

export interface Askers {
  /** `address`: as `clientAddress` gives it. */
  of(shown: ShownCredential, address: string): string;
  /** Requests with this credential were found to be of this asker. */
  learn(shown: ShownCredential, asker: string): void;
}

export function createAskers(): Askers {
  /** By hash: nothing that opens a door is kept. */
  const known = new Map<string, string>();
  return {
    of(shown, address) {
      const hash = hashOf(shown);
      return (hash === null ? undefined : known.get(hash)) ?? `address ${networkOf(address)}`;
    },
    learn(shown, asker) {
      const hash = hashOf(shown);
      if (hash === null) return;
      known.delete(hash);
      known.set(hash, asker);
      if (known.size > knownMax) known.delete(known.keys().next().value!);
    },
  };
}

function hashOf({ authorization, cookie }: ShownCredential): string | null {
  const credential = authorization ?? cookie;
  return credential === undefined ? null : createHash('sha256').update(credential).digest('base64');
}
