/**
 * Other providers' own clients, from their packages: run directly against a scripted provider of their kind and through the gateway. What the
 * provider receives is the same but for the credential, the record has the reported tokens and a cost, and at a cap the client shows the sentence.
 * Decisions 150 to 153.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ReceivedRequest } from '@metergate/testkit/scripted-provider.ts';
import { productForFile } from '../limits/tenant.ts';
import { accessKey, awsSignature } from './aws-signature.ts';
import { installedClients } from './clients/clients.ts';
import { endPythons } from './clients/forking-python.ts';
import type { InstalledClient } from './clients/run-client.ts';

const product = productForFile({});
after(endPythons);
const secret = 'sk-provider-secret-0002';
/** The credential is a signature of the request, by the client or by the gateway. */
const signed = 'aws-sigv4';
const sentence = 'Daily budget reached. Traffic resumes at reset, or raise the cap.';

/** An organization that declared the scripted provider as `theirs`. */
async function declaredFor({ auth, provider, usesFallback = false }: InstalledClient, url: string) {
  const { system } = product;
  const tenant = await product.tenant();
  const place = ['--org', tenant.id, '--name', 'theirs'];
  const options = [...(auth === undefined ? [] : ['--auth', auth]), ...(provider === undefined ? [] : ['--provider', provider])];
  const credential = auth === signed ? JSON.stringify({ ...accessKey, region: 'us-east-1', service: 'bedrock' }) : secret;
  const declared = await system.cli(['upstream', 'declare', ...place, '--url', url, ...options, '--json'], credential);
  assert.equal(declared.code, 0, declared.stderr);
  await system.cli(['upstream', 'enable', ...place, '--json']);
  if (usesFallback) await system.cli(['org', 'set', tenant.id, '--fallback-price', '1/2', '--json']);
  return tenant;
}

/** Where AWS's SDKs say which of their features are used, the kind of credential among them, in any order. */
const features = / m\/[\w,]+/g;
const made = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** What belongs to a connection and not to the request. */
const ofTheWay = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'te'];
const ofSignature = ['authorization', 'x-amz-date', 'x-amz-content-sha256'];

/** A request without what tells it from the client's next one, and what the way and the credential change. */
function compared({ method, target, headers, body }: ReceivedRequest, without: readonly string[]) {
  const plain = (text: string): string => text.replaceAll(made, 'uuid').replaceAll(features, '').replaceAll(secret, 'KEY');
  const fields = headers.map(([name, value]) => `${name.toLowerCase()}: ${plain(value)}`).filter((field) => !without.includes(field.split(':')[0]!));
  return { method, target: plain(target), fields: fields.sort(), body: plain(body.toString('latin1')) };
}

/** What an agent looks up beside its work, it looks up when it finds the time. */
const workOf = (requests: readonly ReceivedRequest[]): string[] =>
  [...new Set(requests.filter(({ method }) => method === 'POST').map(({ target }) => target))].sort();

for (const client of installedClients) {
  test(`${client.name}: the same with and without, recorded, priced, and refused in words that it shows`, { timeout: 400_000 }, async (t) => {
    if (client.missing !== null) return t.diagnostic(`${client.missing} are not in .venvs`);
    const { system } = product;
    const between = await client.between?.(system.upstream.url, secret);
    if (between !== undefined) t.after(() => between.close());
    const url = between?.url ?? system.upstream.url;
    const tenant = await declaredFor(client, url);
    system.upstream.respond(client.answer);
    const received = system.upstream.requests;
    const from = received.length;
    const directly = await client.run({ base: url, key: secret });
    const half = received.length;
    const gateway = { base: `${system.gatewayUrl}/upstreams/theirs`, key: tenant.key };
    assert.deepEqual([directly, await client.run(gateway)], ['Danube', 'Danube']);
    const [alone, through] = [received.slice(from, half), received.slice(half)];
    const bytes = JSON.stringify(through.map(({ target, headers, body }) => [target, headers, body.toString('latin1')]));
    assert.ok(!bytes.includes('svc_live_'), 'the service key stays here');
    if (client.isAgent === true) assert.deepEqual(workOf(through), workOf(alone));
    else {
      const without = client.auth === signed ? [...ofTheWay, ...ofSignature] : ofTheWay;
      assert.deepEqual(through.map((each) => compared(each, without)), alone.map((each) => compared(each, without)));
    }
    if (client.auth === signed) {
      for (const { expected, received: signature } of [...alone, ...through].map(awsSignature)) assert.equal(signature, expected);
    }

    const records = await system.calls({ count: through.length, organization: tenant.id });
    const metered = records.filter(({ inputTokens }) => inputTokens !== null);
    assert.ok(metered.length > 0, JSON.stringify(records));
    for (const { inputTokens, outputTokens, usage, cost, upstream } of metered) {
      assert.deepEqual([inputTokens, outputTokens, usage, upstream, Number(cost) > 0], [11, 3, 'reported', 'theirs', true]);
    }
    await tenant.cap({ scope: 'organization', window: 'day', limit: '0', mode: 'refuse' });
    await tenant.until(({ status }) => status === 402);
    const count = received.length;
    const shown = await client.run(gateway).catch((error: Error) => error.message);
    assert.ok(shown.includes(sentence), shown);
    assert.equal(received.length, count, 'nothing is forwarded');
    assert.ok(!(system.stdout() + system.stderr()).includes(tenant.key.slice(9)), 'no key is in the log');
  });
}
