/**
 * `node bench/upgrade.ts [--records 200000] [--from 18] [--engine sqlite]`: how long an older store takes to be upgraded, in all and by step. The
 * processor time is that of this process: all of an upgrade on SQLite. The records are made by SQL from a kept one: with as many keys, models and
 * days as a year of a small company has.
 */
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { upgradeStep } from '@metergate/store/schema/migrations/upgrade-steps.ts';
import { olderStore } from '@metergate/store/schema/test-support/older-store.ts';
import { openStore } from '@metergate/store/store.ts';
import { postgresFixture, sqliteFixture, testMasterKey } from '@metergate/store/test-support/contract-fixture.ts';

const { values } = parseArgs({ options: {
  records: { type: 'string', default: '200000' }, from: { type: 'string', default: '18' }, engine: { type: 'string', default: 'sqlite' },
} });
const fixture = values.engine === 'sqlite' ? sqliteFixture() : await postgresFixture();
try {
  const url = await olderStore(fixture, Number(values.from));
  const all = (await fixture.query(url, `select * from call_record limit 1`))[0]!;
  const columns = Object.keys(all).filter((name) => name !== 'sequence');
  const text = (number: string): string => (values.engine === 'sqlite' ? `printf('%032x', ${number})` : `lpad(to_hex(${number}), 32, '0')`);
  const drawn: Readonly<Record<string, string>> = {
    id: `'req_' || ${text('n + 16')}`, started_at_ms: '1767225600000 + n * cast(31000 as bigint)', model: `'model-' || (n % 7)`,
    key: `'key_' || (n % 25)`, labels: `'["team-' || (n % 9) || '","env-' || (n % 3) || '"]'`,
    receipt_sequence: 'null', receipt_hash: 'null', receipt_words: 'null',
  };
  const made = columns.map((name) => drawn[name] ?? name);
  const numbers = values.engine === 'sqlite'
    ? `(with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${Number(values.records) - 1}) select n from numbers)`
    : `generate_series(0, ${Number(values.records) - 1}) as`;
  await fixture.run(url, [`insert into call_record (${columns.join(', ')}) select ${made.join(', ')} from (select * from call_record limit 1) as one
    cross join ${numbers} ${values.engine === 'sqlite' ? 'as numbers' : 'numbers(n)'}`]);
  const steps: { at: number | null; ms: number }[] = [];
  const beganMs = performance.now();
  const begunCpu = process.cpuUsage();
  let atMs = beganMs;
  let at: number | null | undefined;
  const passed = (): void => {
    if (at !== undefined) steps.push({ at, ms: performance.now() - atMs });
    atMs = performance.now();
  };
  const store = await openStore({
    url, masterKey: testMasterKey, clock: Date.now, randomBytes, create: true,
    progress(progress) {
      passed();
      at = progress.at;
    },
  });
  passed();
  await store.close();
  const { user, system } = process.cpuUsage(begunCpu);
  const took = `${((performance.now() - beganMs) / 1_000).toFixed(1)} s, of these ${((user + system) / 1_000_000).toFixed(1)} s of processor time`;
  console.log(`${values.records} records from schema ${values.from} on ${values.engine}: ${took}`);
  for (const each of steps.filter(({ ms }) => ms > 50)) {
    const words = each.at === null ? '' : upgradeStep(each.at).words;
    const us = (each.ms * 1_000 / Number(values.records)).toFixed(1);
    console.log(`  ${each.at ?? 'indexes'}  ${(each.ms / 1_000).toFixed(2)} s  ${us} us a record  ${words}`);
  }
} finally {
  await fixture.end();
}
