/** The price feed through the real product: its list is in force after the start, the log has what changed, doctor and `/metrics` say how it is. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { waitForUpdate } from '@pydantic/genai-prices';
import { eventually } from '@metergate/testkit/eventually.ts';
import { startSystem } from '@metergate/testkit/system.ts';

interface Shown { prices: { provider: string; input: string; inForce: boolean }[] }
interface Sellers { id: string; models: { id: string; prices: object }[] }

test('a list from the feed takes force; a feed that fails later changes nothing and is reported', { timeout: 120_000 }, async (t) => {
  const sellers = structuredClone(await waitForUpdate()) as unknown as Sellers[];
  sellers.find(({ id }) => id === 'openai')!.models.find(({ id }) => id === 'gpt-4o')!.prices = { input_mtok: 7, output_mtok: 8 };
  let body = JSON.stringify(sellers);
  const server = createServer((_, response) => void response.end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const system = await startSystem({
    env: { SVC_PRICES_URL: `http://127.0.0.1:${port}/data.json?token=hidden`, SVC_UPSTREAM_ALLOW: '127.0.0.0/8' },
  });
  let running = system;
  t.after(() => running.stop());
  await system.says(/Calls are now priced by \d{4}-\d\d-\d\d\/\w{16}/);
  assert.match(system.stderr(), /The price feed brings .* changed openai gpt-4o \(.*input 2\.5 -> 7, cached 1\.25 -> -, output 10 -> 8\)/);
  const inForce = async () => {
    const shown = (await running.cli(['prices', 'show', 'gpt-4o', '--json'])).json() as Shown;
    return shown.prices.find(({ provider, inForce: is }) => provider === 'openai' && is)?.input;
  };
  assert.equal(await inForce(), '7');
  const metric = async () => /^metergate_price_feed_failing_seconds (\S+)$/m.exec(await (await fetch(`${running.opsUrl}/metrics`)).text())?.[1];
  await eventually(async () => await metric() === '0', 'the metric does not say that the feed works');
  body = '{"half';
  await system.kill9();
  running = await system.restart();
  await running.says(/gives no usable list: The price list is not valid JSON\. Nothing is changed/);
  assert.equal(await inForce(), '7');
  assert.equal([system.stderr(), running.stderr()].join('').includes('hidden'), false);
});
