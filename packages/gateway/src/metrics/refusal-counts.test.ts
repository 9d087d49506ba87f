/** Refusals are counted by whose they were, why and when; memory is bounded, whatever keys and organizations there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import type { RefusalReason } from '@metergate/core/report/refusal-count.ts';
import { RefusalCounts } from './refusal-counts.ts';

const [org, other] = ['org_a', 'org_b'] as unknown as readonly [OrganizationId, OrganizationId];
const key = (number: number): ServiceKeyId => `key_${number}` as ServiceKeyId;
const limited: RefusalReason = { code: 'rate_limit_exceeded', scope: null, window: null };
const capped: RefusalReason = { code: 'budget_exceeded', scope: 'organization', window: 'month' };
const hour = 3_600_000;

test('alike ones are one count; another key, reason or hour is another', () => {
  const counts = new RefusalCounts();
  for (const at of [0, 1, hour - 1, hour]) counts.add(org, key(1), limited, at);
  counts.add(org, key(2), limited, 0);
  counts.add(org, key(1), capped, 5);
  counts.add(other, key(1), limited, 0);
  assert.deepEqual(counts.taken().map(({ organization, key: of, code, hourMs, refusals }) => [organization, of, code, hourMs, refusals]), [
    [org, 'key_1', 'rate_limit_exceeded', 0, 3], [org, 'key_1', 'rate_limit_exceeded', hour, 1], [org, 'key_2', 'rate_limit_exceeded', 0, 1],
    [org, 'key_1', 'budget_exceeded', 0, 1], [other, 'key_1', 'rate_limit_exceeded', 0, 1],
  ]);
});

test('counts that were taken are reset', () => {
  const counts = new RefusalCounts();
  counts.add(org, key(1), limited, 0);
  assert.equal(counts.taken().length, 1);
  assert.deepEqual(counts.taken(), []);
});

test('beyond the bound keys are counted together, no count of a known one is lost, and a flood of organizations takes no more memory', () => {
  const counts = new RefusalCounts(3);
  for (let each = 0; each < 10; each += 1) counts.add(org, key(each), limited, 0);
  counts.add(org, key(1), limited, 0);
  for (let each = 0; each < 100; each += 1) counts.add(`org_${each}` as OrganizationId, key(each), limited, 0);
  const taken = counts.taken();
  assert.equal(taken.length, 6);
  assert.deepEqual(taken.slice(0, 4).map(({ key: of, refusals }) => [of, refusals]), [['key_0', 1], ['key_1', 2], ['key_2', 1], [null, 7]]);
});
