/**
 * A fault of the gateway's own code ends the call it happens in and nothing else. A whole node listens,
 * a scripted provider answers, and one part at a time throws; beside each broken call a sound one runs on the same node.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { createPriceBook, type PriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import type { Journal } from '@metergate/store/journal/journal.ts';
import { assertAtRest } from '@metergate/testkit/at-rest.ts';
import { compress } from '@metergate/testkit/coding.ts';
import { RawConnection, rawCall, requestBytes, type RawAnswer } from '@metergate/testkit/raw-client.ts';
import { gate, startScriptedProvider } from '@metergate/testkit/scripted-provider.ts';
import { createFaults } from '../node/faults.ts';
import { startGateway, type GatewayOptions } from '../gateway.ts';
import { testGuards, testStandings, unspentAnswer, willingRunJournal } from '../guards/test-support/standing-fixture.ts';
import { createDestination } from '../network/create-destination.ts';
import type { HeldKey } from '../guards/held-key.ts';
import { createCopyReader } from '../usage/create-copy-reader.ts';

const secret = 'prompt-words-of-a-caller';
const events = [
  'data: {"model":"gpt-4o-mini","choices":[{"delta":{"content":"hi"}}]}\n\n',
  'data: {"model":"gpt-4o-mini","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}\n\n',
  'data: [DONE]\n\n',
];

function breaks(): never {
  throw new TypeError(`cannot read ${secret}`);
}

const organization = {
  id: 'org_test', plan: 'scale', openai: { state: 'connected', credential: 'sk-test' }, anthropic: { state: 'missing' }, upstream: null,
  upstreams: [],
  fallbackPrice: null, drainSeconds: null, agreedFigures: null, caps: [], enforceKeyCaps: false,
  runPolicy: { maxRunBudget: null, runCeiling: null, runExposure: null }, unmetered: null, wrongBaseUrl: 'forward', models: null, grantKeys: [],
} as unknown as OrganizationSettings;
const key = { id: 'key_test', organization: 'org_test', project: null, expiresAtMs: null, maxRunBudget: null, models: null } as ServiceKeySettings;
const soundKey: HeldKey = { key, organization, standing: testStandings().of(unspentAnswer(key, organization)) };
const soundBook = createPriceBook({ list: priceList, overlay: null });

/** What can be made to throw. Each holds until `heal`. */
interface Weakness {
  copyReader?: 'create' | 'push' | 'dialogueEnded' | 'finish' | 'reading';
  priceBook?: PriceBook;
  key?: HeldKey;
  ask?: boolean;
  journal?: 'open' | 'close' | 'openLater';
  send?: boolean;
}

async function context(t: TestContext) {
  const provider = await startScriptedProvider();
  const opened: string[] = [];
  const records: CallRecord[] = [];
  let weak: Weakness = {};
  const journal: Journal = {
    open(opening, done) {
      if (weak.journal === 'open') breaks();
      opened.push(opening.id);
      setImmediate(done, null);
    },
    close(record, done) {
      if (weak.journal === 'close') breaks();
      // As the journal does: one closed row for a call, and none for a call that was never opened.
      if (opened.includes(record.id) && !records.some(({ id }) => id === record.id)) records.push(record);
      setImmediate(done);
    },
    ...willingRunJournal,
    end: async () => {},
    counters: { opened: 0, closed: 0, commits: 0, commitFailures: 0, waiting: 0 },
  };
  const timeouts = { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 };
  const destination = createDestination({ origin: provider.url, timeouts, guard: null });
  const clock = { wallMs: Date.now, monotonicMs: () => performance.now() };
  const gateway = await startGateway({
    id: 'node_test' as GatewayOptions['id'], host: '127.0.0.1', port: 0, journal, heldBodiesBytesMax: 1 << 20, clock,
    guards: testGuards({ clock }), verifyGrant: () => null,
    settings: {
      held: () => (weak.ask === true ? undefined : weak.key ?? soundKey),
      ask: async () => weak.key ?? soundKey,
      get priceBook() { return weak.priceBook ?? soundBook; },
      asking: 0,
      ageMs: () => 0,
    },
    destinations: {
      provider: () => (weak.send === true ? { ...destination, send: breaks } : destination),
      region: () => null,
      upstream: () => destination,
    },
    createCopyReader: (options) => {
      if (weak.copyReader === 'create') breaks();
      const reader = createCopyReader(options);
      const broken = weak.copyReader;
      return {
        drop: () => reader.drop(),
        push: broken === 'push' ? breaks : (chunk) => reader.push(chunk),
        get dialogueEnded() { return broken === 'dialogueEnded' ? breaks() : reader.dialogueEnded; },
        finish: (ending, waitMs, done) => {
          if (broken === 'finish') breaks();
          if (broken === 'reading') setTimeout(done as (reading: unknown) => void, 1, null);
          else reader.finish(ending, waitMs, done);
        },
      };
    },
  });
  t.after(async () => {
    await gateway.drain(0);
    await assertAtRest(() => gateway.held());
    await destination.close();
    await provider.close();
  });
  const url = `http://127.0.0.1:${gateway.port}`;
  const call = (): Promise<RawAnswer> => rawCall(url, {
    target: '/v1/chat/completions', headers: [['Authorization', `Bearer svc_live_${'0'.repeat(32)}`]],
    body: `{"stream":true,"a":"${secret}"}`,
  });
  return { provider, gateway, opened, records, call, url, weaken: (to: Weakness) => { weak = to; } };
}

const throwingBook = new Proxy({}, { get: breaks }) as unknown as PriceBook;
const keyThatBreaksAt = (field: 'id' | 'expiresAtMs'): HeldKey =>
  ({ ...soundKey, key: Object.defineProperty({ ...soundKey.key }, field, { get: breaks }) });

const cases: readonly { readonly name: string; readonly weak: Weakness; readonly opened: number; readonly forwarded: number }[] = [
  { name: 'the copy reader cannot be made', weak: { copyReader: 'create' }, opened: 1, forwarded: 1 },
  { name: 'the copy reader throws at bytes', weak: { copyReader: 'push' }, opened: 1, forwarded: 1 },
  { name: 'the copy reader throws when asked for the end', weak: { copyReader: 'dialogueEnded' }, opened: 1, forwarded: 1 },
  { name: 'the copy reader throws at the end', weak: { copyReader: 'finish' }, opened: 1, forwarded: 1 },
  { name: 'the reading that comes later is none', weak: { copyReader: 'reading' }, opened: 1, forwarded: 1 },
  { name: 'the price book throws', weak: { priceBook: throwingBook }, opened: 1, forwarded: 1 },
  { name: 'the journal throws at the closing', weak: { journal: 'close' }, opened: 1, forwarded: 1 },
  { name: 'the journal throws at the opening', weak: { journal: 'open' }, opened: 0, forwarded: 0 },
  { name: 'sending throws', weak: { send: true }, opened: 1, forwarded: 0 },
  { name: 'the held key throws at admission', weak: { key: keyThatBreaksAt('expiresAtMs') }, opened: 0, forwarded: 0 },
  { name: 'the key that was asked for throws', weak: { ask: true, key: keyThatBreaksAt('expiresAtMs') }, opened: 0, forwarded: 0 },
  { name: 'the call cannot be put together once its body is there', weak: { key: keyThatBreaksAt('id') }, opened: 0, forwarded: 0 },
];

for (const { name, weak, opened, forwarded } of cases) {
  test(`${name}: only that call ends, is never whole, and has at most one record`, async (t) => {
    const { provider, gateway, records, call, weaken, ...heard } = await context(t);
    provider.respond({ headers: [['content-type', 'text/event-stream']], body: events });
    weaken(weak);
    const broken = await call();
    weaken({});
    const sound = await call();

    if (broken.status === 500) assert.match(broken.body.toString(), /"internal_error"/);
    else assert.deepEqual([broken.status, broken.whole], [200, false], 'a broken call must not look complete');
    assert.ok(broken.status === 500 || events.join('').startsWith(broken.body.toString()));
    assert.deepEqual([sound.status, sound.whole, sound.body.toString()], [200, true, events.join('')]);
    assert.ok(gateway.counters.faults >= 1);
    assert.equal(gateway.counters.inFlight, 0);
    assert.deepEqual([heard.opened.length, provider.requests.length], [opened + 1, forwarded + 1]);
    const own = records.filter(({ id }) => id === heard.opened[0]);
    if (opened === 1 && weak.journal === undefined) {
      assert.deepEqual(own.map(({ usage, usageReason, cost }) => [usage, usageReason, cost]), [['unknown', 'reader_fault', null]]);
      assert.ok(own[0]?.outcome === 'cut' || own[0]?.outcome === 'failed');
      assert.equal(own[0]?.outcome === 'failed', own[0]?.status === null);
    }
    assert.deepEqual(records.at(-1)?.inputTokens, 7);
  });
}

test('a fault while compressed answers are read gives back their places and decoders: the next ones of the organization are read', async (t) => {
  const { provider, gateway, records, call, weaken } = await context(t);
  const body = compress(Buffer.from(events.join('')), 'gzip');
  provider.respond({ headers: [['content-type', 'text/event-stream'], ['content-encoding', 'gzip']], body: [body] });
  weaken({ copyReader: 'dialogueEnded' });
  // More than an organization has places.
  for (let at = 0; at < 20; at += 1) {
    const { status, whole } = await call();
    assert.ok(status === 500 || !whole);
  }
  await assertAtRest(() => gateway.held());
  weaken({});
  await call();
  assert.deepEqual(records.at(-1)?.inputTokens, 7);
});

test('a fault when its caller half-closes ends that call alone', async (t) => {
  const { provider, gateway, records, call, weaken, url } = await context(t);
  const go = gate();
  provider.respond({ headers: [['content-type', 'text/event-stream']], body: [events[0]!, go.opened] });
  const broken = Object.defineProperty({ ...organization }, 'drainSeconds', { get: breaks });
  weaken({ key: { ...soundKey, organization: broken } });
  const connection = await RawConnection.open(url);
  const headers = [['Authorization', `Bearer svc_live_${'0'.repeat(32)}`]] as const;
  connection.send(requestBytes({ target: '/v1/chat/completions', headers, body: '{}' }, 'x'));
  await connection.received(5);
  connection.halfClose();
  await connection.ended;
  go.open();
  weaken({});
  provider.respond({ headers: [['content-type', 'text/event-stream']], body: events });
  assert.equal((await call()).whole, true);
  assert.deepEqual(records.map(({ outcome, usageReason }) => [outcome, usageReason]), [['cut', 'reader_fault'], ['completed', null]]);
  assert.deepEqual([gateway.counters.inFlight, gateway.counters.faults], [0, 1]);
});

test('all faults are counted, and logged once for each place, by name and line, never with the thrown value', () => {
  const counters = { faults: 0 };
  const said: string[] = [];
  const faults = createFaults(counters, (message) => void said.push(message));
  for (let round = 0; round < 3; round += 1) {
    try {
      breaks();
    } catch (cause) {
      faults.note('settling', cause);
      faults.note('data', { name: secret });
    }
  }
  assert.equal(counters.faults, 6);
  assert.equal(said.length, 2);
  assert.match(said[0] ?? '', /\(settling\): TypeError at call-guard\.test\.ts:\d+\./);
  assert.ok(!said.join().includes(secret));
});
