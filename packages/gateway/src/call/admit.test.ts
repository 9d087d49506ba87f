/**
 * Calls between their head and their forwarding, on a whole node whose store answers when the test lets it: a caller who leaves or is refused
 * meanwhile leaves no call, no live run and no held memory (rules: Decide, then take; spec: nothing forwarded by a refusal).
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createPriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import type { CapId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { Journal } from '@metergate/store/journal/journal.ts';
import { assertAtRest } from '@metergate/testkit/at-rest.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { headerValue } from '@metergate/testkit/http-message.ts';
import { RawConnection, requestBytes, type RawCall } from '@metergate/testkit/raw-client.ts';
import { gate, startScriptedProvider } from '@metergate/testkit/scripted-provider.ts';
import { startGateway, type GatewayOptions } from '../gateway.ts';
import { Guards } from '../guards/guards.ts';
import { RunRegistry } from '../guards/run-registry.ts';
import { Runs } from '../guards/runs.ts';
import { follow } from '../guards/standing.ts';
import { TestStore, testHeld, testOrganization } from '../guards/test-support/run-fixture.ts';
import { willingRunJournal } from '../guards/test-support/standing-fixture.ts';
import { createDestination } from '../network/create-destination.ts';
import type { HeldKey } from '../guards/held-key.ts';
import { createCopyReader } from '../usage/create-copy-reader.ts';

const long = `{"model":"m","pad":"${'x'.repeat(200_000)}"}`;

async function context(t: TestContext) {
  const provider = await startScriptedProvider();
  provider.respond({ headers: [['content-type', 'application/json']], body: '{}' });
  const journalFault: { error: Error | null } = { error: null };
  const journal: Journal = {
    open: (_opening, done) => void setImmediate(() => done(journalFault.error)),
    close: (_record, done) => void setImmediate(done),
    ...willingRunJournal,
    end: async () => {},
    counters: { opened: 0, closed: 0, commits: 0, commitFailures: 0, waiting: 0 },
  };
  const [registry, store] = [new RunRegistry(10), new TestStore()];
  const clock = { wallMs: Date.now, monotonicMs: () => performance.now() };
  const held = testHeld(testOrganization({ drainSeconds: 0 }));
  const known: { now: HeldKey | 'unknown' | undefined } = { now: held };
  const destination = createDestination({ origin: provider.url, timeouts: { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 }, guard: null });
  const gateway = await startGateway({
    id: 'node_test' as GatewayOptions['id'], host: '127.0.0.1', port: 0, journal, heldBodiesBytesMax: 1 << 20, clock, createCopyReader,
    guards: new Guards(clock, new Runs({ registry, journal, store, clock })), verifyGrant: () => null,
    settings: {
      held: () => known.now, ask: async () => held, asking: 0, priceBook: createPriceBook({ list: priceList, overlay: null }), ageMs: () => 0,
    },
    destinations: { provider: () => destination, region: () => null, upstream: () => destination },
  });
  t.after(async () => {
    await gateway.drain(0);
    await assertAtRest(() => gateway.held());
    await destination.close();
    await provider.close();
  });
  const connect = () => RawConnection.open(`http://127.0.0.1:${gateway.port}`);
  return { provider, journalFault, registry, store, held, known, gateway, connect };
}

function chat(body: string, run: string | null = null): RawCall {
  const headers: [string, string][] = [['Authorization', `Bearer svc_live_${'0'.repeat(32)}`]];
  if (run !== null) headers.push(['x-svc-run-id', run]);
  return { target: '/v1/chat/completions', headers, body };
}

const codeOf = (body: Buffer): string => (JSON.parse(body.toString()) as { error: { code: string } }).error.code;

test('a caller who left while the store was asked about its run is not forwarded, nor the run kept, though another answer came first', async (t) => {
  const { provider, registry, store, gateway, connect } = await context(t);
  const first = gate();
  provider.respond(async () => {
    await first.opened;
    return { body: '{}' };
  });
  for (const pipelined of [false, true]) {
    const before = provider.requests.length;
    const connection = await connect();
    if (pipelined) {
      connection.send(requestBytes(chat('{}'), 'x'));
      await eventually(() => provider.requests.length === before + 1, 'the first call is at the provider');
    }
    connection.send(requestBytes(chat(long, 'r'), 'x'));
    const asked = store.asked.length;
    // What is pipelined is decided once the call before it is answered.
    first.open();
    await eventually(() => store.asked.length === asked + 1, 'the run is asked for');
    assert.ok(gateway.heldBodyBytes() >= long.length);
    connection.abort();
    // Another caller's refusal is read only after the reset has been.
    const other = await connect();
    assert.equal((await other.call({ target: '/nowhere', method: 'GET' })).status, 404);
    await other.close();
    await eventually(() => gateway.counters.inFlight === 0, 'the first call is over');
    await store.answer(asked);
    assert.deepEqual([gateway.heldBodyBytes(), registry.held, gateway.counters.inFlight], [0, 0, 0]);
    assert.equal(provider.requests.length, before + (pipelined ? 1 : 0));
  }
});

test('a call refused after its body was held gives the memory back, and its connection serves the next', async (t) => {
  const { store, gateway, connect, provider } = await context(t);
  const connection = await connect();
  const refused = connection.call(chat(long, 'r'));
  await eventually(() => store.asked.length === 1, 'asked');
  assert.ok(gateway.heldBodyBytes() >= long.length);
  await store.answer(0, { kind: 'run_exposure_exhausted' });
  const answer = await refused;
  assert.deepEqual([answer.status, codeOf(answer.body), gateway.heldBodyBytes()], [402, 'run_exposure_exhausted', 0]);
  const unconfirmed = connection.call(chat(long, 'r'));
  await eventually(() => store.asked.length === 2, 'asked again');
  await store.away(1);
  assert.deepEqual([(await unconfirmed).status, gateway.heldBodyBytes()], [503, 0]);
  assert.equal((await connection.call(chat(long))).status, 200);
  await connection.close();
  assert.deepEqual([provider.requests.length, gateway.heldBodyBytes()], [1, 0]);
});

test('a change while a body arrives refuses the call once the body is whole, without asking the store', async (t) => {
  const { store, gateway, held, connect, provider } = await context(t);
  const connection = await connect();
  const request = requestBytes(chat(long, 'r'), 'x');
  connection.send(request.subarray(0, request.length - 10));
  await eventually(() => gateway.heldBodyBytes() > 0, 'the body is being held');
  const cap = { id: 'cap' as CapId, scope: 'organization', subject: null, window: 'day', limit: nanoDollars(0n), mode: 'refuse' } as const;
  follow(held.standing, { ...held.organization, caps: [cap] }, held.key);
  connection.send(request.subarray(request.length - 10));
  const answer = await connection.nextAnswer();
  assert.deepEqual([answer.status, codeOf(answer.body)], [402, 'budget_exceeded']);
  assert.deepEqual([gateway.heldBodyBytes(), store.asked.length, provider.requests.length], [0, 0, 0]);
  await connection.close();
});

test('a key that was revoked or expired, and a provider taken away, while a body arrived: refused, and nothing leaves', async (t) => {
  const { gateway, held, known, connect, provider, store } = await context(t);
  const changes: [HeldKey | 'unknown' | undefined, string][] = [
    [undefined, 'invalid_api_key'], ['unknown', 'invalid_api_key'],
    [{ ...held, key: { ...held.key, expiresAtMs: Date.now() } }, 'invalid_api_key'],
    [{ ...held, organization: { ...held.organization, openai: { state: 'missing' } } }, 'provider_key_missing'],
    [{ ...held, organization: { ...held.organization, openai: { state: 'unreadable' } } }, 'provider_key_unavailable'],
  ];
  for (const [change, code] of changes) {
    const connection = await connect();
    const request = requestBytes(chat(long, 'r'), 'x');
    known.now = held;
    connection.send(request.subarray(0, request.length - 10));
    await eventually(() => gateway.heldBodyBytes() > 0, 'the body is being held');
    known.now = change;
    connection.send(request.subarray(request.length - 10));
    const answer = await connection.nextAnswer();
    assert.deepEqual([answer.status, codeOf(answer.body)], [401, code]);
    assert.deepEqual([gateway.heldBodyBytes(), store.asked.length, provider.requests.length], [0, 0, 0]);
    await connection.close();
  }
});

test("a provider's key that was put in place of another while a body arrived is the one that goes out", async (t) => {
  const { gateway, held, known, connect, provider } = await context(t);
  const connection = await connect();
  const request = requestBytes(chat(long), 'x');
  connection.send(request.subarray(0, request.length - 10));
  await eventually(() => gateway.heldBodyBytes() > 0, 'the body is being held');
  known.now = { ...held, organization: { ...held.organization, openai: { state: 'connected', credential: 'sk-new' } } };
  connection.send(request.subarray(request.length - 10));
  assert.equal((await connection.nextAnswer()).status, 200);
  assert.equal(headerValue(provider.requests[0]!.headers, 'authorization'), 'Bearer sk-new');
  await connection.close();
});

test('a caller who leaves while its body arrives causes no question and holds no memory', async (t) => {
  const { store, gateway, connect, registry } = await context(t);
  const connection = await connect();
  connection.send(requestBytes(chat(long, 'r'), 'x').subarray(0, 100_000));
  await eventually(() => gateway.heldBodyBytes() > 0, 'the body is being held');
  connection.abort();
  await eventually(() => gateway.heldBodyBytes() === 0, 'the memory is given back');
  assert.deepEqual([store.asked.length, registry.held], [0, 0]);
});

test('pipelined first calls of one run ask once and are answered in their order', async (t) => {
  const { store, connect, registry, provider } = await context(t);
  const connection = await connect();
  const calls = [chat('{"n":1}', 'r'), chat('{"n":2}', 'r'), chat('{"n":3}')];
  connection.send(Buffer.concat(calls.map((call) => requestBytes(call, 'x'))));
  await eventually(() => store.asked.length === 1, 'asked');
  await store.answer(0);
  const statuses = [];
  for (let answer = 0; answer < 3; answer += 1) statuses.push((await connection.nextAnswer()).status);
  assert.deepEqual([statuses, store.asked.length, registry.live, store.confirmed, provider.requests.length], [[200, 200, 200], 1, 1, ['r'], 3]);
  await connection.close();
});

test('if the opening cannot be journalled the run that was made for it is released, and nothing is held', async (t) => {
  const { store, connect, registry, journalFault, held, gateway, provider } = await context(t);
  journalFault.error = new Error('disk full');
  const connection = await connect();
  const levels = structuredClone(held.standing.organization.rate.pair);
  const answered = connection.call(chat(long, 'r'));
  await eventually(() => store.asked.length === 1, 'asked');
  await store.answer(0);
  const answer = await answered;
  assert.deepEqual([answer.status, codeOf(answer.body)], [500, 'internal_error']);
  assert.deepEqual([registry.held, store.confirmed, gateway.heldBodyBytes(), provider.requests.length], [0, [], 0, 0]);
  const { requests, tokens } = held.standing.organization.rate.pair;
  assert.deepEqual([requests.level, tokens.level], [levels.requests.level, levels.tokens.level]);
  await connection.close();
});
