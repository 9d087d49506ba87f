/** `metergate allocation` on a separate store: rules from the configuration file, what each team pays, and what other rules would move. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { ownStore, type OwnStore } from '../test-support/own-store.ts';

let own: OwnStore;
const rules = `allocation:
  rules:
    - byLabel: "team:*"
  markup: 10
  currency: { code: EUR, rate: 0.5, date: 2026-10-31 }
  accounts:
    - { team: search, account: "6400", costCentre: CC-1 }
`;
const file = (name: string, text: string): void => writeFileSync(join(own.directory, name), text);

before(async () => {
  own = await ownStore(() => Date.UTC(2026, 10, 20));
  const { id } = await own.json(['org', 'create', 'acme']) as { id: OrganizationId };
  const call = (label: string | null, cost: bigint) =>
    sampleRecord(id, { labels: label === null ? [] : [label], startedAtMs: Date.UTC(2026, 9, 2), cost: nanoDollars(cost) });
  await own.inStore((store) => store.calls.ship(batchOf('seg_teams',
    [call('team:search', 2_000_000_000n), call('team:ads', 1_000_000_000n), call(null, 500_000_000n)])));
  file('rules.yaml', rules);
});
after(() => own?.end());

test('rules are applied from the configuration file and exported again; every team pays by them, closed or not', async () => {
  assert.match((await own.run(['allocation', 'show', '--org', 'acme', '--month', '2026-10'])).stderr, /There are no rules of allocation/);
  await own.json(['apply', '-f', 'rules.yaml', '--org', 'acme', '--yes']);
  assert.match((await own.run(['apply', '-f', 'rules.yaml', '--org', 'acme', '--yes'])).stdout, /Nothing to do/);
  assert.match((await own.run(['export-config', '--org', 'acme'])).stdout, /byLabel: team:\*[^]*costCentre: CC-1/);
  assert.match((await own.run(['allocation', 'show', '--org', 'acme'])).stdout, /byLabel: team:\*[^]*# SHA-256 [0-9a-f]{64}/);
  const shown = await own.run(['allocation', 'show', '--org', 'acme', '--month', '2026-10']);
  assert.match(shown.stdout, /search +6400 +CC-1 +1 +0 +2 +0\.2 +2\.2 +1\.1\n/);
  assert.match(shown.stdout, /\(unallocated\) .*0\.5 +0\.05 +0\.55 +0\.275/);
  const open = await own.json(['allocation', 'show', '--org', 'acme', '--month', '2026-10']) as { totals: unknown };
  await own.json(['month', 'close', '2026-10', '--org', 'acme']);
  file('none.yaml', 'allocation: null\n');
  await own.json(['apply', '-f', 'none.yaml', '--org', 'acme', '--yes']);
  const closed = await own.json(['allocation', 'show', '--org', 'acme', '--month', '2026-10']) as { state: string; totals: unknown };
  assert.deepEqual([closed.state, closed.totals], ['closed', open.totals]);
});

test('other rules are tried without a change; a file that is wrong is refused with its line', async () => {
  file('other.yaml', 'allocation:\n  rules:\n    - labels: ["team:ads"]\n      team: search\n    - byLabel: "team:*"\n');
  const { stdout } = await own.run(['allocation', 'try', 'other.yaml', '--org', 'acme', '--month', '2026-10']);
  assert.match(stdout, /ads +1 +- +-1\n/);
  assert.match(stdout, /1 of 3\.5 USD of 2026-10 would go to another team\. Nothing was changed/);
  file('wrong.yaml', 'allocation:\n  rules:\n    - keys: [a]\n    - byLabel: team\n');
  const wrong = await own.run(['allocation', 'try', 'wrong.yaml', '--org', 'acme', '--month', '2026-10']);
  assert.match(wrong.stderr, /line 3: allocation\.rules\[0\]: A rule says who pays/);
  assert.match(wrong.stderr, /line 4: allocation\.rules\[1\]\.byLabel: byLabel must be the beginning/);
  file('empty.yaml', 'keys: []\n');
  assert.match((await own.run(['allocation', 'try', 'empty.yaml', '--org', 'acme', '--month', '2026-10'])).stderr, /no section allocation/);
});
