/**
 * The providers' own SDKs, every major that is in use, at a reached cap: each raises its error at once and sends one request. A pause cap
 * says in `Retry-After` when its window ends, which may be days away, and an SDK that obeys it would sleep that long within the call.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import AnthropicOldest from '@anthropic-ai/sdk-oldest';
import AnthropicPrevious from '@anthropic-ai/sdk-previous';
import OpenAI from 'openai';
import OpenAIOldest from 'openai-oldest';
import OpenAIPrevious from 'openai-previous';
import { header } from '@metergate/core/id.ts';
import { headerValue } from '@metergate/testkit/http-message.ts';
import { limitHeaders, sharedProduct, type Tenant } from './tenant.ts';

const product = sharedProduct();
/** Far below the shortest window that a cap can have, far above what a busy machine needs to raise an error. Milliseconds. */
const deadlineMs = 20_000;

const messages = [{ role: 'user' as const, content: 'hello' }];
const chat = { model: 'metered', messages };
const message = { model: 'metered', max_tokens: 1, messages };

/** How each SDK makes a call, with a count of what it sends. */
function clients(tenant: Tenant): Record<string, (counted: typeof fetch) => Promise<unknown>> {
  const url = product.system.gatewayUrl;
  const first = { apiKey: tenant.key, baseURL: `${url}/v1` };
  const second = { apiKey: tenant.key, baseURL: url };
  return {
    'openai': (fetch) => new OpenAI({ ...first, fetch }).chat.completions.create(chat),
    'openai, previous': (fetch) => new OpenAIPrevious({ ...first, fetch }).chat.completions.create(chat),
    'openai, oldest': (fetch) => new OpenAIOldest({ ...first, fetch: fetch as never }).chat.completions.create(chat),
    'openai, streaming responses': (fetch) => new OpenAI({ ...first, fetch }).responses.create({ model: 'metered', input: 'x', stream: true }),
    'anthropic': (fetch) => new Anthropic({ ...second, fetch }).messages.create(message),
    'anthropic, previous': (fetch) => new AnthropicPrevious({ ...second, fetch }).messages.create(message),
    'anthropic, oldest': (fetch) => new AnthropicOldest({ ...second, fetch: fetch as never }).messages.create(message),
    'anthropic, streaming': (fetch) => new Anthropic({ ...second, fetch }).messages.stream(message).finalMessage(),
  };
}

for (const mode of ['pause', 'refuse'] as const) {
  test(`at a reached cap in mode ${mode} every SDK raises at once, after one request`, async () => {
    const tenant = await product.tenant();
    const status = mode === 'pause' ? 429 : 402;
    await tenant.cap({ scope: 'organization', window: 'lifetime', mode, limit: '0' });
    const refused = await tenant.until((answer) => answer.status === status);
    assert.equal(headerValue(refused.headers, 'x-should-retry'), 'false');
    assert.equal(limitHeaders(refused).retryAfter, mode === 'pause' ? '86400' : null, 'a day, were it obeyed');
    for (const [name, call] of Object.entries(clients(tenant))) {
      let sent = 0;
      const raised = await raisedBy(call((...request) => {
        sent += 1;
        return fetch(...request);
      }), name);
      assert.equal((raised as { status?: number }).status, status, `${name}: ${String(raised)}`);
      assert.equal(sent, 1, name);
    }
  });
}

async function raisedBy(call: Promise<unknown>, name: string): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not raise within ${deadlineMs} ms: it sleeps`)), deadlineMs);
  });
  try {
    return await Promise.race([call.then(() => assert.fail(`${name} did not raise`), (error: unknown) => error), late]);
  } finally {
    clearTimeout(timer);
  }
}

test('an SDK still retries at a rate limit: its 429 does not forbid it', async () => {
  const tenant = await product.tenant({ plan: 'free' });
  const answers = await Promise.all(Array.from({ length: 230 }, () => tenant.call()));
  const refused = answers.find(({ status }) => status === 429)!;
  assert.deepEqual([headerValue(refused.headers, 'x-should-retry'), limitHeaders(refused).retryAfter], [null, '1']);
});

test('refusals of the messages routes carry their id as the second provider does, those of other routes do not', async () => {
  const tenant = await product.tenant();
  await tenant.cap({ scope: 'organization', window: 'day', limit: '0' });
  await tenant.until((answer) => answer.status === 402);
  const ids = async (target: string, key = tenant.key): Promise<(string | null)[]> => {
    const { headers } = await tenant.call('{}', { target, key });
    return ['request-id', 'x-request-id', header.requestId].map((name) => headerValue(headers, name));
  };
  for (const key of [tenant.key, 'svc_live_unknownunknownunknownunknown0']) {
    const ofSecondWire = ['/v1/messages', '/v1/messages?beta=true', '/v1/messages/count_tokens', '/alt/v1/messages', '/alt/v1/models',
      '/v1//messages'];
    for (const target of ofSecondWire) {
      const [providers, own, service] = await ids(target, key);
      assert.match(own ?? '', /^req_[0-9a-f]{32}$/, target);
      assert.equal(providers, own, target);
      assert.notEqual(own, service, target);
    }
    const ofOthers = ['/v1/chat/completions', '/v1/messagesX', '/upstream/v1/messages'];
    for (const target of ofOthers) assert.equal((await ids(target, key))[0], null, target);
  }
  const raised = await new Anthropic({ apiKey: tenant.key, baseURL: product.system.gatewayUrl }).messages.create(message)
    .then(() => null, (error: unknown) => error as { requestID?: string | null });
  assert.match(raised?.requestID ?? '', /^req_[0-9a-f]{32}$/);
});
