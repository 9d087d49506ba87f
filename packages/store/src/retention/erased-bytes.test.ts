/** SQLite's files contain no words of an erased organization, whatever SQLite moved before (rule 23). */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { openEngine } from '../engine/engine.ts';
import { batchOf, drawing, sampleRecord, startMs } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const word = 'CANARY';

describe('erased words', async () => {
  const { url, store, another, newOrganization } = await contractStore(bothEngines[0]!);
  const draw = drawing(7);

  function recordOf(organization: OrganizationId, of: string, number: number) {
    const named = (kind: string): string => `${of}-${kind}-${draw(97)}`;
    return sampleRecord(organization, {
      project: named('project'), labels: [named('label'), named('tag')], run: named('run'), startedAtMs: startMs + number * 1_000,
    });
  }

  function copies(): number {
    const file = url.replace(/^sqlite:/, '');
    return [file, `${file}-wal`].filter((path) => existsSync(path))
      .reduce((sum, path) => sum + readFileSync(path, 'latin1').split(word).length - 1, 0);
  }

  test('are nowhere in the file or its log, though their pages were split many times', async () => {
    const organizations = [await newOrganization(), await newOrganization(), await newOrganization()];
    for (let batch = 0; batch < 8; batch += 1) {
      const records = Array.from({ length: 200 }, (_, at) => {
        const place = draw(3);
        return recordOf(organizations[place]!, place === 1 ? word : 'plain', batch * 200 + at);
      });
      await store.calls.ship(batchOf('seg_words', records, batch * 200 + 1));
    }
    assert.ok(copies() > 1_000);
    // As the platform does it, on a separate connection.
    const { erasure } = await another();
    await erasure.begin(organizations[1]!);
    while (await erasure.eraseSlice());
    assert.equal(await erasure.settle(), true);
    assert.equal(copies(), 0);
  });

  test('are handled once: a start does not rewrite the file for an old erasure', async () => {
    const before = readFileSync(url.replace(/^sqlite:/, ''));
    const { erasure } = await another();
    assert.equal(await erasure.settle(), true);
    assert.ok(before.equals(readFileSync(url.replace(/^sqlite:/, ''))));
  });

  test('are not settled while somebody writes, and nobody waits for that', async () => {
    await store.erasure.begin(await newOrganization());
    while (await store.erasure.eraseSlice());
    const writer = await openEngine(url, { create: false });
    const { erasure } = await another();
    await writer.write(async (transaction) => {
      await transaction.updateTable('revision').set({ value: 1n }).where('value', '<', 0n).execute();
      assert.equal(await erasure.settle(), false);
    });
    await writer.close();
    assert.equal(await erasure.settle(), true);
  });
});
