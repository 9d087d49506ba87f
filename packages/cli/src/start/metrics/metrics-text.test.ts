/** `/metrics` is as long with a hundred thousand organizations as with one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GatewayThreadMetrics } from '@metergate/gateway/gateway-thread.ts';
import { CallMetrics } from '@metergate/gateway/metrics/call-metrics.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { metricsWriter } from './metrics-text.ts';

/** The names of all series after this many organizations have called, each with its own key, model and run. */
async function seriesAfter(organizations: number): Promise<string[]> {
  const calls = new CallMetrics();
  for (let at = 0; at < organizations; at += 1) {
    calls.recorded({
      id: `req_${at}`, organization: `org_${at}`, key: `key_${at}`, project: `project ${at}`, labels: [`label ${at}`], run: `run ${at}`,
      wire: 'openai', endpoint: 'chat.completions', method: 'POST', path: `/v1/${at}`, status: 200, outcome: 'completed', model: `model ${at}`,
      usage: 'reported', usageReason: null, inputTokens: at, outputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0,
      cost: BigInt(at), costGaps: [], costSource: 'priced', firstByteMs: 1, durationMs: 2,
    } as unknown as CallRecord, 1);
  }
  const metrics = {
    calls: calls.snapshot(), journal: { opened: 0, closed: 0, commits: 0, commitFailures: 0, waiting: 0 }, leases: null,
    inFlight: 0, forwarded: 0, refused: 0, faults: 0, heldBodyBytes: 0, drains: 0, held: { calls: 0 },
    webSockets: { opened: 0, fromCallers: 0, fromProviders: 0, closes: new Map([[1012, 1]]) },
    upstreamPools: 0, snapshotAgeMs: 0, eventLoopDelayMs: 0,
    rateLimitFaults: 0, liveRuns: 0, clockStepMs: 0,
  } as unknown as GatewayThreadMetrics;
  const write = metricsWriter({
    runtime: { version: 'v0', belowFloor: false }, traces: () => null, ownCalls: () => ({ tookMs: 3, isTrusted: true }), threads: () => ({}),
    caps: () => ({ reached: organizations, near: organizations }),
    retention: () => ({ records: organizations, events: organizations, behindMs: organizations }),
    proofs: () => ({ differences: organizations, mended: organizations, provedMs: organizations }),
    platformBytes: () => 104_857_600,
    settling: () => ({ settled: organizations, asked: { settled: 1, waiting: 1, over: 1, held: organizations } }),
    prices: () => ({ listAgeMs: organizations, feedFailingMs: organizations }),
    gateway: () => ({
      metrics: async () => metrics,
      journalDisk: () => ({ bytes: 5, freeBytes: 7 }),
      storeFigures: () => ({
        recordsSetAside: 0, setAsideOf: [], spendDifferences: 0, cellsAway: 0,
        rowsShipped: organizations, recordsShipped: organizations, shippedMs: 0,
      }),
    }),
  });
  return (await write()).text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.slice(0, line.lastIndexOf(' ')));
}

test('the series are the same after one organization and after 100,000', async () => {
  const one = await seriesAfter(1);
  assert.ok(one.includes('metergate_organizations_near_cap{state="near"}') && one.includes('metergate_ship_lag_seconds'));
  assert.ok(one.includes('metergate_journal_bytes') && one.includes('metergate_journal_free_bytes'));
  assert.deepEqual(await seriesAfter(100_000), one);
});
