/**
 * Gateways of the version before sums by day, which keep running while a shared store is upgraded: they write and read sums by window
 * (migration 31). What either version writes is in the sums of both.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { calendarWindows, windowAt } from '@metergate/core/spend/window.ts';
import { batchOf, drawing, granted, sampleRecord, startMs } from '../test-support/contract-fixture.ts';
import { contractStores, onDefaultCell } from '../test-support/contract-store.ts';
import { additionsOf } from './apply-spend.ts';

const contractStore = contractStores();
const dayMs = 86_400_000;

/** Writes what these calls spent, the way the older version does. */
const byWindow = (key: readonly string[], startsMs: number, cost: bigint): string => `insert into spend_sum
  (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls, gap_calls)
  values (${key.map((part) => `'${part}'`).join(', ')}, ${startsMs}, ${cost}, 1, 0, 0)
  on conflict (organization, scope, subject, "window", start_ms) do update set
  spent_nano = least(spend_sum.spent_nano, 9223372036854775807 - excluded.spent_nano) + excluded.spent_nano,
  calls = spend_sum.calls + excluded.calls, unknown_calls = spend_sum.unknown_calls + excluded.unknown_calls,
  gap_calls = spend_sum.gap_calls + excluded.gap_calls`;

describe('gateways of the previous version on PostgreSQL', async () => {
  const { context, url, store, newOrganization } = await contractStore(onDefaultCell);
  const draw = drawing(0x0de2_0001);
  const recordsOf = (organization: OrganizationId, count: number): CallRecord[] => Array.from({ length: count }, () => sampleRecord(organization, {
    key: `key_${draw(3)}` as ServiceKeyId, project: draw(2) === 0 ? null : 'p', startedAtMs: startMs - draw(40) * dayMs + draw(dayMs),
    cost: nanoDollars(BigInt(draw(1_000))),
  }));
  const subjectsOf = ({ key, project }: CallRecord) =>
    [['organization', ''], ['key', key], ...(project === null ? [] : [['project', project]])] as [scope: string, subject: string][];
  const shipOlder = (records: readonly CallRecord[]): Promise<void> => context.run(url, records.flatMap((record) =>
    subjectsOf(record).flatMap(([scope, subject]) => calendarWindows.map((window) =>
      byWindow([record.organization, scope, subject, window], windowAt(window, record.startedAtMs).startMs, record.cost!)))));
  const text = async (statement: string, organization: OrganizationId): Promise<string[]> =>
    (await context.query(url, statement, [organization])).map((row) => Object.values(row).map(String).join(' ')).sort();
  const days = (organization: OrganizationId) =>
    text('select scope, subject, day_ms, spent_nano, calls from spend_day where organization = $1', organization);
  const windows = (organization: OrganizationId) =>
    text('select scope, subject, "window", start_ms, spent_nano, calls from spend_sum where organization = $1', organization);
  const inWindows = (records: readonly CallRecord[]): string[] => {
    const sums = new Map<string, { spent: bigint; calls: number }>();
    for (const record of records) {
      for (const [scope, subject] of subjectsOf(record)) {
        for (const window of calendarWindows) {
          const name = [scope, subject, window, windowAt(window, record.startedAtMs).startMs].join(' ');
          const { spent, calls } = sums.get(name) ?? { spent: 0n, calls: 0 };
          sums.set(name, { spent: spent + record.cost!, calls: calls + 1 });
        }
      }
    }
    return [...sums].map(([name, { spent, calls }]) => `${name} ${spent} ${calls}`).sort();
  };
  const inDays = (records: readonly CallRecord[]): string[] =>
    additionsOf(records).map(({ scope, subject, dayMs: day, figures }) => `${scope} ${subject} ${day} ${figures.spent} ${figures.calls}`).sort();

  test('without such a gateway, nothing is written for one', async () => {
    const organization = await newOrganization();
    await store.leases.begin('node_new' as Parameters<typeof store.leases.begin>[0], 'home');
    await store.calls.ship(batchOf('seg_alone', recordsOf(organization, 20)));
    assert.deepEqual(await windows(organization), []);
  });

  test('while one runs, the sums by window and by day cover all records, whoever wrote them', async () => {
    await context.query(url, `insert into gateway_node (id, home, started_at_ms, heard_at_ms, freed) values ('node_old', 'old', 0, 0, 0)`);
    const organization = await newOrganization();
    const records = recordsOf(organization, 120);
    for (let from = 0; from < records.length; from += 30) {
      await store.calls.ship(batchOf(`seg_newer_${from}`, records.slice(from, from + 15)));
      await shipOlder(records.slice(from + 15, from + 30));
    }
    assert.deepEqual(await days(organization), inDays(records));
    assert.deepEqual(await windows(organization), inWindows(records));
  });

  test('removing old records, and an erasure, changes the sums of both', async () => {
    const organization = await newOrganization();
    const records = recordsOf(organization, 60);
    await store.calls.ship(batchOf('seg_going', records));
    await granted(store.organizations.set(organization, { keepRecordsDays: 31 }));
    const nowMs = startMs + 32 * dayMs;
    while ((await store.retention.removeSlice(organization, { nowMs, rowsMax: 7 })).more);
    // Days of the year that is over went with their last record.
    const lasting = (rows: readonly string[]): string[] => rows.filter((row) => !row.includes(' day '));
    assert.deepEqual(lasting(await windows(organization)), lasting(inWindows(records)));
    assert.deepEqual(await text(`select gone_nano - spent_nano as money, gone_calls - calls as calls from spend_sum
      where organization = $1 group by 1, 2`, organization), ['0 0']);
    await granted(store.erasure.begin(organization));
    assert.deepEqual((await windows(organization)).filter((row) => row.startsWith('project')), []);
    assert.ok((await windows(organization)).length > 0);
  });
});
