/** The signature that AWS would work out of what it received. Worked out by hand, so that it is held against the library that signs. */
import { createHash, createHmac } from 'node:crypto';
import { headerValue } from '@metergate/testkit/http-message.ts';
import type { ReceivedRequest } from '@metergate/testkit/scripted-provider.ts';

/** The access key that tests declare, of AWS's own examples. */
export const accessKey = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' } as const;

const form = /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\d{8})\/(.+?)\/(.+?)\/aws4_request, SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/;

export function awsSignature({ method, target, headers, body }: ReceivedRequest): { readonly expected: string; readonly received: string } {
  const [, day, region, service, names, received] = form.exec(headerValue(headers, 'authorization') ?? '')!;
  const hash = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
  const hmac = (key: string | Uint8Array, data: string): Buffer => createHmac('sha256', key).update(data).digest();
  const [path, query = ''] = target.split('?') as [string, string?];
  const canonical = [
    method, path.split('/').map(encodeURIComponent).join('/'), query, ...names!.split(';').map((name) => `${name}:${headerValue(headers, name)}`), '',
    names, hash(body),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', headerValue(headers, 'x-amz-date'), `${day}/${region}/${service}/aws4_request`, hash(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${accessKey.secretAccessKey}`, day!), region!), service!), 'aws4_request');
  return { expected: hmac(key, text).toString('hex'), received: received! };
}
