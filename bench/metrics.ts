/**
 * `node bench/metrics.ts`: processor time that counting for `/metrics` adds to a call, alone in one process. Nothing else about metrics is on a
 * call's path: the page is made on request. Calls end in a few different ways, as they do behind a gateway.
 */
import { CallMetrics } from '@metergate/gateway/metrics/call-metrics.ts';
import { sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import type { OrganizationId } from '@metergate/core/id.ts';

const calls = 1_000_000;
const records = Array.from({ length: 1_000 }, (_, index) => sampleRecord('org_bench' as OrganizationId, {
  inputTokens: 10 + index, outputTokens: index, firstByteMs: index / 3, durationMs: index, costGaps: [],
  outcome: index % 50 === 0 ? 'cut' : 'completed',
}));
const metrics = new CallMetrics();
for (let round = 0; round < 4; round += 1) {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) metrics.recorded(records[call % records.length]!, 0.2);
  const { user, system } = process.cpuUsage(before);
  console.log(`${round === 0 ? 'warming up' : 'counting  '}  ${((user + system) / calls).toFixed(3)} us a call`);
}
const counted = metrics.snapshot().calls.reduce((sum, { calls: each }) => sum + each, 0);
if (counted !== 4 * calls) {
  console.error(`FAILED: ${counted} calls were counted`);
  process.exitCode = 1;
}
