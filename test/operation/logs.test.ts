/**
 * What the running product logs: refusals that can be found by the id an SDK shows, a line for each call if that is switched on, and never
 * a secret, a header or a word of a call, searched for by value.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { providerKeys } from '@metergate/testkit/system.ts';
import { serviceForFile } from '../running-product.ts';

const service = serviceForFile({ env: { SVC_LOG_FORMAT: 'json', SVC_LOG_LEVEL: 'debug', SVC_ACCESS_LOG: 'on' } });
type Line = Record<string, unknown>;

/** Lines of the log until one is as expected. */
async function lineWhere(wanted: (line: Line) => boolean): Promise<Line> {
  return eventually(() => {
    // The last one may still be arriving.
    const lines = service.system.stderr().split('\n').slice(0, -1).filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);
    return lines.find(wanted);
  }, () => `no such line: ${String(wanted)}\n${service.system.stderr()}`);
}

test('a call has a line with its figures, a refusal one with both of its ids', async () => {
  service.system.openai.respond({
    headers: [['content-type', 'application/json']],
    body: JSON.stringify({
      model: 'gpt-4o-mini', choices: [{ message: { content: 'canary-answer' } }], usage: { prompt_tokens: 7, completion_tokens: 3 },
    }),
  });
  const headers = {
    authorization: `Bearer ${service.key}`, 'x-svc-tags': 'canary-label', 'x-svc-project': 'canary-project', 'x-svc-run-id': 'canary-run',
    'x-other': 'canary-header',
  };
  const answer = await fetch(`${service.system.gatewayUrl}/v1/chat/completions?canary-query`, {
    method: 'POST', headers, body: '{"messages":[{"content":"canary-prompt"}]}',
  });
  await answer.arrayBuffer();
  const id = answer.headers.get('x-svc-request-id');
  const call = await lineWhere((line) => line['id'] === id);
  assert.deepEqual([call['event'], call['endpoint'], call['status'], call['outcome'], call['inputTokens'], call['outputTokens'], call['level']],
    ['call', 'chat.completions', 200, 'completed', 7, 3, 'info']);
  const refused = await fetch(`${service.system.gatewayUrl}/v1/models`, { headers: { authorization: 'Bearer svc_live_canary' } });
  const refusal = await lineWhere((line) => line['answerId'] === refused.headers.get('x-request-id'));
  assert.deepEqual([refusal['event'], refusal['code'], refusal['id'], refusal['organization']],
    ['refusal', 'invalid_api_key', refused.headers.get('x-svc-request-id'), null]);
  const known = await fetch(`${service.system.gatewayUrl}/v1/models`, { headers: { ...headers, 'x-svc-run-id': '', 'x-svc-run-budget': '1' } });
  const ofKey = await lineWhere((line) => line['answerId'] === known.headers.get('x-request-id'));
  assert.deepEqual([ofKey['code'], ofKey['key']], ['invalid_run_id', service.keyId]);
});

test('a log that is asked for in JSON holds nothing else, at a first start too; the ready line stands alone', () => {
  const lines = service.system.stderr().split('\n').slice(0, -1);
  assert.ok(lines.length > 0);
  assert.deepEqual(lines.filter((line) => !line.startsWith('{') || typeof (JSON.parse(line) as Line)['message'] !== 'string'), []);
  assert.ok(lines.some((line) => line.includes('Create a service key')), 'what to do next is said as a message');
  assert.match(service.system.stdout(), /^metergate ready [^\n]+\n$/);
});

test('no line contains a secret or content of a call', () => {
  const said = service.system.stdout() + service.system.stderr();
  for (const secret of ['canary', service.key, providerKeys.openai, providerKeys.anthropic]) assert.ok(!said.includes(secret));
});
