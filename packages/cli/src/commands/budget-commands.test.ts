/** Budgets of months by the command and over HTTP, of a person's keys too, and the events that webhooks get of them. docs/alerts.md. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { freshSqlite, granted, platformFixture } from '@metergate/platform/http/test-support/platform-fixture.ts';
import { createServiceKey } from '@metergate/platform/use-cases/service-keys.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { ownStore, type OwnStore } from '../test-support/own-store.ts';

let own: OwnStore;
const nowMs = Date.UTC(2026, 10, 11);
const calls = (organization: OrganizationId, key?: ServiceKeyId) => [4, 9].map((day) => sampleRecord(organization, {
  startedAtMs: Date.UTC(2026, 10, day), project: 'web', labels: ['team:ads'], cost: nanoDollars(3_000_000_000n),
  ...(key === undefined ? {} : { key }),
}));

before(async () => {
  own = await ownStore(() => nowMs);
  const { id } = await own.json(['org', 'create', 'acme']) as { id: OrganizationId };
  await own.inStore((store) => store.calls.ship(batchOf('seg_budget', calls(id))));
});
after(() => own?.end());

test('a budget is set, listed with what was spent and is expected, and removed', async () => {
  assert.match((await own.run(['budget', 'list', '--org', 'acme'])).stdout, /no budgets in this month/);
  const made = await own.json(['budget', 'set', '--org', 'acme', '--scope', 'label', '--subject', 'team:ads', '--amount', '20', '--at', '50,100']) as
    { id: string };
  assert.match((await own.run(['budget', 'set', '--org', 'acme', '--scope', 'organization', '--amount', '6', '--month', '2026-11'])).stdout,
    /organization +- +2026-11 +6 +6 +36 +spent/);
  const listed = await own.json(['budget', 'list', '--org', 'acme']) as { scope: string; spent: string; expected: string; state: string }[];
  // Three dollars since the 9th, which is two days; twenty are left.
  assert.deepEqual(listed.map(({ scope, spent, expected, state }) => [scope, spent, expected, state]), [
    ['organization', '6.000000000', '36.000000000', 'spent'], ['label', '6.000000000', '36.000000000', 'over_expected'],
  ]);
  assert.match((await own.run(['budget', 'list', '--org', 'acme'])).stdout, /label +team:ads +2026-11 +20 +6 +36 +more is expected +0/);
  assert.equal((await own.json(['budget', 'list', '--org', 'acme', '--month', '2026-12']) as unknown[]).length, 1);
  await own.json(['budget', 'remove', made.id]);
  assert.match((await own.run(['budget', 'remove', made.id])).stderr, /no budget with this id/);
  assert.match((await own.run(['audit', 'list', '--org', 'acme'])).stdout, /removeBudget[^]*setBudget/);
});

test('each wrong input is named', async () => {
  const said = async (...args: string[]): Promise<string> => (await own.run(['budget', 'set', '--org', 'acme', ...args])).stderr;
  assert.match(await said('--scope', 'label', '--amount', '1'), /--subject names the project, person or label/);
  assert.match(await said('--scope', 'organization', '--subject', 'x', '--amount', '1'), /left out for the organization/);
  assert.match(await said('--scope', 'organization', '--amount', '1,5'), /--amount must be/);
  assert.match(await said('--scope', 'organization', '--amount', '1', '--month', '2026-13'), /--month must be/);
  assert.match(await said('--scope', 'organization', '--amount', '1', '--at', '0'), /--at must be/);
});

test('over HTTP admins set and remove them; those of a person count the calls of their keys', async () => {
  const place = freshSqlite();
  const platform = await platformFixture(place.url);
  try {
    const acme = await platform.organization('acme');
    const context = { store: platform.store, randomBytes: platform.parts.randomBytes, nowMs: Date.now() };
    const { id: key } = granted(await createServiceKey(context, { organization: acme.id, name: 'hers', person: acme.emails.member }));
    await platform.store.calls.ship(batchOf('seg_http', [...calls(acme.id, key as ServiceKeyId), ...calls(acme.id)]));
    const ask = (path: string, token: string, body?: unknown) =>
      platform.ask(`/platform/v1/month-budgets${path}`, { token, ...(body === undefined ? {} : { method: 'POST', body }) });
    const wanted = { scope: 'person', subject: acme.emails.member.toUpperCase(), amount: '10', month: '2026-11' };
    assert.equal((await ask('', acme.tokens.member, wanted)).status, 403);
    const made = await ask('', acme.tokens.admin, wanted);
    assert.deepEqual([made.status, made.body['subject'], made.body['spent']], [201, acme.emails.member, '6.000000000']);
    const seen = async (token: string) => (await ask('?month=2026-11', token)).body['data'];
    assert.deepEqual([await seen(acme.tokens.admin), await seen(acme.tokens.viewer)], [[made.body], []], 'only admins and the person');
    assert.equal((await ask('', acme.tokens.admin, { ...wanted, subject: null })).status, 400);
    const other = await platform.organization('other');
    const remove = (token: string) => platform.ask(`/platform/v1/month-budgets/${String(made.body['id'])}`, { token, method: 'DELETE' });
    assert.equal((await remove(other.tokens.owner)).status, 404);
    assert.equal((await remove(acme.tokens.admin)).status, 200);
  } finally {
    await platform.end();
    place.remove();
  }
});
