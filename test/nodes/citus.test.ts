/**
 * Cells on Citus: distributed schemas on two workers, each a separate server. A worker that is away, and a cell that Citus moves while callers
 * with caps use it. Skipped where there is no Citus: `testkit/src/citus.ts` says how to name one.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { citusBin, testCitus, withoutCitus, type TestCitus } from '@metergate/testkit/citus.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
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

    test('the coordinator stops and starts under callers: calls without caps go on, those under caps once it is back, nothing is lost', async () => {
      const { cluster, store, nodes } = running();
      const [capped, free] = [await Sharer.of(cluster, store, 'capped, away'), await Sharer.of(cluster, store, 'without caps, away')];
      await capped.cap(1_000_000);
      for (const node of nodes) for (const sharer of [capped, free]) await sharer.admitted(node, 1);
      const calling = new AbortController();
      const answers = { capped: new Map<string, number>(), free: new Map<string, number>() };
      const longestMs = { capped: 0, free: 0 };
      const callers = Array.from({ length: 12 }, async (_, at) => {
        const [whose, sharer] = at % 3 === 0 ? ['capped', capped] as const : ['free', free] as const;
        let sinceMs: number | null = null;
        while (!calling.signal.aborted) {
          const { status, code } = await sharer.call(nodes[at % nodes.length]!, 1, {}, 20);
          if (status === 200) sinceMs = null;
          else longestMs[whose] = Math.max(longestMs[whose], performance.now() - (sinceMs ??= performance.now()));
          answers[whose].set(code, (answers[whose].get(code) ?? 0) + 1);
        }
      });
      const until = (seen: () => boolean): Promise<true> => eventually(seen, () => JSON.stringify([...answers.capped]));
      await citus.coordinator.pause();
      let freeMeanwhile: number;
      let awayMs = performance.now();
      try {
        await until(() => answers.capped.has('budget_unverifiable'));
        const before = free.answered;
        await until(() => free.answered >= before + 100);
        freeMeanwhile = free.answered - before;
      } finally {
        await citus.coordinator.resume();
      }
      awayMs = performance.now() - awayMs;
      const [backMs, then] = [performance.now(), capped.answered];
      await until(() => capped.answered > then + 8);
      const servedAfterMs = performance.now() - backMs;
      calling.abort();
      await Promise.all(callers);
      assert.deepEqual([...answers.free.keys()], ['ok'], 'calls without caps wait for no store');
      assert.deepEqual([...answers.capped.keys()].filter((code) => code !== 'ok'), ['budget_unverifiable']);
      for (const sharer of [capped, free]) {
        const { records, sum } = await sharer.spent();
        assert.deepEqual([records, sum], [sharer.answered, sharer.answered]);
      }
      assert.equal((await capped.spent()).cap, capped.answered);
      assert.deepEqual((await store.spendReconciler.reconcile(async () => true))!.differences, []);
      console.log(`# coordinator away for ${Math.round(awayMs)} ms: ${freeMeanwhile} calls without caps after the first refusal, capped `
        + `${JSON.stringify([...answers.capped])}, longest without an answer of 200 ${Math.round(longestMs.capped)} ms, nine more capped calls `
        + `${Math.round(servedAfterMs)} ms after it was back`);
    });
  });
});
