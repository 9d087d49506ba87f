/**
 * A credential as someone gives it for a named upstream → what is stored, or a sentence that says what is wrong and repeats nothing of it.
 * Decision 157.
 */
import { createPrivateKey } from 'node:crypto';
import { awsCredentialOf, serviceAccountOf, type CredentialProblem, type ServiceAccount } from '@metergate/core/wire/made-credentials.ts';
import type { UpstreamAuth } from '@metergate/core/wire/upstream-auth.ts';
import { credentialRefusal } from '@metergate/store/engine/names.ts';
import { parseNamedUpstreamUrl, type UpstreamUrlRules } from './upstream-url.ts';

interface GivenCredential {
  readonly auth: UpstreamAuth;
  readonly credential: string;
  /** The upstream's, normalised. */
  readonly url: string;
}

/** The text to be sealed; empty: the destination needs none. */
export function storedCredentialOf(
  { auth, credential, url }: GivenCredential, rules: UpstreamUrlRules,
): { readonly text: string } | CredentialProblem {
  const given = credential.trim();
  if (auth === 'none') {
    return given === '' ? { text: '' } : { problem: 'An upstream without authentication has no credential; leave it empty.' };
  }
  if (auth === 'aws-sigv4') return asText(awsCredentialOf(given, url));
  if (auth !== 'google-service-account') {
    const refusal = given === '' ? null : credentialRefusal("An upstream's credential", given);
    return refusal === null ? { text: given } : { problem: refusal.refused.message };
  }
  const account = serviceAccountOf(given);
  return 'problem' in account ? account : asText(checkedAccount(account, rules));
}

function asText(value: object | CredentialProblem): { readonly text: string } | CredentialProblem {
  return 'problem' in value ? value as CredentialProblem : { text: JSON.stringify(value, (_name, field: unknown) => field ?? undefined) };
}

/** Its key is one, in the form in which it is used, and its token endpoint may be called: an assertion that stands for the account goes there. */
function checkedAccount(account: ServiceAccount, rules: UpstreamUrlRules): object | CredentialProblem {
  const endpoint = parseNamedUpstreamUrl(account.tokenUri, rules);
  if ('refusal' in endpoint) return { problem: `token_uri cannot be used. ${endpoint.refusal}` };
  const privateKey = pkcs8Of(account.privateKey);
  if (privateKey === null) return { problem: 'private_key must be an RSA private key in PEM, without a passphrase.' };
  const { clientEmail, privateKeyId, tokenUri } = account;
  return {
    type: 'service_account', client_email: clientEmail, private_key: privateKey, private_key_id: privateKeyId ?? undefined, token_uri: tokenUri,
  };
}

function pkcs8Of(pem: string): string | null {
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === 'rsa' && bits >= 2_048 && bits <= 8_192 ? key.export({ type: 'pkcs8', format: 'pem' }).toString() : null;
  } catch {
    return null;
  }
}
