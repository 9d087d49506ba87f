/** Sums of hours, the same on SQLite and on a real PostgreSQL server: they equal the records, in whatever batches these come. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import { sampleRecord } from '../test-support/contract-fixture.ts';

const contractStore = contractStores();
const hourMs = 3_600_000;
const firstMs = Date.UTC(2026, 8, 1);

for (const on of bothEngines) {
  describe(`sums of hours on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);

    test('days and hours come to what the records say', async () => {
      const organization = await newOrganization();
      const records = Array.from({ length: 60 }, (_, index) => sampleRecord(organization, {
        startedAtMs: firstMs + index * hourMs + 1, cost: nanoDollars(BigInt(index)), inputTokens: 10, status: index % 10 === 0 ? 503 : 200,
        durationMs: 100,
      }));
      for (const [batch, from] of [[1, 0], [2, 25]] as const) {
        await store.calls.ship({
          segment: `hours-${organization}-${batch}`, through: 100,
          records: records.slice(from, batch === 1 ? 25 : 60).map((record, index) => ({ seq: index + 1, record })),
        });
      }
      const query = { organization, fromMs: firstMs, toMs: firstMs + 72 * hourMs };
      const hours = await store.hourReports.steps({ ...query, stepMs: hourMs });
      assert.equal(hours.size, 60);
      assert.deepEqual([hours.get(firstMs + 7 * hourMs)?.get('calls'), hours.get(firstMs + 7 * hourMs)?.get('cost')], [1n, 7n]);
      const days = await store.hourReports.steps({ ...query, stepMs: 24 * hourMs });
      assert.deepEqual([...days.values()].map((figures) => figures.get('calls')), [24n, 24n, 12n]);
      assert.deepEqual([...days.values()].map((figures) => figures.get('errors')), [3n, 2n, 1n]);
      assert.equal([...days.values()].reduce((sum, figures) => sum + figures.get('cost')!, 0n), 1_770n);
    });
  });
}
