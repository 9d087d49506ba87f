/**
 * Cells on Citus: distributed schemas on two workers, each a separate server. A worker that is away, and a cell that Citus moves while callers
 * with caps use it. Skipped where there is no Citus: `testkit/src/citus.ts` says how to name one.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { citusBin, testCitus, withoutCitus, type TestCitus } from '@metergate/testkit/citus.ts';
import { pauses } from '@metergate/testkit/pauses.ts';
import { schemaMaking, sql, testCells } from './cells-suite.ts';
import { Sharer } from './shared-fixture.ts';

describe('gateway nodes on a store of cells on Citus', { skip: citusBin() === null ? withoutCitus : false }, () => {
  let citus: TestCitus;
  before(async () => { citus = (await testCitus())!; });
  after(() => citus?.stop());

  testCells(async () => ({
    cellCount: 2,
    making: (schema) => [...schemaMaking(schema), `select 1 from pg_dist_schema where schemaid = to_regnamespace('${schema}')`],
    createDatabase: () => citus.createDatabase(),
    async takeAway(url, schema) {
      const worker = await citus.workerOf(url, schema);
      await worker.pause();
      return () => worker.resume();
    },
    stop: async () => {},
  }), (running) => {
    test('a cell that Citus moves to another worker under load loses and doubles nothing, and no cap is exceeded', async () => {
      const { cluster, store, cells, nodes } = running();
      const [, moved] = cells.all;
      await sql(cluster.databaseUrl, "update cell set state = 'open'");
      let sharer: Sharer;
      do sharer = await Sharer.of(cluster, store, `moved ${Math.random()}`); while ((await cells.of(sharer.id)).name !== moved!.name);
      await sharer.cap(100_000);
      for (const node of nodes) await sharer.admitted(node, 1);
      const from = await citus.workerOf(cluster.databaseUrl, moved!.name);
      const to = citus.workers.find((worker) => worker !== from)!;
      const calling = new AbortController();
      const refused = new Map<string, number>();
      let longestMs = 0;
      const callers = Array.from({ length: 20 }, async (_, at) => {
        let sinceMs: number | null = null;
        while (!calling.signal.aborted) {
          const { status, code } = await sharer.call(nodes[at % nodes.length]!, 1);
          if (status === 200) sinceMs = null;
          else {
            sinceMs ??= performance.now();
            longestMs = Math.max(longestMs, performance.now() - sinceMs);
            refused.set(code, (refused.get(code) ?? 0) + 1);
          }
        }
      });
      const before = sharer.answered;
      await citus.move(cluster.databaseUrl, moved!.name, to);
      const during = sharer.answered - before;
      calling.abort();
      await Promise.all(callers);
      assert.equal(await citus.workerOf(cluster.databaseUrl, moved!.name), to);
      assert.deepEqual([...refused.keys()].filter((code) => code !== 'budget_unverifiable'), []);
      const { sum, cap, records } = await sharer.spent();
      assert.deepEqual([records, sum, cap], [sharer.answered, sharer.answered, sharer.answered]);
      assert.deepEqual((await store.spendReconciler.reconcile(async () => true))!.differences, []);
      console.log(`# moved under load: ${during} calls meanwhile, refused ${JSON.stringify([...refused])}, longest ${Math.round(longestMs)} ms`);
    });

    test('while the coordinator is away calls without caps are served, those under caps refused, and nothing is lost', async () => {
      const { cluster, store, nodes } = running();
      const [capped, free] = [await Sharer.of(cluster, store, 'capped, away'), await Sharer.of(cluster, store, 'without caps, away')];
      await capped.cap(1_000);
      for (const node of nodes) for (const sharer of [capped, free]) await sharer.admitted(node, 1);
      await citus.coordinator.pause();
      try {
        for (const node of nodes) for (let count = 0; count < 5; count += 1) assert.equal((await free.call(node, 1)).status, 200);
        const pause = pauses();
        for (const deadlineMs = performance.now() + 30_000; ; await pause()) {
          const { status, code } = await capped.call(nodes[0]!, 1);
          if (status === 503) {
            assert.equal(code, 'budget_unverifiable');
            break;
          }
          assert.ok(performance.now() < deadlineMs, `${status} ${code}`);
        }
      } finally {
        await citus.coordinator.resume();
      }
      for (const node of nodes) await capped.admitted(node, 1);
      const { records, sum, cap } = await capped.spent();
      assert.deepEqual([records, sum, cap], [capped.answered, capped.answered, capped.answered]);
      assert.equal((await free.spent()).records, free.answered);
    });
  });
});
