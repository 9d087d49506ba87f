/**
 * Leases in the store: no grant takes what is spent and leased past a limit, whoever asks at the same time, and records move from one
 * to the other in the transaction that keeps them (rules: Spend across nodes). On the embedded store nothing is bounded or written.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import type { LeaseSubject } from '@metergate/core/spend/lease/subject.ts';
import type { GatewayNodeId, OrganizationId, PersonId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { windowAt } from '@metergate/core/spend/window.ts';
import pg from 'pg';
import { granted, hashOf, openTestStore, sampleRecord, sqliteFixture, startMs } from '../test-support/contract-fixture.ts';
import { contractStores, onPostgres } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const money = (amount: number) => nanoDollars(BigInt(amount));
const [one, two] = ['node_one', 'node_two'] as GatewayNodeId[] as [GatewayNodeId, GatewayNodeId];

function monthOf(organization: OrganizationId): LeaseSubject {
  return { organization, scope: 'organization', subject: '', window: 'month', ...windowAt('month', startMs) };
}

function runOf(organization: OrganizationId, id: string): LeaseSubject {
  return { organization, scope: 'run', subject: id, window: 'run', startMs: 0, endMs: null };
}

type Amounts = Partial<Record<'settled' | 'holds' | 'recent' | 'underWay', number>>;

function claim(subject: LeaseSubject, over: Amounts = {}, wants = true): SubjectClaim {
  const { settled = 0, holds = 0, recent = 0, underWay = 0 } = over;
  return { subject, settled: money(settled), holds: money(holds), recent: money(recent), underWay: money(underWay), wants };
}

describe('leases on SQLite', () => {
  test('the embedded store’s node is the authority: no bound, no expiry, nothing written', async () => {
    const context = sqliteFixture();
    const url = await context.newStoreUrl();
    const store = await openTestStore(url);
    await store.leases.begin(one, 'home');
    const [answer] = (await store.leases.claim(one, 1, [claim(monthOf('org_x' as OrganizationId), { settled: 5, holds: 5 })]))!;
    assert.deepEqual([answer!.limit, answer!.validMs, answer!.contested], [null, Infinity, false]);
    assert.equal((await store.leases.heartbeat(one)).known, true);
    assert.deepEqual(await context.query(url, 'select id from gateway_node union all select node from spend_lease'), []);
    await store.close();
    await context.end();
  });
});

describe('leases on PostgreSQL', async () => {
  const { context, url, store, newOrganization } = await contractStore(onPostgres);
  let names = 0;
  let segments = 0;

  const cappedAt = async (limit: number): Promise<OrganizationId> => {
    const id = await newOrganization();
    await granted(store.caps.set({ organization: id, scope: 'organization', subject: null, window: 'month', limit: money(limit), mode: 'refuse' }));
    return id;
  };
  const fresh = async (node: GatewayNodeId, home: string = node): Promise<GatewayNodeId> => {
    const named = `${node}_${++names}` as GatewayNodeId;
    await store.leases.begin(named, `${home}_${names}`);
    return named;
  };
  const ship = (node: GatewayNodeId, organization: OrganizationId, costs: readonly number[], over: Partial<CallRecord> = {}) => store.calls.ship({
    segment: `seg_${++segments}`, through: costs.length,
    records: costs.map((cost, index) =>
      ({ seq: index + 1, record: sampleRecord(organization, { node, cost: money(cost), startedAtMs: startMs, ...over }) })),
  });
  const ask = async (node: GatewayNodeId, number: number, asked: SubjectClaim) => (await store.leases.claim(node, number, [asked]))![0]!;

  /** Waits until so many statements wait for a lock, this one among them. */
  const waits = async (statement: Promise<unknown>, count: number): Promise<void> => {
    let over = false;
    const end = (): void => { over = true; };
    statement.then(end, end);
    const look = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while ((await context.query(url, look)).length < count) assert.equal(over, false, 'it does not wait');
  };
  const silence = (node: GatewayNodeId, ms: number) =>
    context.query(url, 'update gateway_node set heard_at_ms = heard_at_ms - $2 where id = $1', [node, ms]);
  const leasedTo = async (node: GatewayNodeId): Promise<number> => Number((await context.query(url,
    'select coalesce(sum(greatest(granted_nano - shipped_nano, 0)), 0) as leased from spend_lease where node = $1', [node]))[0]!['leased']);

  test('a grant is a total; arriving records move from leased to spent; the rest is reported exactly', async () => {
    const organization = await cappedAt(1_000);
    const node = await fresh(one);
    const first = await ask(node, 1, claim(monthOf(organization), { recent: 200 }));
    assert.deepEqual([first.granted, first.spent, first.shipped, first.limit, first.validMs], [200n, 0n, 0n, 1_000n, 5_000]);
    await ship(node, organization, [70, 60]);
    const second = await ask(node, 2, claim(monthOf(organization), { settled: 130, holds: 200, recent: 200 }));
    assert.deepEqual([second.granted, second.spent, second.shipped], [330n, 130n, 130n]);
  });

  test('what others hold is not granted; they are notified that it is wanted, and what they return is then granted', async () => {
    const organization = await cappedAt(4);
    const [holder, other] = [await fresh(one), await fresh(two)];
    const subject = monthOf(organization);
    for (let number = 1; number <= 4; number += 1) await ask(holder, number, claim(subject, { settled: number - 1, holds: number - 1, recent: 9 }));
    const feed = await store.leases.feed();
    const short = await ask(other, 1, claim(subject, { recent: 9 }));
    assert.deepEqual([short.granted, short.contested], [0n, false]);
    assert.equal(await store.leases.feed(), feed + 1);
    const told = await ask(holder, 5, claim(subject, { settled: 3, holds: 3 }, false));
    assert.deepEqual([told.granted, told.contested], [3n, true]);
    assert.equal((await ask(other, 2, claim(subject, { recent: 9 }))).granted, 1n);
  });

  test('claims and records of many nodes at once: no grant passes the limit, and spent is the sum of the records', async () => {
    const limit = 5_000;
    const organization = await cappedAt(limit);
    const subject = monthOf(organization);
    await Promise.all(Array.from({ length: 6 }, async () => {
      const node = await fresh(one);
      let settled = 0;
      let goesBy = 0;
      for (let number = 1; number <= 25; number += 1) {
        const answer = await ask(node, number, claim(subject, { settled, holds: goesBy, recent: 150 + number }));
        goesBy = Number(answer.granted);
        const cost = Math.max(0, goesBy - settled);
        settled += cost;
        if (cost > 0) await ship(node, organization, [cost]);
      }
    }));
    const [row] = await context.query(url, `select s.spent_nano as spent, (select sum(cost_nano) from call_record where organization = $1) as records,
      (select coalesce(sum(greatest(granted_nano - shipped_nano, 0)), 0) from spend_lease where organization = $1 and "window" = 'month') as leased
      from spend_day as s where organization = $1 and scope = 'organization' and day_ms = -1`, [organization]);
    const [spent, records, leased] = [Number(row!['spent']), Number(row!['records']), Number(row!['leased'])];
    assert.equal(spent, records);
    assert.ok(spent + leased <= limit, `${spent} spent and ${leased} leased of ${limit}`);
    assert.ok(spent > limit * 0.9, 'the limit can be reached');
  });

  test('a batch that arrives after a later one changes nothing', async () => {
    const organization = await cappedAt(1_000);
    const node = await fresh(one);
    await ask(node, 2, claim(monthOf(organization), { recent: 100 }));
    const late = await ask(node, 1, claim(monthOf(organization), { recent: 10 }, false));
    assert.deepEqual([late.granted, late.validMs], [100n, 0]);
    assert.equal((await ask(node, 3, claim(monthOf(organization), { holds: 100, recent: 100 }))).granted, 100n);
  });

  test('all nodes must confirm when a sum reaches its limit, and when leases are returned', async () => {
    const organization = await cappedAt(100);
    const node = await fresh(one, 'shared');
    await ask(node, 1, claim(monthOf(organization), { recent: 10 }));
    const feed = await store.leases.feed();
    await ship(node, organization, [99]);
    assert.equal(await store.leases.feed(), feed);
    await ship(node, organization, [500]);
    assert.equal(await store.leases.feed(), feed + 1);
    await ship(node, organization, [1]);
    assert.equal(await store.leases.feed(), feed + 1);
    await store.leases.end(node);
    assert.equal(await store.leases.feed(), feed + 2);
  });

  test('a sum that a node brings to its cap without ever having a lease makes all nodes confirm too', async () => {
    const organization = await cappedAt(1_000);
    const [holder, other] = [await fresh(one), await fresh(two)];
    await ask(holder, 1, claim(monthOf(organization), { recent: 100 }));
    const feed = await store.leases.feed();
    await ship(other, organization, [999]);
    assert.equal(await store.leases.feed(), feed, 'not yet');
    await ship(other, organization, [1]);
    assert.equal(await store.leases.feed(), feed + 1);
    await ship(other, organization, [1]);
    assert.equal(await store.leases.feed(), feed + 1, 'told once');
  });

  test('the next process on a data directory returns the last one\'s leases, and a forgotten node learns that it is unknown', async () => {
    const organization = await cappedAt(100);
    const [dead, next] = [`node_dead_${++names}`, `node_next_${names}`] as GatewayNodeId[] as [GatewayNodeId, GatewayNodeId];
    await store.leases.begin(dead, `home_${names}`);
    await ask(dead, 1, claim(monthOf(organization), { recent: 25 }));
    const { heardAtMs, nowMs } = (await store.leases.lastHeartbeat(`home_${names}`))!;
    assert.ok(nowMs - heardAtMs >= 0 && nowMs - heardAtMs < 5_000);
    assert.equal(await store.leases.lastHeartbeat('home_of_nobody'), null);
    await store.leases.begin(next, `home_${names}`);
    assert.equal(await store.leases.claim(dead, 2, [claim(monthOf(organization))]), null);
    assert.equal((await store.leases.heartbeat(dead)).known, false);
    assert.deepEqual(await context.query(url, 'select * from spend_lease where node = $1', [dead]), []);
    await ship(dead, organization, [3]);
    assert.equal((await ask(next, 1, claim(monthOf(organization)))).spent, 3n, 'late spend still counts as spend');
  });

  test('a silent node\'s leases are quarantined, then freed, and the audit trail says so', async () => {
    const organization = await cappedAt(100);
    const node = await fresh(one);
    await ask(node, 1, claim(monthOf(organization), { recent: 25 }));
    await silence(node, 130_000);
    assert.deepEqual([await store.leases.sweep(), await store.leases.sweep()], [0, 0]);
    await silence(node, 5_001);
    assert.deepEqual([await store.leases.sweep(), await store.leases.sweep(), await store.leases.sweep()], [0, 1, 0]);
    const [event] = (await store.audit.list({ organization, limit: 1 }))!;
    assert.deepEqual([event!.action, event!.subject, event!.actor.kind, event!.detail['leases']], ['freeLeases', node, 'system', 1]);
    const back = await ask(node, 2, claim(monthOf(organization), { holds: 25 }, false));
    assert.equal(back.granted, 0n, 'what was freed is not claimed back');
  });

  test('nobody gets what a node reported but has not shipped, nor, once its lease has expired, what its calls under way may cost', async () => {
    const organization = await cappedAt(100);
    const [node, other] = [await fresh(one), await fresh(two)];
    await ask(node, 1, claim(monthOf(organization), { settled: 85, underWay: 10 }, false));
    const rest = async (number: number) => (await ask(other, number, claim(monthOf(organization), { recent: 100 }))).granted;
    assert.equal(await rest(1), 15n);
    await ask(other, 2, claim(monthOf(organization), {}, false));
    await context.query(url, 'update spend_lease set doubtful_at_ms = 0 where node = $1', [node]);
    assert.equal(await rest(3), 5n);
  });

  test('a call that ends after its node’s leases were freed counts once, however often it is shipped, and others get the rest', async () => {
    const organization = await cappedAt(100);
    await store.runs.open([{
      organization, id: 'long', declared: money(100), effective: money(100), clampReason: null, startedAtMs: startMs, expiresAtMs: null,
      exposureLimit: null, mayCreate: true,
    }]);
    const [node, other] = [await fresh(one), await fresh(two)];
    await ship(node, organization, [10], { run: 'long' });
    const late = {
      segment: `seg_${++segments}`, through: 1,
      records: [{ seq: 1, record: sampleRecord(organization, { node, cost: money(30), startedAtMs: startMs, run: 'long' }) }],
    };
    for (const [index, subject] of [monthOf(organization), runOf(organization, 'long')].entries()) {
      await ask(node, 1 + index, claim(subject, { settled: 10, recent: 25, underWay: 30 }));
    }
    await silence(node, 136_000);
    assert.deepEqual([await store.leases.sweep(), await store.leases.sweep()], [0, 1]);
    for (let time = 0; time < 2; time += 1) await store.calls.ship(late);
    await store.leases.heartbeat(node);
    for (const [index, subject] of [monthOf(organization), runOf(organization, 'long')].entries()) {
      const back = await ask(node, 3 + index, claim(subject, { settled: 40, holds: 10 }, false));
      assert.deepEqual([back.spent, back.shipped, back.granted], [40n, 40n, 10n], subject.scope);
      const rest = await ask(other, 1 + index, claim(subject, { recent: 100 }));
      assert.deepEqual([rest.spent, rest.granted], [40n, 15n], 'a quarter of what is left');
    }
    assert.equal(await leasedTo(node), 0);
  });

  test('a cap that is removed and set again keeps its outstanding leases: no node is granted what another holds', async () => {
    const organization = await cappedAt(8);
    const [node, other] = [await fresh(one), await fresh(two)];
    for (const settled of [0, 2, 4, 6]) {
      await ask(node, settled + 1, claim(monthOf(organization), { settled, holds: settled, recent: 9 }));
    }
    const [cap] = await store.caps.list(organization, startMs);
    await granted(store.caps.remove(cap!.cap.id));
    assert.deepEqual((await ask(node, 8, claim(monthOf(organization), { settled: 6, holds: 7 }))).limit, null);
    await granted(store.caps.set({ organization, scope: 'organization', subject: null, window: 'month', limit: money(8), mode: 'refuse' }));
    assert.equal((await ask(other, 1, claim(monthOf(organization), { recent: 9 }))).granted, 1n);
  });

  test('a correction that lowers the bill frees nothing: what is spent, reported and granted stays', async () => {
    const organization = await cappedAt(100);
    const [node, other] = [await fresh(one), await fresh(two)];
    await ship(node, organization, [100]);
    await store.corrections.record({
      organization, provider: 'openai', fromMs: startMs, toMs: startMs + 86_400_000, bill: 'a bill',
      days: [{ dayMs: startMs, model: null, ours: money(100), theirs: money(-50) }],
    });
    for (const each of [node, other]) {
      const answer = await ask(each, 1, claim(monthOf(organization), { settled: each === node ? 100 : 0, recent: 50 }));
      assert.deepEqual([answer.spent, answer.granted], [100n, 0n]);
    }
    assert.deepEqual((await store.caps.list(organization, startMs)).map(({ spent }) => spent), [100n]);
  });

  test('a step of the store’s clock frees no live node, and a node that died does not keep its leases for the length of a step back', async () => {
    const organization = await cappedAt(100);
    const node = await fresh(one);
    await ask(node, 1, claim(monthOf(organization), { recent: 25 }));
    await silence(node, 200_000);
    assert.equal(await store.leases.sweep(), 0);
    await store.leases.heartbeat(node);
    assert.equal(await store.leases.sweep(), 0);
    await silence(node, 25 * 3_600_000);
    await store.leases.sweep();
    assert.deepEqual([(await store.leases.heartbeat(node)).known, await leasedTo(node)], [true, 25]);
    await silence(node, -3_600_000);
    await store.leases.sweep();
    await silence(node, 136_000);
    await store.leases.sweep();
    assert.deepEqual([await store.leases.sweep(), await leasedTo(node)], [1, 0]);
  });

  test('a request for a lease from before the store’s clock stepped back is not kept for the length of the step', async () => {
    const organization = await cappedAt(4);
    const [holder, other] = [await fresh(one), await fresh(two)];
    for (let number = 1; number <= 4; number += 1) {
      await ask(holder, number, claim(monthOf(organization), { settled: number - 1, holds: number - 1, recent: 9 }));
    }
    await ask(other, 1, claim(monthOf(organization), { recent: 9 }));
    await context.query(url, 'update spend_lease set short_at_ms = short_at_ms + 3600000 where node = $1', [other]);
    assert.equal((await ask(holder, 5, claim(monthOf(organization), { settled: 3, holds: 3 }))).contested, false);
    const feed = await store.leases.feed();
    await ask(other, 2, claim(monthOf(organization), { recent: 9 }));
    assert.equal(await store.leases.feed(), feed + 1);
  });

  test('a grant made while a node ends is dropped with the rest, and leases of unknown nodes count for nothing', async (t) => {
    const organization = await cappedAt(100);
    const node = await fresh(one);
    await ask(node, 1, claim(monthOf(organization), { recent: 9 }, false));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    t.after(() => client.end());
    await client.query('begin');
    // The turns of all claims: the one below has its node by then, and has read nothing.
    await client.query('select pg_advisory_xact_lock(7215003, turn) from generate_series(0, 255) as turn');
    const asked = ask(node, 2, claim(monthOf(organization), { recent: 25 }));
    await waits(asked, 1);
    const ended = store.leases.end(node);
    await waits(ended, 2);
    await client.query('commit');
    assert.equal((await asked).granted, 25n);
    await ended;
    assert.equal(await leasedTo(node), 0);
    const dead = await fresh(one);
    await ask(dead, 1, claim(monthOf(organization), { recent: 25 }));
    await context.query(url, 'delete from gateway_node where id = $1', [dead]);
    await store.leases.tidy();
    assert.equal(await leasedTo(dead), 0);
  });

  for (const [title, first] of [['a first cap', true], ['a cap beside others', false]] as const) {
    test(`${title} that is made while a batch is under way: no lease leaves the batch out unless its node is notified`, async (t) => {
      const organization = first ? await newOrganization() : await cappedAt(1_000_000);
      const [spender, other] = [await fresh(one), await fresh(two)];
      await ship(spender, organization, [1]);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      t.after(() => client.end());
      await client.query('begin');
      // The batch has read all that it reads, and waits to add up.
      await client.query('select from spend_day where organization = $1 for update', [organization]);
      const shipped = ship(spender, organization, [20]);
      await waits(shipped, 1);
      const day = { ...monthOf(organization), window: 'day' as const, ...windowAt('day', startMs) };
      const feed = await store.leases.feed();
      const leased = granted(store.caps.set({
        organization, scope: 'organization', subject: null, window: 'day', limit: money(20), mode: 'refuse',
      })).then(() => ask(other, 1, claim(day, { recent: 100 })));
      await Promise.race([leased, waits(shipped, 2)]);
      await client.query('commit');
      await shipped;
      const isTold = await store.leases.feed() > feed;
      assert.ok((await leased).granted === 0n || isTold);
      assert.equal((await ask(other, 2, claim(day, { recent: 100 }))).granted, 0n);
    });
  }

  const terms = { keysMax: 5, models: null, lifetimeMsMax: null, cap: null, personCap: { window: 'day' as const, limit: money(20) } };
  const memberOf = async (organization: OrganizationId): Promise<PersonId> => (await granted(store.members.create({
    organization, email: `m${++names}@leases.example`, passwordHash: 'a hash', role: 'member',
  }))).id;
  const keyOf = (organization: OrganizationId, person: PersonId, more: { readonly boundMaker?: PersonId } = {}) => granted(store.serviceKeys.create({
    organization, person, name: null, project: null, expiresAtMs: null, prefix: 'svc', hash: hashOf(`key ${++names}`), ...more,
  }));
  /** What each needs is made before; then the change itself. */
  const heldUp: Readonly<Record<string, (organization: OrganizationId) => Promise<() => Promise<unknown>>>> = {
    'a first cap': async (organization) => () => granted(store.caps.set({
      organization, scope: 'organization', subject: null, window: 'day', limit: money(20), mode: 'refuse',
    })),
    'a first cap by terms of own keys': async (organization) => {
      await keyOf(organization, await memberOf(organization));
      return () => granted(store.organizations.set(organization, { ownKeys: terms }));
    },
    'a first cap of an own key': async (organization) => {
      const person = await memberOf(organization);
      await granted(store.organizations.set(organization, { ownKeys: terms }));
      return () => keyOf(organization, person, { boundMaker: person });
    },
    'an erasure': async (organization) => () => granted(store.erasure.begin(organization)),
  };
  for (const [title, prepare] of Object.entries(heldUp)) {
    test(`${title} that waits for a batch holds up no other change of the store`, async (t) => {
      const [organization, beside] = [await newOrganization(), await newOrganization()];
      const change = await prepare(organization);
      const spender = await fresh(one);
      await ship(spender, organization, [1]);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      t.after(() => client.end());
      await client.query('begin');
      await client.query('select from spend_day where organization = $1 for update', [organization]);
      const shipped = ship(spender, organization, [20]);
      await waits(shipped, 1);
      const changed = change();
      await waits(changed, 2);
      await granted(store.organizations.set(beside, { drainSeconds: 7 }));
      await client.query('commit');
      await Promise.all([shipped, changed]);
    });
  }

  test('the first batch of an organization from before receipts waits for a change that is under way: it may make the first cap', async (t) => {
    const organization = await newOrganization();
    for (const table of ['receipt_key', 'receipt_chain']) await context.query(url, `delete from ${table} where organization = $1`, [organization]);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    t.after(() => client.end());
    await client.query('begin');
    await client.query('update organization set revision = revision where id = $1', [organization]);
    const shipped = ship(await fresh(one), organization, [1]);
    await waits(shipped, 1);
    await client.query('commit');
    await shipped;
  });

  test('many leases of a node that ended are dropped in slices, none of another’s', async () => {
    const [node, other] = [await fresh(one), await fresh(two)];
    for (const [each, rows] of [[node, 51_000], [other, 10]] as const) {
      await context.query(url, `insert into spend_lease
        (organization, scope, subject, "window", start_ms, node, granted_nano, shipped_nano, claim, short_at_ms)
        select 'org_many', 'key', 'key_' || n, 'lifetime', 0, $1, 2, 1, 0, 0 from generate_series(1, $2::int) as n`, [each, rows]);
    }
    await store.leases.end(node);
    assert.deepEqual([await leasedTo(node), await leasedTo(other)], [0, 10]);
  });

  test('a run is leased like a sum, by its budget in force; a run that ended is no longer confirmed', async () => {
    const organization = await cappedAt(1_000);
    const node = await fresh(one);
    await store.runs.open([{
      organization, id: 'a run', declared: money(80), effective: money(80), clampReason: null, startedAtMs: startMs, expiresAtMs: null,
      exposureLimit: null, mayCreate: true,
    }]);
    const asked = runOf(organization, 'a run');
    const first = await ask(node, 1, claim(asked, { recent: 50 }));
    assert.deepEqual([first.granted, first.limit], [20n, 80n]);
    await ship(node, organization, [30], { run: 'a run' });
    const second = await ask(node, 2, claim(asked, { settled: 30, holds: 30, recent: 50 }));
    assert.deepEqual([second.spent, second.shipped, second.granted], [30n, 30n, 43n]);
    await granted(store.runs.close({ organization, id: 'a run' }));
    assert.equal((await ask(node, 3, claim(asked, { settled: 30, holds: 43 }))).validMs, 0);
  });

  test('leases of windows and runs that are long over are dropped, those in force are not', async () => {
    const organization = await cappedAt(1_000);
    const node = await fresh(one);
    const now = Date.now();
    await store.runs.open([{
      organization, id: 'over', declared: money(80), effective: money(80), clampReason: null, startedAtMs: startMs, expiresAtMs: null,
      exposureLimit: null, mayCreate: true,
    }]);
    await ship(node, organization, [1], { run: 'over', startedAtMs: now - 3 * 86_400_000 });
    await ship(node, organization, [1], { run: 'over', startedAtMs: now });
    await granted(store.runs.close({ organization, id: 'over' }));
    const kept = async () => (await context.query(url, `select scope, "window", count(*) as rows from spend_lease where node = $1
      and scope <> 'key' group by scope, "window"`, [node])).map((row) => `${row['scope']} ${row['window']} ${row['rows']}`).sort();
    assert.ok((await kept()).includes('organization day 2') && (await kept()).includes('run run 1'));
    await store.leases.tidy();
    const left = await kept();
    assert.ok(left.includes('organization day 1') && left.includes('organization lifetime 1'), left.join());
    assert.ok(!left.some((row) => row.startsWith('run')), left.join());
  });

  test('the store’s time is the database’s own', async () => {
    const node = await fresh(one);
    const [row] = await context.query(url, 'select extract(epoch from clock_timestamp()) * 1000 as now');
    const { nowMs } = await store.leases.heartbeat(node);
    assert.ok(Math.abs(nowMs - Number(row!['now'])) < 5_000);
  });
});
