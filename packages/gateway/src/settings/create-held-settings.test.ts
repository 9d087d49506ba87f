/** What a node holds of settings: one question per key, unknown for a second at most, replaced whole (rules: Snapshots). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import type { KeyAnswer, OrganizationChange } from '@metergate/store/desk/protocol.ts';
import { testStandings, unspentAnswer } from '../guards/test-support/standing-fixture.ts';
import { createHeldSettings } from './create-held-settings.ts';

const organization = (plan: string) =>
  ({ id: 'org_1', plan, agreedFigures: null, caps: [], enforceKeyCaps: false }) as unknown as OrganizationSettings;
const key = (id: string) => ({ id, organization: 'org_1' }) as ServiceKeySettings;
const found = (id: string): KeyAnswer => unspentAnswer(key(id), organization('free'));

function context() {
  const asked: string[] = [];
  const late: ((found: KeyAnswer | null) => void)[] = [];
  const answers: { resolve: (found: KeyAnswer | null) => void; reject: (error: Error) => void }[] = [];
  const changed: ((change: OrganizationChange) => void)[] = [];
  let ahead: (hash: string, found: KeyAnswer) => void = () => {};
  let priced: (prices: { list: string | null; overlay: string | null }) => void = () => {};
  const faults: string[] = [];
  let nowMs = 0;
  const standings = testStandings();
  const held = createHeldSettings({
    standingOf: (answer) => standings.of(answer),
    client: {
      askKey: (hash, whenLate) => new Promise((resolve, reject) => {
        asked.push(hash);
        late.push(whenLate!);
        answers.push({ resolve, reject });
      }),
      onChange: (listener) => void changed.push(listener),
      onAhead: (listener) => { ahead = listener; },
      onPrices: (listener) => { priced = listener; },
      lastNewsMs: () => 100,
    },
    priceBookFrom({ overlay }) {
      if (overlay === 'bad') throw new Error('no overlay');
      return { overlay } as unknown as PriceBook;
    },
    clock: () => nowMs,
    onOverlayFault: (error) => void faults.push(error.message),
  });
  const change = (plan: string | null, keys: OrganizationChange['keys']) =>
    changed.forEach((listener) => listener({ id: 'org_1', organization: plan === null ? null : organization(plan), keys } as OrganizationChange));
  const price = (overlay: string | null) => priced({ list: null, overlay });
  const sayAhead = (hash: string, answer: KeyAnswer) => ahead(hash, answer);
  return { held, asked, answers, late, faults, change, price, sayAhead, moveTo: (ms: number) => { nowMs = ms; } };
}

test('simultaneous callers share one question; afterwards the same object is held', async () => {
  const { held, asked, answers } = context();
  assert.equal(held.held('h'), undefined);
  const both = Promise.all([held.ask('h'), held.ask('h')]);
  answers[0]!.resolve(found('key_1'));
  const [first, second] = await both;
  assert.deepEqual([asked, first === second, held.held('h') === first, first?.key.id], [['h'], true, true, 'key_1']);
});

test('what the store sent ahead is used by the first call that asks, unless a minute has passed or it changed: then the store is asked', async () => {
  const { held, asked, sayAhead, change, moveTo } = context();
  for (const hash of ['h', 'changed', 'late']) sayAhead(hash, found(`key_${hash}`));
  assert.equal(held.held('h'), undefined, 'nothing is held for a key that nobody uses');
  change('pro', [['changed', key('key_changed')]]);
  const first = await held.ask('h');
  assert.deepEqual([first?.key.id, held.held('h') === first, asked], ['key_h', true, []]);
  void held.ask('changed');
  moveTo(60_000);
  void held.ask('late');
  assert.deepEqual(asked, ['changed', 'late']);
});

test('an answer too late for its caller is held for the next one, and replaces nothing that is held', async () => {
  const { held, asked, answers, late, change } = context();
  const first = held.ask('h');
  answers[0]!.reject(new Error('late'));
  await assert.rejects(first);
  const second = held.ask('h');
  late[0]!(found('key_1'));
  const kept = held.held('h');
  assert.equal(typeof kept === 'object' && kept.key.id, 'key_1');
  late[0]!(found('key_2'));
  assert.equal(held.held('h'), kept);
  change(null, [['h', null]]);
  assert.equal(held.held('h'), undefined);
  late[0]!(null);
  assert.equal(held.held('h'), 'unknown');
  answers[1]!.resolve(null);
  assert.deepEqual([await second, asked.length], [null, 2]);
});

test('an unknown key stays unknown for one second and is then asked again', async () => {
  const { held, answers, moveTo } = context();
  const answer = held.ask('h');
  answers[0]!.resolve(null);
  assert.equal(await answer, null);
  assert.equal(held.held('h'), 'unknown');
  moveTo(999);
  assert.equal(held.held('h'), 'unknown');
  moveTo(1000);
  assert.equal(held.held('h'), undefined);
});

test('of unknown keys the last 10,000 are remembered', async () => {
  const { held, answers } = context();
  for (let number = 0; number <= 10_000; number += 1) {
    const answer = held.ask(`h${number}`);
    answers[number]!.resolve(null);
    await answer;
  }
  assert.deepEqual([held.held('h0'), held.held('h1'), held.held('h10000')], [undefined, 'unknown', 'unknown']);
});

test('a store that is away rejects and leaves nothing behind: the next one asks again', async () => {
  const { held, asked, answers } = context();
  const answer = held.ask('h');
  answers[0]!.reject(new Error('away'));
  await assert.rejects(answer, /away/);
  assert.equal(held.held('h'), undefined);
  void held.ask('h');
  assert.equal(asked.length, 2);
});

test('a change replaces the held object as a whole; a revoked key and a key of a removed organization are asked for again', async () => {
  const { held, answers, change } = context();
  const hold = async (hash: string, number: number) => {
    const answer = held.ask(hash);
    answers[number]!.resolve(found(`key_${hash}`));
    return (await answer)!;
  };
  const before = await hold('a', 0);
  await hold('b', 1);
  change('team', [['a', key('key_a')], ['b', null], ['never-asked', key('key_x')]]);
  const after = held.held('a');
  assert.ok(typeof after === 'object');
  assert.deepEqual([after.organization.plan, before.organization.plan], ['team', 'free']);
  assert.equal(after.standing, before.standing, 'what was spent and taken stays');
  assert.equal(after.standing.organization.rate.figures.requestsPerMinute, 600);
  assert.deepEqual([held.held('b'), held.held('never-asked')], [undefined, undefined]);
  change(null, [['a', null]]);
  assert.equal(held.held('a'), undefined);
});

test('a new overlay takes effect at once; a bad one is reported and the former prices stay', () => {
  const { held, price, faults } = context();
  price('{}');
  const good = held.priceBook;
  assert.deepEqual(good, { overlay: '{}' });
  price('bad');
  assert.deepEqual([held.priceBook === good, faults], [true, ['no overlay']]);
});

test('age is the time since the last news of the store', () => {
  const { held, moveTo } = context();
  moveTo(350);
  assert.equal(held.ageMs(), 250);
});
