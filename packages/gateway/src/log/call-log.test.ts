/** Refusals are logged once for each code and second, with the number left out; with the access log on, every call and refusal has a line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId, RequestId } from '@metergate/core/id.ts';
import { sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { CallLog, type LogLine } from './call-log.ts';

function fixture(access: boolean) {
  const lines: LogLine[] = [];
  const due: (() => void)[] = [];
  const clock = { nowMs: 0 };
  const log = new CallLog({ access, post: (said) => lines.push(...said), monotonicMs: () => clock.nowMs, later: (flush) => due.push(flush) });
  const refused = (code: string): void => log.refused({ id: 'req_1' as RequestId, answerId: 'req_2', code, organization: null, key: null });
  return { lines, clock, log, refused, due, settle: () => due.splice(0).forEach((flush) => flush()) };
}

test('a storm of refusals is logged as one line per code and second, with the number of those not logged', () => {
  const { lines, clock, refused, settle } = fixture(false);
  for (let each = 0; each < 1_000; each += 1) refused('rate_limit_exceeded');
  refused('invalid_api_key');
  clock.nowMs = 1_000;
  refused('rate_limit_exceeded');
  settle();
  assert.deepEqual(lines.map((line) => line.event === 'refusal' && [line.code, line.notShown]),
    [['rate_limit_exceeded', 0], ['invalid_api_key', 0], ['rate_limit_exceeded', 999]]);
});

test('calls have lines only if they are switched on, and lines are sent together', () => {
  const quiet = fixture(false);
  quiet.log.ended(sampleRecord('org_a' as OrganizationId));
  assert.equal(quiet.due.length, 0);
  const { lines, log, refused, due, settle } = fixture(true);
  log.ended(sampleRecord('org_a' as OrganizationId, { labels: ['canary'], project: 'canary', path: '/canary', run: 'canary' }));
  for (let each = 0; each < 3; each += 1) refused('budget_exceeded');
  assert.deepEqual([due.length, lines.length], [1, 0]);
  settle();
  assert.deepEqual(lines.map(({ event }) => event), ['call', 'refusal', 'refusal', 'refusal']);
  assert.doesNotMatch(JSON.stringify(lines), /canary/);
});

test('a flood of lines does not wait in memory', () => {
  const { lines, log } = fixture(true);
  for (let each = 0; each < 1_200; each += 1) log.ended(sampleRecord('org_a' as OrganizationId));
  assert.equal(lines.length, 1_000);
  log.flush();
  assert.equal(lines.length, 1_200);
});
