/**
 * Signatures against the vendor's published test vectors (aws-c-auth, tests/aws-signing-test-suite/v4, Apache-2.0). Left out are those that no
 * request of ours can be (folded fields, a space in a target, paths with dot segments as they are), and those whose length is signed, which is the
 * connection's here.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { AwsCredential } from '@metergate/core/wire/made-credentials.ts';
import { createAwsSigner, signedBy } from './aws-signer.ts';
import type { Made } from './made-credential.ts';

interface Vector {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly authorization: string;
  readonly token?: string;
  readonly omitToken?: boolean;
}

const vectors = JSON.parse(readFileSync(new URL('test-support/signing-vectors.json', import.meta.url), 'utf8')) as readonly Vector[];
const nowMs = Date.parse('2015-08-30T12:36:00Z');
const credential: AwsCredential = {
  accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', sessionToken: null,
  region: 'us-east-1', service: 'service',
};

test('Every vector of the vendor gives its signature', async (t) => {
  assert.equal(vectors.length, 27);
  for (const vector of vectors) {
    await t.test(vector.name, async () => {
      const { method, target, headers, body, authorization, token = null, omitToken = false } = vector;
      const { header } = await signedBy({ ...credential, sessionToken: omitToken ? null : token }, { host: 'example.amazonaws.com', nowMs }, {
        method, target: Buffer.from(target, 'utf8').toString('latin1'), rawHeaders: headers, body: body === '' ? null : Buffer.from(body),
      }, { signs: (name) => name !== 'host', namesHash: false });
      assert.deepEqual(header, { name: 'authorization', value: authorization });
    });
  }
});

const call = { method: 'POST', target: '/model/us.anthropic.claude%3A0/converse', rawHeaders: ['Content-Type', 'application/json'] };

function made(aws: AwsCredential, body: Uint8Array | 'streamed' | null): Promise<Made> {
  const maker = createAwsSigner(aws, 'bedrock-runtime.us-east-1.amazonaws.com', () => nowMs);
  return new Promise((resolve, reject) => maker.make({ ...call, body }, { made: resolve, broke: reject }));
}

test('A long body, which is hashed elsewhere, has the signature that it has here; it is not signed as a stream', async () => {
  const bodies = [Buffer.alloc(64 * 1024, 'a'), Buffer.alloc(64 * 1024 + 1, 'a')];
  for (const body of bodies) {
    const result = await made(credential, body);
    assert.ok('header' in result);
    const hash = result.beside.find(({ name }) => name === 'x-amz-content-sha256')!.value;
    assert.equal(hash, createHash('sha256').update(body).digest('hex'));
    assert.match(result.header.value, /SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, /);
  }
  assert.deepEqual(await made(credential, 'streamed'), { kind: 'upstream_body_unsigned' });
});

test('A service that takes bodies of any length gets them unsigned, as streams too', async () => {
  const result = await made({ ...credential, service: 's3' }, 'streamed');
  assert.ok('header' in result);
  assert.deepEqual(result.beside.map(({ name, value }) => [name, value]), [
    ['x-amz-date', '20150830T123600Z'], ['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'], ['x-amz-security-token', null],
  ]);
});

test("What a caller signed with a key of its own is neither signed nor sent; the vendor's other fields are signed", async () => {
  const rawHeaders = [
    'X-Amz-Security-Token', 'theirs', 'X-Amz-Date', '20000101T000000Z', 'Authorization', 'AWS4-HMAC-SHA256 Credential=theirs', 'x-amz-meta', ' a ',
    'X-Amz-Meta', 'b', 'x-amzn-bedrock-trace', 'ENABLED',
  ];
  const { header, beside } = await signedBy(credential, { host: 'h', nowMs }, { ...call, rawHeaders, body: null });
  assert.match(header.value, /SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-meta, /);
  assert.deepEqual(beside.find(({ name }) => name === 'x-amz-security-token'), { name: 'x-amz-security-token', value: null });
});
