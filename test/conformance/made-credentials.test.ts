/**
 * Credentials that are made for calls to named upstreams: signatures of AWS and tokens of a Google service account, in the running product.
 * Decision 157. The signature is worked out a second time, by hand, from what the provider received.
 */
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { jwtVerify } from 'jose';
import { headerValue, type HeaderPair } from '@metergate/testkit/http-message.ts';
import { keptFiles } from '@metergate/testkit/kept-files.ts';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import { startScriptedProvider, type ReceivedRequest, type ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import { productForFile, type Tenant } from '../limits/tenant.ts';
import { accessKey, awsSignature } from './aws-signature.ts';

const product = productForFile({ publishedLimits: false });
const secretKey = accessKey.secretAccessKey;
const json: HeaderPair = ['content-type', 'application/json'];

async function declare(tenant: Tenant, options: readonly string[], credential: string, url = product.system.upstream.url) {
  const place = ['--org', tenant.id, '--name', 'theirs'];
  const declaration = await product.system.cli(['upstream', 'declare', ...place, '--url', url, ...options, '--json'], credential);
  if (declaration.code === 0) await product.system.cli(['upstream', 'enable', ...place, '--json']);
  return declaration;
}

function post(tenant: Tenant, path: string, body: string | Uint8Array = '{}', headers: readonly HeaderPair[] = [json]) {
  return rawCall(product.system.gatewayUrl, {
    method: 'POST', target: `/upstreams/theirs${path}`, headers: [['authorization', `Bearer ${tenant.key}`], ...headers], body,
  });
}

const converse: ScriptedAnswer = {
  headers: [json], body: JSON.stringify({ output: {}, stopReason: 'end_turn', usage: { inputTokens: 30, outputTokens: 6, totalTokens: 36 } }),
};
const awsKey = JSON.stringify({ AccessKeyId: 'AKIDEXAMPLE', SecretAccessKey: secretKey, region: 'us-east-1', service: 'bedrock' });

test('aws-sigv4: each request is signed as it goes out, short, long and in pieces; the service key is in none', async () => {
  const { system } = product;
  const tenant = await product.tenant();
  assert.equal((await declare(tenant, ['--auth', 'aws-sigv4', '--provider', 'aws'], awsKey)).code, 0);
  system.upstream.respond(converse);
  const model = encodeURIComponent('us.anthropic.claude-sonnet-4-20250514-v1:0');
  const long = Buffer.alloc(3 * 1024 * 1024, 'a');
  for (const body of ['{"messages":[]}', long, '']) {
    const answer = await post(tenant, `/model/${model}/converse?a=1&b=2`, body, [json, ['x-api-key', tenant.key], ['x-amz-meta', 'm']]);
    assert.equal(answer.status, 200, answer.body.toString());
    const request = system.upstream.requests.at(-1)!;
    assert.deepEqual(request.body, Buffer.from(body));
    const { expected, received } = awsSignature(request);
    assert.equal(received, expected);
    assert.ok(!JSON.stringify([request.headers, request.target]).includes('svc_live_'));
  }
  const records = await system.calls({ count: 3, organization: tenant.id });
  assert.ok(records.every(({ inputTokens, costSource }) => inputTokens === 30 && costSource === 'priced'));
});

test('aws-sigv4: a body past the bound is refused, with nothing forwarded', async () => {
  const { system } = product;
  const tenant = await product.tenant();
  await declare(tenant, ['--auth', 'aws-sigv4'], awsKey);
  const before = system.upstream.requests.length;
  const answer = await post(tenant, '/model/m/converse', Buffer.alloc(32 * 1024 * 1024 + 1));
  assert.equal(answer.status, 413);
  assert.equal((JSON.parse(answer.body.toString()) as { error: { code: string } }).error.code, 'upstream_body_too_large');
  assert.equal(system.upstream.requests.length, before);
});

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const privatePem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const email = 'm@p.iam.gserviceaccount.com';
const keyFile = (tokenUri: string): string => JSON.stringify({
  type: 'service_account', project_id: 'p', private_key_id: 'k1', private_key: privatePem, client_email: email, token_uri: tokenUri,
}, null, 2);
const gemini: ScriptedAnswer = {
  headers: [json], body: JSON.stringify({
    candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'gemini-2.5-flash',
  }),
};
const path = '/v1/projects/p/locations/us-central1/publishers/google/models/gemini-2.5-flash:generateContent';

async function vertex(tokens: (request: ReceivedRequest, count: number) => ScriptedAnswer | 'silence') {
  const endpoint = await startScriptedProvider();
  endpoint.respond((request) => tokens(request, endpoint.requests.length));
  // As many calls as a machine can make while tokens end are within its limits.
  const tenant = await product.tenant({ plan: 'enterprise', requestsPerMinute: 1e10, tokensPerMinute: 1e10 });
  const declaration = await declare(tenant, ['--auth', 'google-service-account', '--provider', 'google'], keyFile(`${endpoint.url}/token`));
  assert.equal(declaration.code, 0, declaration.stderr);
  assert.ok(!declaration.stdout.includes('PRIVATE KEY'));
  return { endpoint, tenant };
}

const token = (value: string, expires: number): ScriptedAnswer =>
  ({ headers: [json], body: JSON.stringify({ access_token: value, expires_in: expires, token_type: 'Bearer' }) });

test('google-service-account: one token for all who wait for it, by an assertion of the account; calls carry it alone', async () => {
  const { system } = product;
  const { endpoint, tenant } = await vertex(() => token('ya29.token-0001', 3_600));
  try {
    system.upstream.respond(gemini);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(tenant, path, '{}', [json, ['x-goog-api-key', tenant.key]])));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(endpoint.requests.length, 1);
    const { body, headers, target } = endpoint.requests[0]!;
    assert.equal(target, '/token');
    assert.equal(headerValue(headers, 'content-type'), 'application/x-www-form-urlencoded');
    const form = new URLSearchParams(body.toString());
    assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
    const known = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }));
    const { payload } = await jwtVerify(form.get('assertion')!, known, { audience: `${endpoint.url}/token` });
    assert.equal(payload.iss, email);
    for (const received of system.upstream.requests.slice(-20)) {
      assert.equal(headerValue(received.headers, 'authorization'), 'Bearer ya29.token-0001');
      assert.ok(!JSON.stringify([received.headers, received.target]).includes('svc_live_'));
    }
    assert.equal((await system.calls({ count: 20, organization: tenant.id })).every(({ costSource }) => costSource === 'priced'), true);
  } finally {
    await endpoint.close();
  }
});

test('google-service-account: tokens that end while calls go on are replaced, and no call fails', async () => {
  const { system } = product;
  // Each lasts a second, so several end during the calls.
  const { endpoint, tenant } = await vertex((_request, count) => token(`ya29.${count}`, 1));
  try {
    system.upstream.respond(gemini);
    const seen = new Set<string>();
    const statuses = new Set<number>();
    let calls = 0;
    while (endpoint.requests.length < 4) {
      const answers = await Promise.all(Array.from({ length: 30 }, () => post(tenant, path)));
      for (const { status } of answers) statuses.add(status);
      calls += answers.length;
      assert.ok(calls < 100_000);
    }
    for (const { headers } of system.upstream.requests.slice(-calls)) seen.add(headerValue(headers, 'authorization')!);
    assert.deepEqual([...statuses], [200]);
    assert.ok(seen.size >= 3, `${seen.size} tokens`);
  } finally {
    await endpoint.close();
  }
});

test('google-service-account: without a token the call is refused in its client\'s words, and no secret is shown', async () => {
  const { system } = product;
  const { endpoint, tenant } = await vertex(({ body }, count) => count === 1
    ? { status: 400, headers: [json], body: JSON.stringify({ error: 'invalid_grant', error_description: body.toString() }) }
    : { headers: [json], body: JSON.stringify({ error: body.toString() }) });
  try {
    const before = system.upstream.requests.length;
    const first = await post(tenant, path);
    assert.equal(first.status, 502);
    const { error } = JSON.parse(first.body.toString()) as { error: { message: string; status: string } };
    assert.equal(error.status, 'UNAVAILABLE');
    assert.equal(error.message, "No token for this workspace's upstream: its token endpoint answered 400 (invalid_grant). Nothing was forwarded.");
    const again = await tenant.until(({ body }) => body.includes('answered without a token'), { target: `/upstreams/theirs${path}` });
    assert.equal(again.status, 502);
    assert.equal(system.upstream.requests.length, before);
    assert.ok(!system.stderr().includes('PRIVATE KEY') && !system.stdout().includes('PRIVATE KEY'));
  } finally {
    await endpoint.close();
  }
});

test('A credential that is none is refused when it is declared, and nothing of it is repeated', async () => {
  const tenant = await product.tenant();
  const google = ['--auth', 'google-service-account'];
  const file = JSON.parse(keyFile('https://oauth2.googleapis.com/token')) as Record<string, unknown>;
  for (const [options, credential, sentence] of [
    [['--auth', 'aws-sigv4'], 'sk-secret-1', /An AWS credential is JSON/],
    [['--auth', 'aws-sigv4'], '{"accessKeyId":"AKIDEXAMPLE","secretAccessKey":"sk-secret-1"}', /names no region of AWS/],
    [['--auth', 'aws-sigv4'], '{"accessKeyId":"sk secret","secretAccessKey":"x"}', /accessKeyId must be/],
    [google, '{"type":"authorized_user","refresh_token":"sk-secret-1"}', /A service account's credential is its key file/],
    [google, JSON.stringify({ ...file, private_key: '-----BEGIN sk-secret-1' }), /private_key must be an RSA private key/],
    [google, JSON.stringify({ ...file, token_uri: 'http://169.254.169.254/sk-secret-1' }), /token_uri cannot be used\./],
    [google, JSON.stringify({ ...file, token_uri: 'https://user:sk-secret-1@oauth2.googleapis.com/token' }), /token_uri cannot be used\./],
  ] as const) {
    const { code, stderr } = await declare(tenant, options, credential);
    assert.notEqual(code, 0);
    assert.match(stderr, sentence);
    assert.ok(!stderr.includes('secret-1') && !stderr.includes('sk secret'), stderr);
  }
});

test('Nothing of these credentials is in the clear where the product keeps its data', async () => {
  const tenant = await product.tenant();
  await declare(tenant, ['--auth', 'aws-sigv4'], awsKey);
  const files = keptFiles(product.system.dataDirectory);
  assert.ok(files.size > 3);
  for (const [file, bytes] of files) {
    for (const secret of [secretKey, 'BEGIN PRIVATE KEY', 'BEGIN RSA PRIVATE KEY', 'ya29.']) {
      assert.ok(!bytes.includes(secret), `${secret} in ${file}`);
    }
  }
});
