/** One start of the product in the given form: ready, the dashboard's page and script, a command beside it, a metered call, an end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { productEnv, runCli } from '@metergate/testkit/system.ts';

/** `program`: the launcher or the product's entry file; `more`: additions to the environment. Returns the output on both streams. */
export async function tryStart(t: TestContext, program: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'metergate-trial-'));
  t.after(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const env = productEnv({ SVC_DATA_DIR: dataDirectory, SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0', ...more });
  const product = spawn(process.execPath, [program, 'start', '--sandbox'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [product.stdout, product.stderr]) stream.setEncoding('utf8').on('data', (text: string) => { said += text; });
  const closed = once(product, 'close') as Promise<[number | null]>;
  try {
    await new Promise<void>((resolve, reject) => {
      product.stdout.on('data', () => { if (said.includes('metergate ready')) resolve(); });
      void closed.then(() => reject(new Error(said)));
    });
    const [, gatewayUrl, platformUrl, opsUrl] = /ready gateway=(\S+) platform=(\S+) ops=(\S+)/.exec(said)!;
    const page = await (await fetch(platformUrl!)).text();
    const script = /src="([^"]+\.js)"/.exec(page)?.[1];
    assert.equal((await fetch(new URL(script!, platformUrl!))).status, 200);
    assert.equal((await fetch(new URL('/platform/v1/openapi.json', platformUrl!))).status, 200);
    assert.match(await (await fetch(`${opsUrl}/metrics`)).text(), /^metergate_calls_in_flight /m);
    const made = await runCli(['key', 'create', '--org', 'default', '--json'], env, '', program);
    const answer = await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST', body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }),
      headers: { authorization: `Bearer ${(made.json() as { key: string }).key}` },
    });
    assert.equal(answer.status, 200);
    await answer.text();
  } finally {
    product.kill('SIGTERM');
  }
  assert.equal((await closed)[0], 0, said);
  return said;
}
