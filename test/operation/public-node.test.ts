/**
 * A Node of which only the public parts are used, as where a newer one changes the others: the product says so at its start and in `doctor`, with
 * what it costs, and calls are forwarded and recorded as ever. The gateway's tests run in this form too (`scripts/shared-folders.ts`).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import { productEnv, runCli, startSystem } from '@metergate/testkit/system.ts';

const sentences = [
  /requests are read by Node's server/, /forwarded by undici/, /bytes come in buffers of their own/, /collected only when Node does so/,
] as const;

test('parts of Node that are not used are named at the start and by doctor, and a call is forwarded and recorded', async (t) => {
  const env = { METERGATE_PUBLIC_NODE: '1' };
  const system = await startSystem({ env });
  t.after(() => system.stop());
  for (const sentence of sentences) await system.says(sentence);
  const body = '{"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}';
  system.openai.respond({ headers: [['content-type', 'application/json']], body });
  const { key } = await system.createKey();
  const answer = await rawCall(system.gatewayUrl, {
    target: '/v1/chat/completions', headers: [['authorization', `Bearer ${key}`], ['content-type', 'application/json']],
    body: '{"model":"m","messages":[]}',
  });
  assert.deepEqual([answer.status, answer.body.toString()], [200, body]);
  const [record] = await system.calls({ count: 1 });
  assert.deepEqual([record?.inputTokens, record?.outputTokens], [3, 4]);

  const found = async (more: Record<string, string>): Promise<string[]> => {
    const doctor = await runCli(['doctor', '--json'], productEnv({ SVC_DATA_DIR: system.dataDirectory, ...more }));
    const { checks } = doctor.json() as { readonly checks: readonly { readonly name: string; readonly state: string; readonly message: string }[] };
    return checks.filter(({ name, state }) => name === 'runtime' && state === 'warn').map(({ message }) => message);
  };
  const warnings = await found(env);
  assert.equal(warnings.length, sentences.length, warnings.join('\n'));
  for (const [at, sentence] of sentences.entries()) assert.match(warnings[at]!, sentence);
  assert.deepEqual(await found({}), []);
});
