/** When calls began is read from their ids, for each organization. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { freshRequestId, idTakenMs } from '../callers/request-ids.ts';
import { begunCallsOf } from './begun-calls.ts';

test('the oldest of all is reported, and the oldest of each organization that began in an earlier month', () => {
  const nowMs = Date.UTC(2026, 10, 24);
  const [acme, zeta] = ['org_acme', 'org_zeta'] as [OrganizationId, OrganizationId];
  const open = ([[acme, 5], [acme, 86_400_000], [zeta, 30 * 86_400_000], [zeta, 29 * 86_400_000]] as const)
    .map(([organization, agoMs]) => ({ organization, id: freshRequestId(nowMs - agoMs) }));
  const { oldestCallMs, earlierCalls } = begunCallsOf(open, nowMs);
  assert.equal(oldestCallMs, idTakenMs(open[2]!.id, nowMs));
  assert.deepEqual(earlierCalls.oldestMs, { [zeta]: oldestCallMs });
  assert.equal(begunCallsOf([], nowMs).oldestCallMs, null);
});
