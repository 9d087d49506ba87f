/**
 * Credentials with which others are made: an access key of AWS, which signs each request, and a service account of Google, for which tokens are
 * fetched. Both are given as the JSON that their vendor hands out. What is kept of it is JSON as well, with these fields only. Decision 157.
 */

/** An access key, and where its signatures count. */
export interface AwsCredential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The token of a temporary key; null: the key is a lasting one. */
  readonly sessionToken: string | null;
  /** Such as `us-east-1`. */
  readonly region: string;
  /** As signatures name it, such as `bedrock`. */
  readonly service: string;
}

/** A service account's own key. */
export interface ServiceAccount {
  readonly clientEmail: string;
  /** PEM, PKCS 8. */
  readonly privateKey: string;
  /** Null: the file names none. */
  readonly privateKeyId: string | null;
  /** Where tokens are fetched. */
  readonly tokenUri: string;
}

/** Why a text is no such credential: a sentence without anything of it. */
export interface CredentialProblem {
  readonly problem: string;
}

/** Region and service in a host of AWS, which `bedrock-runtime.us-east-1.amazonaws.com` shows both; null: it is not one of theirs. */
export function awsPlaceOf(url: string): { readonly region: string; readonly service: string } | null {
  const host = URL.parse(url)?.hostname ?? '';
  const found = /(?:^|\.)([a-z0-9-]+)\.([a-z]{2}(?:-[a-z]+)+-\d)(?:\.vpce)?\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/.exec(host);
  if (found === null) return null;
  const service = found[1]!.replace(/-fips$/, '');
  return { region: found[2]!, service: service.replace(/^bedrock-(?:agent-)?runtime$/, 'bedrock') };
}

const keyId = /^[A-Za-z0-9_]{8,128}$/;
const visible = /^[\x21-\x7e]{1,4096}$/;
const placeName = /^[a-z0-9-]{1,64}$/;

/** What was given for an upstream at this URL. The vendor's tools write the names of fields in two ways. */
export function awsCredentialOf(text: string, url: string): AwsCredential | CredentialProblem {
  const given = objectIn(text);
  if (given === null) {
    return { problem: 'An AWS credential is JSON with accessKeyId and secretAccessKey, and sessionToken, region and service where needed.' };
  }
  const field = (name: string): unknown => given[name] ?? given[name[0]!.toUpperCase() + name.slice(1)] ?? null;
  const place = awsPlaceOf(url);
  const [accessKeyId, secretAccessKey, sessionToken] = [field('accessKeyId'), field('secretAccessKey'), field('sessionToken')];
  const [region, service] = [field('region') ?? place?.region ?? null, field('service') ?? place?.service ?? null];
  if (!fits(accessKeyId, keyId)) return { problem: 'accessKeyId must be an access key id of AWS.' };
  if (!fits(secretAccessKey, visible)) return { problem: 'secretAccessKey must be the secret of the access key.' };
  if (sessionToken !== null && !fits(sessionToken, visible)) return { problem: 'sessionToken must be a session token of AWS.' };
  if (!fits(region, placeName)) return { problem: 'The URL names no region of AWS; give it as region, such as "us-east-1".' };
  if (!fits(service, placeName)) return { problem: 'The URL names no service of AWS; give it as service, such as "bedrock".' };
  return { accessKeyId, secretAccessKey, sessionToken, region, service };
}

const defaultTokenUri = 'https://oauth2.googleapis.com/token';

/** What was given: the key file as Google's console hands it out. Whether its key is one, and its place may be called, others judge. */
export function serviceAccountOf(text: string): ServiceAccount | CredentialProblem {
  const given = objectIn(text);
  if (given?.type !== 'service_account') {
    return { problem: "A service account's credential is its key file: JSON with type service_account, client_email and private_key." };
  }
  const { client_email: clientEmail, private_key: privateKey, private_key_id: privateKeyId = null, token_uri: tokenUri = defaultTokenUri } = given;
  if (!fits(clientEmail, /^[\x21-\x7e]{3,320}$/)) return { problem: "client_email must be the service account's email." };
  if (typeof privateKey !== 'string') return { problem: 'private_key must be a private key in PEM.' };
  if (privateKeyId !== null && !fits(privateKeyId, /^[\x21-\x7e]{1,128}$/)) return { problem: 'private_key_id must be the id of the key.' };
  if (typeof tokenUri !== 'string') return { problem: 'token_uri must be a URL.' };
  return { clientEmail, privateKey, privateKeyId, tokenUri };
}

function fits(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : null;
  } catch {
    return null;
  }
}
