/** The credential of an upstream, as an entry of a configuration says it: a reference, none at all, or the stored one by saying nothing. */
import type { CredentialReference } from './configuration.ts';

/** The credential that a reference leads to, or why it leads to none. */
export type CredentialOf = (reference: CredentialReference) => Promise<{ readonly credential: string } | { readonly sentence: string }>;

interface CredentialNow {
  /** There is a stored one. */
  readonly stored: boolean;
  /** Whether it would go elsewhere, or be shown in another way, than now. */
  readonly changed: 'URL' | 'auth' | null;
  readonly credentialOf: CredentialOf;
}

/** Empty: no credential is needed. Undefined: the stored one stays. */
export async function givenCredential(
  reference: CredentialReference | null | undefined, { stored, changed, credentialOf }: CredentialNow,
): Promise<string | undefined | { readonly sentence: string }> {
  if (reference === null) return '';
  if (reference === undefined) {
    return stored && changed !== null ? { sentence: `The ${changed} changes, so say what its credential is: env, file, or null if none is needed.` }
      : stored ? undefined : '';
  }
  const found = await credentialOf(reference);
  return 'sentence' in found ? found : found.credential;
}
