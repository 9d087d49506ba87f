/** Of the vendor's libraries, what is used here: their own types bring those of its whole SDK. */
declare module '@smithy/signature-v4' {
  export class SignatureV4 {
    constructor(options: {
      readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string };
      readonly region: string; readonly service: string; readonly sha256: unknown; readonly uriEscapePath: boolean; readonly applyChecksum: boolean;
    });
    /** What is hashed and signed, in lines. Protected in the library. */
    createCanonicalRequest(request: object, headers: Readonly<Record<string, string>>, payloadHash: string): string;
    sign(request: {
      readonly method: string; readonly protocol: string; readonly hostname: string; readonly path: string;
      readonly query: Readonly<Record<string, never>>; readonly headers: Readonly<Record<string, string>>; readonly body: unknown;
    }, options: { readonly signingDate: Date }): Promise<{ readonly headers: Readonly<Record<string, string>> }>;
  }
  const all: { readonly SignatureV4: typeof SignatureV4 };
  export default all;
}

declare module '@smithy/core/checksum' {
  export const Sha256Node: unknown;
}
