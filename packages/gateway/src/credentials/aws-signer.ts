/**
 * Signatures of AWS (version 4), by the vendor's own library, which is loaded with the first of them. Signed are the host, the type of the content,
 * every `x-amz-` field, and the hash of the body; what else a caller sends goes out as it is.
 */
import { Buffer } from 'node:buffer';
import { webcrypto } from 'node:crypto';
import type { SignatureV4 } from '@smithy/signature-v4';
import { allValues, upstreamRequestHeaders } from '@metergate/core/call/header-pairs.ts';
import type { AwsCredential } from '@metergate/core/wire/made-credentials.ts';
import type { CredentialMaker, MadeCredential, RequestToCredit } from './made-credential.ts';

const { subtle } = webcrypto;

interface Library {
  readonly SignatureV4: typeof SignatureV4;
  readonly Sha256: unknown;
}

let library: Promise<Library> | null = null;

function load(): Promise<Library> {
  return library ??= Promise.all([import('@smithy/signature-v4'), import('@smithy/core/checksum')])
    // Bundled, a package of the older form has all its exports in the default one.
    .then(([{ default: signing }, { Sha256Node }]) => ({ SignatureV4: signing.SignatureV4, Sha256: Sha256Node }));
}

/** The one service that reads bodies of any length takes requests whose body is not signed, and paths as they are. */
const objectService = 's3';
const hashField = 'x-amz-content-sha256';
const ownFields = ['x-amz-date', hashField, 'x-amz-security-token'];

/** Bodies up to this length are hashed here, longer ones by other threads. */
const hashedHereBytesMax = 64 * 1024;

/** What a signature covers besides what it must. */
export interface SignedForm {
  readonly signs: (lowerName: string) => boolean;
  /** The hash of the body is a field as well. */
  readonly namesHash: boolean;
}

const usualForm: SignedForm = { signs: (name) => name === 'content-type' || name.startsWith('x-amz-'), namesHash: true };

/** `host`: as it stands in the request, with its port where the scheme has another. */
export function createAwsSigner(credential: AwsCredential, host: string, wallMs: () => number): CredentialMaker {
  const needsBody = credential.service !== objectService;
  return {
    needsBody,
    make(request, { made, broke }) {
      if (request.body === 'streamed' && needsBody) return made({ kind: 'upstream_body_unsigned' });
      signedBy(credential, { host, nowMs: wallMs() }, request).then(made).catch(broke);
    },
  };
}

/** The signature of a request that is sent at this moment. */
export async function signedBy(
  credential: AwsCredential, at: { readonly host: string; readonly nowMs: number }, request: RequestToCredit, form = usualForm,
): Promise<MadeCredential> {
  const { SignatureV4, Sha256 } = await load();
  const { accessKeyId, secretAccessKey, sessionToken, region, service } = credential;
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, ...sessionToken === null ? {} : { sessionToken } },
    region, service, sha256: Sha256, uriEscapePath: service !== objectService, applyChecksum: form.namesHash,
  });
  // A target is bytes, one character each; the library encodes characters.
  const { path, query } = partsOf(Buffer.from(request.target, 'latin1').toString('utf8'));
  const { body } = request;
  const headers = { ...signedFields(request, at.host, form), ...await hashFields(credential, body) };
  const given = { method: request.method, protocol: 'https:', hostname: at.host, path, query, headers, body: body ?? undefined };
  const { headers: out } = await signer.sign(given, { signingDate: new Date(at.nowMs) });
  return {
    header: { name: 'authorization', value: out['authorization']! },
    beside: ownFields.map((name) => ({ name, value: out[name] ?? null })),
  };
}

/** Where the library is to hash no body itself. */
async function hashFields({ service }: AwsCredential, body: RequestToCredit['body']): Promise<Record<string, string>> {
  if (service === objectService) return { [hashField]: 'UNSIGNED-PAYLOAD' };
  if (!(body instanceof Uint8Array) || body.length <= hashedHereBytesMax) return {};
  return { [hashField]: Buffer.from(await subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>)).toString('hex') };
}

/** The fields that are signed besides the library's own, as they go out; a field that comes twice is one with both values. */
function signedFields({ rawHeaders }: RequestToCredit, host: string, { signs }: SignedForm): Record<string, string> {
  const fields: Record<string, string> = { host };
  const out = upstreamRequestHeaders(rawHeaders, { name: 'authorization', value: '' }, ownFields.map((name) => ({ name, value: null })));
  for (let at = 0; at < out.length; at += 2) {
    const name = out[at]!.toLowerCase();
    if (name !== 'authorization' && signs(name)) fields[name] ??= allValues(out, name).map((value) => value.trim()).join(',');
  }
  return fields;
}

/** The library encodes what it is given: each name and value without its coat, those of one name together. */
function partsOf(target: string): { readonly path: string; readonly query: Record<string, string | string[]> } {
  const mark = target.indexOf('?');
  const query: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  if (mark === -1) return { path: target, query };
  for (const parameter of target.slice(mark + 1).split('&')) {
    if (parameter === '') continue;
    const equals = parameter.indexOf('=');
    const [name, value] = equals === -1 ? [plain(parameter), ''] : [plain(parameter.slice(0, equals)), plain(parameter.slice(equals + 1))];
    const known = query[name];
    query[name] = known === undefined ? value : [known, value].flat();
  }
  return { path: target.slice(0, mark), query };
}

function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
