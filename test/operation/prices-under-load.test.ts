/**
 * A price list imported in the middle of load: no call waits for it or fails, each is priced by exactly one list, and its record names that list.
 * Rule 6e. The lists differ in one model's price, so a record's cost tells which list made it.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForUpdate } from '@pydantic/genai-prices';
import { priceList, priceListId } from '@metergate/core/price/price-list.ts';
import { serviceForFile } from '../running-product.ts';

const service = serviceForFile();
const folder = mkdtempSync(join(tmpdir(), 'metergate-prices-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const model = 'gpt-4o';
const callers = 8;
const dollars = [2, 3, 4, 5];

interface Sellers { id: string; models: { id: string; prices: object }[] }

/** A published list in which a million input tokens of the model cost this. */
async function listAt(input: number): Promise<string> {
  const sellers = structuredClone(await waitForUpdate()) as unknown as Sellers[];
  const found = sellers.find(({ id }) => id === 'openai')!.models.find(({ id }) => id === model)!;
  found.prices = { input_mtok: input, output_mtok: 10 };
  const file = join(folder, `${input}.json`);
  writeFileSync(file, JSON.stringify(sellers));
  return file;
}

test('each call is priced by one list, which its record names', { timeout: 120_000 }, async () => {
  const { system, key } = service;
  system.openai.respond({
    headers: [['content-type', 'application/json']],
    body: JSON.stringify({ object: 'chat.completion', model, choices: [], usage: { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 } }),
  });
  const state = { going: true };
  const answered: string[] = [];
  const caller = async (): Promise<void> => {
    while (state.going) {
      const answer = await fetch(`${system.gatewayUrl}/v1/chat/completions`, {
        method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'a' }] }),
      });
      assert.equal(answer.status, 200, await answer.text());
      answered.push(answer.headers.get('x-svc-request-id')!);
    }
  };
  const load = Promise.all(Array.from({ length: callers }, caller));
  const until = async (count: number): Promise<void> => { while (answered.length < count) await sleep(5); };
  await until(100);
  const shipped = priceListId(priceList);
  const rates = new Map<string, number>([[shipped, 2.5]]);
  for (const input of dollars) {
    const ran = await system.cli(['prices', 'import', await listAt(input), '--yes', '--json']);
    assert.equal(ran.code, 0, ran.stderr);
    const { id } = (ran.json() as { after: { id: string } }).after;
    rates.set(id, input);
    // The node follows within a second; meanwhile calls go on.
    for (let list: string | null = null; list !== id;) {
      await until(answered.length + 50);
      const newest = answered.at(-1)!;
      list = (await system.callsById([newest])).get(newest)!.priceList;
    }
  }
  state.going = false;
  await load;
  const records = await system.callsById(answered);
  const seen = new Set<string>();
  for (const { priceList: list, cost, costSource, costGaps } of records.values()) {
    seen.add(list!);
    const thousand = (rates.get(list!)! / 1000).toFixed(9);
    assert.deepEqual([cost, costSource, costGaps], [thousand, 'priced', []], list ?? 'no list');
  }
  assert.equal(records.size, new Set(answered).size);
  assert.equal(seen.size, dollars.length + 1, 'every list priced some of the calls');
  const last = [...records.values()].toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
    .map(({ priceList: list }) => [...rates.keys()].indexOf(list!));
  assert.deepEqual([last[0], last.at(-1)], [0, dollars.length], 'the shipped list first, the last imported one at the end');
});
