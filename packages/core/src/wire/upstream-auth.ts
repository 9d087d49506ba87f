/** How the stored credential of a named upstream is shown to it. Decision 150. */
import type { CredentialHeader } from './wire.ts';

/** The names by which a declaration chooses one. */
export const upstreamAuths = ['bearer', 'api-key', 'x-goog-api-key', 'x-api-key', 'none'] as const;
export type UpstreamAuth = (typeof upstreamAuths)[number];

/** The header for it; null if none is shown. `credential`: empty if the destination needs none. */
export function upstreamCredentialHeader(auth: UpstreamAuth, credential: string): CredentialHeader | null {
  if (credential === '' || auth === 'none') return null;
  return auth === 'bearer' ? { name: 'authorization', value: `Bearer ${credential}` } : { name: auth, value: credential };
}
