/**
 * `kill -9` of the whole product under load, again and again (reliability F1): what was delivered is recorded with its figure, what a
 * provider saw is recorded, and nothing is recorded twice. Some rounds in every test run; METERGATE_KILL_ROUNDS=100 for all of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceForFile } from '../../running-product.ts';
import { assertCounted, startLoad } from '../metered-load.ts';

/** By default as many rounds as a machine that runs two other files did in nine seconds. */
const rounds = Number(process.env['METERGATE_KILL_ROUNDS'] ?? 12);
const callers = 12;
const service = serviceForFile();

test('killed at any instant, nothing is lost and nothing is counted twice (F1)', { timeout: 3_600_000 }, async (t) => {
  const totals = { rounds: 0, seen: 0, delivered: 0, interrupted: 0 };
  while (totals.rounds < rounds) {
    const load = startLoad(service.system, { name: `kill${totals.rounds}`, key: service.key, callers });
    // The instant is a number of answers, not a time: so a slow machine is killed at the same points.
    await load.reached(1 + Math.floor(Math.random() * 150));
    await service.system.kill9();
    await load.stop();
    service.system = await service.system.restart();
    const records = assertCounted(load, await service.system.calls({ count: 0 }), callers);
    assert.ok(load.delivered.size > 0);
    totals.rounds += 1;
    totals.seen += load.seen.length;
    totals.delivered += load.delivered.size;
    totals.interrupted += [...records.values()].filter(({ outcome }) => outcome === 'interrupted').length;
  }
  t.diagnostic(JSON.stringify(totals));
});
