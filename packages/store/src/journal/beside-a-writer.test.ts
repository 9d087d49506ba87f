/** A shipper on another thread than a writer that is never idle and whose disk fails now and then: each call once, and nothing taken for damage. */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { CallSink } from './call-sink.ts';
import { ensureJournalDirectory } from './segment-files.ts';
import { createShipper } from './shipper.ts';
import { filesOfUsedSegments, testDirectory } from './test-support/journal-fixture.ts';

for (const [sync, calls] of [['normal', 12_000], ['full', 1_500]] as const) {
  test(`a shipper beside a busy writer, \`${sync}\`: each of its calls once, and nothing is taken for damage`, async (t) => {
    const directory = testDirectory(t);
    ensureJournalDirectory(directory);
    const marks = new Map<string, number>();
    const figures: number[] = [];
    const sink: CallSink = {
      mark: async (segment) => marks.get(segment) ?? 0,
      recorded: async () => new Set<string>(),
      async ship({ segment, after, through, records }) {
        assert.equal(after, marks.get(segment) ?? 0);
        for (const { record } of records) figures.push(record.inputTokens!);
        marks.set(segment, through);
      },
    };
    const shipper = createShipper({ directory, calls: sink, clock: () => performance.now() });
    t.after(() => shipper.close());
    const writer = new Worker(new URL('./test-support/busy-writer.ts', import.meta.url), { workerData: { directory, calls, sync } });
    t.after(() => writer.terminate());
    const said: { failures: number }[] = [];
    writer.on('message', (message: { failures: number }) => said.push(message));
    while (said.length === 0) {
      await shipper.pass();
      await turn();
    }
    assert.ok(said[0]!.failures > 5, `${said[0]!.failures} commits failed`);
    await shipper.pass();
    await shipper.recover();
    assert.deepEqual(figures.toSorted((a, b) => a - b), Array.from({ length: calls }, (_, index) => index + 1));
    assert.deepEqual(filesOfUsedSegments(directory), []);
  });
}
