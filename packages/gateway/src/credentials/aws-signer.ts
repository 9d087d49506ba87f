/**
 * Signatures of AWS (version 4), by the vendor's own library, which is loaded with the first of them. Signed are the host, the type of the content,
 * every `x-amz-` field, and the hash of the body; what else a caller sends goes out as it is.
 */
import { Buffer } from 'node:buffer';
import { webcrypto } from 'node:crypto';
import type { SignatureV4 } from '@smithy/signature-v4';
import { percentDecoded } from '@metergate/core/call/percent-decoded.ts';
import { upstreamRequestHeaders } from '@metergate/core/call/header-pairs.ts';
import type { AwsCredential } from '@metergate/core/wire/made-credentials.ts';
import type { CredentialMaker, MadeCredential, RequestToCredit } from './made-credential.ts';

const { subtle } = webcrypto;

interface Library {
  readonly Signer: ReturnType<typeof signerWithQuery>;
  readonly Sha256: unknown;
}

let library: Promise<Library> | null = null;

function load(): Promise<Library> {
  return library ??= Promise.all([import('@smithy/signature-v4'), import('@smithy/core/checksum')])
    // Bundled, a package of the older form has all its exports in the default one.
    .then(([{ default: signing }, { Sha256Node }]) => ({ Signer: signerWithQuery(signing.SignatureV4), Sha256: Sha256Node }));
}

/**
 * The library's signer for a query that is in its canonical form already. Its own ways with a query, to copy it and to bring it into that form,
 * take time with the square of the parameters: seconds for a target of 16 KiB.
 */
function signerWithQuery(Signer: typeof SignatureV4) {
  return class extends Signer {
    readonly #query: string;

    constructor(options: ConstructorParameters<typeof SignatureV4>[0], query: string) {
      super(options);
      this.#query = query;
    }

    /** Lines: method, path, query, and what follows. The library was given no query. */
    override createCanonicalRequest(...request: Parameters<SignatureV4['createCanonicalRequest']>): string {
      const [method, path, _none, ...rest] = super.createCanonicalRequest(...request).split('\n');
      return [method, path, this.#query, ...rest].join('\n');
    }
  };
}

/** The one service that reads bodies of any length takes requests whose body is not signed, and paths as they are. */
const objectService = 's3';
const hashField = 'x-amz-content-sha256';
const ownFields = ['x-amz-date', hashField, 'x-amz-security-token'];

/** Bodies up to this length are hashed here, longer ones by other threads. */
const hashedHereBytesMax = 64 * 1024;

/** What a signature covers besides what it must. */
interface SignedForm {
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
  const { Signer, Sha256 } = await load();
  const { accessKeyId, secretAccessKey, sessionToken, region, service } = credential;
  // A target is bytes, one character each; what is encoded is characters.
  const { path, query } = partsOf(Buffer.from(request.target, 'latin1').toString('utf8'));
  const signer = new Signer({
    credentials: { accessKeyId, secretAccessKey, ...sessionToken === null ? {} : { sessionToken } },
    region, service, sha256: Sha256, uriEscapePath: service !== objectService, applyChecksum: form.namesHash,
  }, query);
  const { body } = request;
  const headers = { ...signedFields(request, at.host, form), ...await hashFields(credential, body) };
  const given = { method: request.method, protocol: 'https:', hostname: at.host, path, query: {}, headers, body: body ?? undefined };
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
  const fields = new Map<string, string[]>([['host', [host]]]);
  const out = upstreamRequestHeaders(rawHeaders, { name: 'authorization', value: '' }, ownFields.map((name) => ({ name, value: null })));
  for (let at = 0; at < out.length; at += 2) {
    const name = out[at]!.toLowerCase();
    // The host is the one that is called, whatever its field says.
    if (name !== 'authorization' && name !== 'host' && signs(name)) addTo(fields, name, out[at + 1]!.trim());
  }
  return Object.fromEntries([...fields].map(([name, all]) => [name, all.join(',')]));
}

/** The path, and the query in its canonical form: each name and value encoded anew, in order, those of one name together. */
function partsOf(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, query: '' };
  const parameters = new Map<string, string[]>();
  for (const parameter of target.slice(mark + 1).split('&')) {
    if (parameter === '') continue;
    const equals = parameter.indexOf('=');
    const [name, value] = equals === -1 ? [parameter, ''] : [parameter.slice(0, equals), parameter.slice(equals + 1)];
    addTo(parameters, encoded(percentDecoded(name)), encoded(percentDecoded(value)));
  }
  const names = [...parameters.keys()].filter((name) => name.toLowerCase() !== signatureParameter).sort();
  return { path: target.slice(0, mark), query: names.flatMap((name) => parameters.get(name)!.sort().map((value) => `${name}=${value}`)).join('&') };
}

/** A signature in the query is not signed. */
const signatureParameter = 'x-amz-signature';

/** As the vendor encodes: all but letters, digits and four marks. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** One name may come some thousand times: each time costs the same. */
function addTo(all: Map<string, string[]>, name: string, value: string): void {
  const known = all.get(name);
  if (known === undefined) all.set(name, [value]);
  else known.push(value);
}
