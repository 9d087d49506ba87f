/**
 * Drawn connections to the running product: whatever callers and providers do, all that the gateway held for them is given back, and the
 * next call is served. `METERGATE_DRAWS_TIMES=500` makes 300,000 of them; `METERGATE_DRAWS_SEED` other ones (decision 0099).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { wholeMetrics } from '@metergate/testkit/whole-metrics.ts';
import { serviceForFile } from '../running-product.ts';
import { assertServes } from './aftermath.ts';
import { answerAsDrawn, connectAsDrawn, drawnConnection } from './drawn-connections.ts';

const service = serviceForFile({}, async ({ system }) => {
  await system.declareUpstream();
  // What a run's budget covers is otherwise read on for ten minutes where the provider is silent.
  assert.equal((await system.cli(['org', 'set', 'default', '--drain', '2', '--json'])).code, 0);
});
const perRound = 300;
const atOnce = 50;

async function faults(): Promise<number> {
  return Number(/^metergate_faults_total (\S+)$/m.exec(await wholeMetrics(service.system))![1]);
}

test('after drawn connections nothing is held, no fault of ours is counted, and calls are served', async () => {
  const { system, key } = service;
  const providers = [system.openai, system.anthropic, system.upstream];
  for (const provider of providers) provider.keepBodies(false);
  const all = draws(600);
  const seed = fc.readConfigureGlobal().seed ?? 1;
  for (let from = 0; from < all; from += perRound) {
    for (const provider of providers) {
      provider.respond(answerAsDrawn);
      provider.requests.length = 0;
    }
    const fresh = [(await system.createKey()).key, (await system.createKey()).key];
    const plans = fc.sample(drawnConnection, { numRuns: Math.min(perRound, all - from), seed: seed + from });
    const next = plans.values();
    const caller = async (): Promise<void> => {
      for (const plan of next) await connectAsDrawn(system.gatewayUrl, plan, { known: key, fresh });
    };
    await Promise.all(Array.from({ length: atOnce }, caller));
    // Often enough that what is left is known by the few hundred connections before it.
    if (from % (perRound * 10) === 0) await system.assertAtRest();
  }
  await system.assertAtRest();
  assert.equal(await faults(), 0);
  await assertServes(service);
});
