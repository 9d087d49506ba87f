/**
 * Anthropic's own SDK with a base URL that lacks `/alt`: its files and models would go to the first provider. Where the organization refuses
 * that, nothing is forwarded and nothing recorded; messages, `/alt` and the other wires are not touched. Rule 3e.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic, { toFile } from '@anthropic-ai/sdk';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import OpenAI from 'openai';
import { showRefusals } from '@metergate/platform/use-cases/refusals.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { pauses } from '@metergate/testkit/pauses.ts';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import { bearer } from '../running-product.ts';
import { productForFile, type Tenant } from '../limits/tenant.ts';

const product = productForFile({ env: { SVC_UPSTREAM_ALLOW: '127.0.0.0/8' } });
const version: readonly [string, string] = ['anthropic-version', '2023-06-01'];
const file = '{"id":"file_1","type":"file","filename":"a.txt","mime_type":"text/plain","size_bytes":1,"created_at":"2026-01-01T00:00:00Z"}';

function anthropicAt(tenant: Tenant, spelling: '' | '/alt'): Anthropic {
  return new Anthropic({ apiKey: tenant.key, baseURL: product.system.gatewayUrl + spelling, maxRetries: 0 });
}

const upload = async (client: Anthropic) => client.beta.files.upload({ file: await toFile(Buffer.from('the file'), 'a.txt') });

async function refusals(tenant: Tenant, wanted: number): Promise<void> {
  let counted = 0;
  await eventually(async () => {
    const nowMs = Date.now();
    const shown = await showRefusals(product.context(), { organization: tenant.id, sinceMs: nowMs - 7_200_000, untilMs: nowMs + 3_600_000 });
    assert.ok(!isRefusal(shown));
    counted = shown.byCode.find(({ code }) => code === 'wrong_base_url')?.refusals ?? 0;
    return counted === wanted;
  }, () => `${counted} of ${wanted} refusals`);
}

test('by default, files that the Anthropic SDK uploads without /alt go to the first provider, as the specification has it', async () => {
  const tenant = await product.tenant();
  product.system.openai.respond({ headers: [['content-type', 'application/json']], body: file });
  const arrived = product.system.openai.nextRequest();
  assert.equal((await upload(anthropicAt(tenant, ''))).id, 'file_1');
  assert.match((await arrived).body.toString(), /the file/);
});

test('refused: the SDK shows a sentence that names /alt, nothing arrives, nothing is recorded, and with /alt all works', async () => {
  const tenant = await product.tenant({ wrongBaseUrl: 'refuse' });
  await product.system.declareUpstream({ organization: tenant.id });
  const { openai, anthropic, upstream } = product.system;
  for (const provider of [openai, anthropic, upstream]) provider.respond({ headers: [['content-type', 'application/json']], body: file });
  await tenant.until(({ status }) => status === 400, { target: '/v1/files', headers: [version] });
  const before = [openai.requests.length, openai.connections];
  await assert.rejects(upload(anthropicAt(tenant, '')), (error: unknown) => {
    assert.ok(error instanceof Anthropic.BadRequestError);
    assert.deepEqual([error.status, (error.error as { error: { code: string; type: string } }).error.code], [400, 'wrong_base_url']);
    return /Add \/alt to the base URL/.test(error.message);
  });
  await assert.rejects(anthropicAt(tenant, '').models.list(), Anthropic.BadRequestError);
  for (const target of ['/v1/files', '/v1/models', '/v1/chat/completions', '/v1/messages-batches', '/v1//files', '/v1/responses']) {
    for (const name of ['anthropic-version', 'Anthropic-Version']) {
      for (const framed of [{ body: Buffer.from('{}') }, { chunks: [Buffer.from('{}')] }]) {
        const { status } = await rawCall(product.system.gatewayUrl, {
          method: 'POST', target, headers: [bearer(tenant.key), [name, '2023-06-01']], ...framed,
        });
        assert.equal(status, 400, target);
      }
    }
  }
  assert.deepEqual([openai.requests.length, openai.connections], before, 'no connection, no request');
  // The first is that of `until`.
  const refused = 1 + 2 + 6 * 2 * 2;
  await refusals(tenant, refused);

  assert.equal((await upload(anthropicAt(tenant, '/alt'))).id, 'file_1');
  assert.equal(anthropic.requests.at(-1)?.target, '/v1/files');
  for (const target of ['/v1/messages', '/v1/messages/count_tokens', '/alt/v1/files', '/upstream/v1/files']) {
    assert.equal((await tenant.call('{}', { target, headers: [version] })).status, 200, target);
  }
  const plain = new OpenAI({ apiKey: tenant.key, baseURL: `${product.system.gatewayUrl}/v1`, maxRetries: 0 });
  await plain.files.list();
  const pause = pauses();
  const recorded = tenant.answered + 2;
  for (;;) {
    const found = await keptCalls(product.store, tenant.id as never);
    assert.ok(found.length <= recorded);
    if (found.length === recorded) break;
    await pause();
  }
  await tenant.set({ wrongBaseUrl: 'forward' });
  await tenant.until(({ status }) => status === 200, { target: '/v1/files', headers: [version] });
});
