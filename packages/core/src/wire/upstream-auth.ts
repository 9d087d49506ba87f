/** How the stored credential of a named upstream is shown to it. Decisions 150 and 157. */
import type { CredentialHeader } from './wire.ts';

/** The names by which a declaration chooses one. */
export const upstreamAuths = [
  'bearer', 'api-key', 'x-goog-api-key', 'x-api-key', 'aws-sigv4', 'google-service-account', 'none',
] as const;
export type UpstreamAuth = (typeof upstreamAuths)[number];

/** Those whose stored credential is never sent: each call gets one that is made with it. */
type MadeAuth = 'aws-sigv4' | 'google-service-account';

export function isMadeAuth(auth: UpstreamAuth): auth is MadeAuth {
  return auth === 'aws-sigv4' || auth === 'google-service-account';
}

/** The header for it; null if none is shown, or it must be made first. `credential`: empty if the destination needs none. */
export function upstreamCredentialHeader(auth: UpstreamAuth, credential: string): CredentialHeader | null {
  if (credential === '' || auth === 'none' || isMadeAuth(auth)) return null;
  return auth === 'bearer' ? { name: 'authorization', value: `Bearer ${credential}` } : { name: auth, value: credential };
}
