/** The running product logs a sum of spend that differs from its records, and counts it on `/metrics`. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { serviceForFile } from '../running-product.ts';
import { startLoad } from './metered-load.ts';

const service = serviceForFile();

/** Waits until the product's metrics contain this line. */
async function metric(line: string): Promise<void> {
  let text = '';
  await eventually(async () => {
    text = await (await fetch(`${service.system.opsUrl}/metrics`)).text();
    return text.split('\n').includes(line);
  }, () => `no ${line} in\n${text}`);
}

test('spend changed behind the product\'s back is reported after the next start, with both figures, and calls still work', async () => {
  const load = startLoad(service.system, { name: 'spent', key: service.key, callers: 2 });
  await load.reached(12);
  await load.stop();
  await service.system.calls({ count: load.delivered.size });
  await metric('metergate_spend_differences 0');
  await metric('metergate_records_set_aside_total 0');
  await service.system.kill9();
  const database = new DatabaseSync(join(service.system.dataDirectory, 'metergate.db'));
  const changed = database.prepare("UPDATE spend_day SET spent_nano = spent_nano + 7 WHERE scope = 'key' AND day_ms = -1").run();
  database.close();
  assert.equal(Number(changed.changes), 1);
  service.system = await service.system.restart();
  await metric('metergate_spend_differences 1');
  await service.system.says(
    /The spend kept of key "key_\w+" of org_\w+ over its lifetime is not that of its records: \$0\.\d{9} of \d+ calls is kept/);
  const more = startLoad(service.system, { name: 'after', key: service.key, callers: 1 });
  await more.reached(4);
  await more.stop();
});
