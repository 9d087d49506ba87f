/** When figures are compared, and what an operator hears of it. What is compared: `store/src/receipts/proof`. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Store } from '@metergate/store/store.ts';
import { batchOf, granted, openTestStore, sampleRecord, startMs } from '@metergate/store/test-support/contract-fixture.ts';
import { freshSqlite } from '../http/test-support/platform-fixture.ts';
import { createProveWork, type ProveWork } from './prove-work.ts';

const hourMs = 3_600_000;
const place = freshSqlite();
let store: Store;
let names = 0;
let nowMs = startMs + 40 * hourMs;

before(async () => { store = await openTestStore(place.url); });
after(async () => {
  await store?.close();
  place.remove();
});

function work(holder: string, over: Partial<Store['figureProofs']> = {}) {
  const [said, faults]: [string[], unknown[]] = [[], []];
  const made: ProveWork = createProveWork({
    store: { figureProofs: { ...store.figureProofs, ...over }, workLeases: store.workLeases }, clock: () => nowMs, steadyClock: () => nowMs, holder,
    warn: (line) => said.push(line), failed: (fault) => faults.push(fault), pauseFor: async () => {},
  });
  return { ...made, said, faults };
}

async function organization(): Promise<OrganizationId> {
  const { id } = await granted(store.organizations.create({ name: `proved ${names += 1}`, plan: 'team' }));
  await store.calls.ship(batchOf(`seg_${id}`, [sampleRecord(id), sampleRecord(id)]));
  return id;
}

const damage = (statement: string): void => {
  const file = new DatabaseSync(place.url.slice('sqlite:'.length), { timeout: 5_000 });
  file.exec(statement);
  file.close();
};

test('each organization is compared once an hour; what differs is reported once and counted, what was mended is reported', async () => {
  const [one, other] = [await organization(), await organization()];
  const proving = work('one');
  assert.equal((await proving.figures()).provedMs, null);
  await proving.pass();
  assert.deepEqual([proving.said.length, await proving.figures()], [0, { differences: 0, mended: 0, provedMs: nowMs }]);
  const provedMs = nowMs;
  damage(`update usage_sum set calls = 7 where organization = '${one}' and dimension = 'day';
    update spend_day set spent_nano = 1 where organization = '${other}' and scope = 'key' and day_ms > 0`);
  await proving.pass();
  assert.equal(proving.said.length, 0, 'nothing is due');
  nowMs += hourMs;
  await proving.pass();
  assert.equal(proving.said.length, 3);
  assert.match(proving.said.find((line) => line.includes(one))!, /usage_sum "\S+T00 day" had 7 .+, and the records say 2 .+ It was mended\.$/);
  const told = proving.said.find((line) => line.includes(`${other} `))!;
  assert.match(told, /spend_day "\S+T00 key key_\S+" had 1 .+ It was left as it is; metergate doctor/);
  assert.match(proving.said.join('\n'), /spend of all days/);
  const figures = await proving.figures();
  assert.deepEqual([figures.differences, figures.mended, figures.provedMs], [2, 1, provedMs]);
  nowMs += hourMs;
  await proving.pass();
  assert.equal(proving.said.length, 3, 'it is said once');
  await proving.end();
});

test('one platform at a time; one organization that cannot be compared holds up no other', async () => {
  const [broken, sound] = [await organization(), await organization()];
  const one = work('one', { prove: (id, looking) => (id === broken ? Promise.reject(new Error('no')) : store.figureProofs.prove(id, looking)) });
  await one.pass();
  const looked = async (id: OrganizationId): Promise<number> =>
    (await store.figureProofs.all()).find((each) => each.organization === id)!.lookedMs;
  assert.deepEqual([await looked(broken), await looked(sound), one.faults.length], [0, nowMs, 1]);
  const other = work('other');
  await other.pass();
  assert.equal(await looked(broken), 0);
  await one.end();
  nowMs += 2_001;
  await other.pass();
  assert.equal(await looked(broken), nowMs);
  await other.end();
});
