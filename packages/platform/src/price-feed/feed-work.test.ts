/**
 * The price feed: asked once a day by one platform, with the tag that the server gave; a new list is announced before and after and takes force;
 * a faulty answer changes nothing, is reported without the address's secrets, and is asked for again an hour later. Decision 142.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { waitForUpdate } from '@pydantic/genai-prices';
import { priceList, priceListId } from '@metergate/core/price/price-list.ts';
import { createAddressGuard } from '@metergate/store/network/address-guard.ts';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';
import type { Store } from '@metergate/store/store.ts';
import { openTestStore } from '@metergate/store/test-support/contract-fixture.ts';
import { freshSqlite } from '../http/test-support/platform-fixture.ts';
import { showListInForce } from '../use-cases/price-import.ts';
import { againMs, createPriceFeed, dailyMs, type PriceFeed } from './feed-work.ts';

const place = freshSqlite();
let store: Store;
let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};
let asked: IncomingMessage[] = [];
let [nowMs, said, warned] = [0, [] as string[], [] as string[]];
let published: { id: string; models: { id: string; prices: Record<string, unknown> }[] }[];

before(async () => {
  published = structuredClone(await waitForUpdate()) as unknown as typeof published;
  store = await openTestStore(place.url);
  server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(async () => {
  server?.close();
  server?.closeAllConnections();
  await store?.close();
  place.remove();
});
beforeEach(async () => {
  [nowMs, said, warned, asked] = [Date.parse('2026-11-24T00:00:00Z'), [], [], []];
  await store.prices.leaveList();
});

const guard = (allow: readonly string[] = ['127.0.0.0/8']) => createAddressGuard({ allow: parseAddressRanges(allow) });
function feed({ checksum = false, holder = 'plt_one', guarded = guard() } = {}): PriceFeed {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/data.json?token=hidden`;
  return createPriceFeed({
    settings: { url, checksumUrl: checksum ? `http://127.0.0.1:${port}/sum` : null }, store, guard: guarded, clock: () => nowMs, holder,
    randomBytes: (n) => randomBytes(n), say: (line) => said.push(line), warn: (line) => warned.push(line), deadlineMs: 60_000,
  });
}
function newer(input: number): string {
  const list = structuredClone(published);
  const model = list.find(({ id }) => id === 'openai')!.models.find(({ id }) => id === 'gpt-4o')!;
  model.prices = { ...model.prices, input_mtok: input };
  return JSON.stringify(list);
}
const inForce = async (): Promise<string> => (await showListInForce({ store })).id;

test('once a day: what changes is reported before and after, and the tag saves the next transfer', async () => {
  answer = (request, response) => {
    if (request.headers['if-none-match'] === '"one"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"one"' }).end(newer(2));
  };
  const one = feed();
  assert.equal(await one.pass(), true);
  assert.match(said[0]!, /brings 2026-11-24\/\w{16} in place of 2026-09-23\/\w{16}: 1 changed\. changed openai gpt-4o \(input 2\.5 -> 2\)/);
  assert.match(said[1]!, /now priced by 2026-11-24/);
  const id = await inForce();
  assert.notEqual(id, priceListId(priceList));
  const [row] = (await store.audit.list({ organization: null, limit: 1 }))!;
  assert.deepEqual([row!.action, row!.actor.kind, row!.subject], ['importPrices', 'system', id]);
  assert.equal(await one.pass(), false, 'not again on the same day');
  nowMs += dailyMs;
  assert.deepEqual([await one.pass(), asked.length, said.length, await inForce()], [true, 2, 2, id]);
  assert.deepEqual([warned, JSON.stringify([said, row]).includes('hidden')], [[], false]);
  await one.end();
});

test('a list that cannot be fetched or used changes nothing, is reported, and is asked for again in an hour', async () => {
  const half = JSON.stringify(published.filter(({ id }) => id === 'openai' || id === 'anthropic'));
  const faults: readonly (readonly [typeof answer, RegExp])[] = [
    [(_, response) => response.writeHead(500).end(), /status 500/],
    [(_, response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end(), /status 302/],
    [(_, response) => response.writeHead(200).end('{"half'), /not valid JSON/],
    [(_, response) => response.writeHead(200).end('[]'), /no models of openai/],
    [(_, response) => response.writeHead(200).end(half), /lacks \d+ of the \d+ models/],
    [(_, response) => { response.writeHead(200, { 'content-length': '100' }); response.write('[', () => response.destroy()); }, /connection failed/],
  ];
  const one = feed();
  for (const [faulty, sentence] of faults) {
    answer = faulty;
    const before = warned.length;
    assert.equal(await one.pass(), true);
    assert.match(warned[before]!, sentence);
    assert.deepEqual([await inForce(), said], [priceListId(priceList), []]);
    assert.ok(one.failingSinceMs() !== null);
    assert.equal(await one.pass(), false);
    nowMs += againMs;
  }
  assert.equal(one.failingSinceMs(), Date.parse('2026-11-24T00:00:00Z'));
  assert.equal(JSON.stringify(warned).includes('hidden'), false);
  answer = (_, response) => response.writeHead(200).end(newer(3));
  assert.equal(await one.pass(), true);
  assert.deepEqual([one.failingSinceMs(), said.length], [null, 2]);
  await one.end();
});

test('a list is used only with its own checksum, if one is configured', async () => {
  let sum = 'f'.repeat(64);
  answer = (request, response) => void response.writeHead(200).end(request.url === '/sum' ? `${sum}  data.json\n` : newer(4));
  const one = feed({ checksum: true });
  await one.pass();
  assert.match(warned[0]!, /its checksum is another one/);
  assert.equal(await inForce(), priceListId(priceList));
  sum = createHash('sha256').update(newer(4)).digest('hex').toUpperCase();
  nowMs += againMs;
  await one.pass();
  assert.notEqual(await inForce(), priceListId(priceList));
  await one.end();
});

test('one platform asks; an address that is not public is not dialled unless it is allowed', async () => {
  answer = (_, response) => void response.writeHead(200).end(newer(5));
  const [one, other] = [feed(), feed({ holder: 'plt_other' })];
  assert.deepEqual([await one.pass(), await other.pass(), asked.length], [true, false, 1]);
  await Promise.all([one.end(), other.end()]);
  nowMs += dailyMs;
  const strict = feed({ guarded: guard([]) });
  assert.deepEqual([await strict.pass(), asked.length], [true, 1]);
  assert.match(warned[0]!, /the address is not public/);
  await strict.end();
});
