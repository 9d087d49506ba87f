/**
 * Bursts of one organization's calls beside another's, on a whole node (rule 8a; decision 0019): measured by what reaches the provider
 * first, not by time. The test controls turns of the event loop if calls must keep waiting.
 */
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { createPriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import type { NamedUpstream } from '@metergate/core/account/settings.ts';
import { nothingDue } from '@metergate/core/usage/reading.ts';
import type { RawConnection } from '@metergate/testkit/raw-client.ts';
import { gate } from '@metergate/testkit/scripted-provider.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { Journal } from '@metergate/store/journal/journal.ts';
import { CallTurns } from '../fairness/call-turns.ts';
import type { HeldKey } from '../guards/held-key.ts';
import { testHeld, testKey, testOrganization } from '../guards/test-support/run-fixture.ts';
import { willingRunJournal } from '../guards/test-support/standing-fixture.ts';
import { neighbourKey, ownKey, startNode } from '../test-support/whole-node.ts';
import type { CreateCopyReader } from '../usage/create-copy-reader.ts';

const body = '{"model":"m"}';
const callOf = (key: string, target: string): string =>
  `POST ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const own = callOf(ownKey, '/v1/chat/completions');
const neighbours = callOf(neighbourKey, '/v1/responses');

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function answered(connection: RawConnection, call: string): Promise<number> {
  connection.send(call);
  return (await connection.nextAnswer()).status;
}

const connected = (connect: () => Promise<RawConnection>, count: number): Promise<RawConnection[]> =>
  Promise.all(Array.from({ length: count }, connect));

async function ended(connections: readonly RawConnection[]): Promise<void> {
  await Promise.all(connections.map((connection) => connection.close()));
}

test('of a hundred calls of one organization at once and one of another after them, that one is at the provider before the sixtieth', async (t) => {
  const turns = new CallTurns({ atTurnsEnd: setImmediate, after: () => {} });
  const { provider, connect } = await startNode(t, { turns });
  const [neighbour, ...burst] = await connected(connect, 101) as [RawConnection, ...RawConnection[]];
  const all = (): Promise<number[]> => Promise.all([...burst.map((connection) => answered(connection, own)), answered(neighbour, neighbours)]);
  // The first time no answer comes before the last call has, so that the second time there is a connection to the provider for each.
  const heard = gate();
  const answer = { body: '{}' };
  provider.respond(async () => {
    if (provider.requests.length === 101) heard.open();
    await heard.opened;
    return answer;
  });
  await all();
  provider.respond(answer);
  assert.deepEqual(new Set(await all()), new Set([200]));
  const targets = provider.requests.slice(101).map(({ target }) => target);
  assert.equal(targets.length, 101);
  assert.ok(targets.indexOf('/v1/responses') < 60, `at place ${targets.indexOf('/v1/responses')}`);
  await ended([neighbour, ...burst]);
});

/** A node that knows two organizations, whose turn ends when the test lets it. */
async function heldTurn(t: Parameters<typeof startNode>[0], parts: Parameters<typeof startNode>[1] = {}) {
  let ends: (() => void)[] = [];
  let isHeld = false;
  const turns = new CallTurns({ atTurnsEnd: (task) => isHeld ? ends.push(task) : setImmediate(task), after: () => {} });
  const node = await startNode(t, { turns, ...parts });
  const [neighbour, ...callers] = await connected(node.connect, 7) as [RawConnection, ...RawConnection[]];
  await answered(neighbour, neighbours);
  await answered(callers[0]!, own);
  await turn();
  isHeld = true;
  return {
    ...node, neighbour, callers,
    hold: () => void (isHeld = true),
    release() {
      isHeld = false;
      for (const task of ends) task();
      ends = [];
    },
  };
}

test('a caller who leaves while its call waits for a turn is not forwarded, and another organization is served meanwhile', async (t) => {
  const { provider, gateway, neighbour, callers, release } = await heldTurn(t);
  const before = provider.requests.length;
  const answers = callers.map((caller) => answered(caller, own).catch(() => 'left'));
  assert.equal(await answered(neighbour, neighbours), 200);
  assert.equal(provider.requests.length, before + 1, 'four were admitted, and two wait for that');
  callers.at(-1)!.abort();
  await callers.at(-1)!.ended;
  assert.equal(await answered(neighbour, callOf(neighbourKey, '/nowhere')), 404, 'by then the node has heard of it');
  release();
  assert.deepEqual(await Promise.all(answers), [200, 200, 200, 200, 200, 'left']);
  assert.deepEqual([provider.requests.length, gateway.counters.inFlight], [before + 6, 0]);
  await ended([neighbour, ...callers.slice(0, -1)]);
});

test('a node that ends lets all waiting calls continue at once', async (t) => {
  const { gateway, neighbour, callers } = await heldTurn(t);
  const answers = callers.map((caller) => answered(caller, own));
  assert.equal(await answered(neighbour, neighbours), 200);
  const drained = gateway.drain(10_000);
  assert.deepEqual(await Promise.all(answers), Array(6).fill(200));
  await drained;
});

test('of compressed answers that are given up at the same moment four are recorded in a turn, and the others in the next ones', async (t) => {
  let waiting: (() => void)[] = [];
  let isRead = true;
  const createCopyReader: CreateCopyReader = () => ({
    dialogueEnded: false,
    push() {},
    drop() {},
    finish: (_ending, _waitMs, done) => isRead ? done(nothingDue) : void waiting.push(() => done(nothingDue)),
  });
  let recorded = 0;
  const journal: Journal = {
    open: (_opening, done) => void setImmediate(() => done(null)),
    close(_record, done) {
      recorded += 1;
      setImmediate(done);
    },
    ...willingRunJournal,
    end: async () => {},
    counters: { opened: 0, closed: 0, commits: 0, commitFailures: 0, waiting: 0 },
  };
  const { neighbour, callers, release, hold } = await heldTurn(t, { createCopyReader, journal });
  release();
  isRead = false;
  const answers = callers.map((caller) => answered(caller, own));
  await eventually(() => waiting.length >= callers.length);
  isRead = true;
  await turn();
  hold();
  recorded = 0;
  waiting.forEach((done) => done());
  waiting = [];
  assert.equal(recorded, 4);
  assert.equal(await answered(neighbour, neighbours), 200, 'another organization is served meanwhile');
  assert.equal(recorded, 5);
  release();
  assert.deepEqual(await Promise.all(answers), Array(6).fill(200));
  assert.equal(recorded, 7);
  await ended([neighbour, ...callers]);
});

test('of calls that waited for one token four go on in a turn, and the others in the next ones', async (t) => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const credential = JSON.stringify({
    type: 'service_account', client_email: 'a@b.example', token_uri: 'https://token.example/token',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  });
  const vertex: NamedUpstream = {
    name: 'vertex', version: 1, url: 'https://vertex.example', enabled: true, auth: 'google-service-account', credential,
    dialect: null, provider: null,
  };
  const mine = testHeld(testOrganization({ upstreams: [vertex] }));
  const another = testHeld(testOrganization({ id: 'org_b' as OrganizationId }), testKey({ organization: 'org_b' as OrganizationId }));
  const heldByHash = (hash: string): HeldKey => (hash === createHash('sha256').update(neighbourKey).digest('hex') ? another : mine);
  const priceBook = createPriceBook({ list: priceList, overlay: null });
  const { provider, gateway, neighbour, callers, release, hold } = await heldTurn(t, {
    settings: { held: heldByHash, ask: async (hash) => heldByHash(hash), asking: 0, priceBook, ageMs: () => 0 },
  });
  release();
  const [asked, given] = [gate(), gate()];
  provider.respond(async ({ target }) => {
    if (target !== '/token') return { body: '{}' };
    asked.open();
    await given.opened;
    return { headers: [['content-type', 'application/json']], body: '{"access_token":"ya29.a","expires_in":3600,"token_type":"Bearer"}' };
  });
  const answers = callers.map((caller) => answered(caller, callOf(ownKey, '/upstreams/vertex/v1/x')));
  await asked.opened;
  assert.equal(await answered(neighbour, neighbours), 200, 'by then the node has heard of all of them');
  hold();
  given.open();
  await eventually(() => gateway.held().calls >= 4);
  // And no more than these.
  for (let turns = 0; turns < 10; turns += 1) await turn();
  assert.equal(gateway.held().calls, 4);
  release();
  assert.deepEqual(await Promise.all(answers), Array(6).fill(200));
  await ended([neighbour, ...callers]);
});
