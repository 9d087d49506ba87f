/** That the collector is found without changing what kept code relies on, and collects what it says. */
import assert from 'node:assert/strict';
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { test } from 'node:test';
import { collect, findCollector } from './collector.ts';

test('if another thread unset the flag in between, there is no collector this time, and no fault', () => {
  assert.equal(findCollector(() => {}), null);
  assert.equal(typeof findCollector(), 'function');
});

test('a collection of the young is one: V8 does not collect all for it', async (t) => {
  const kinds: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const observer = new PerformanceObserver((list) => {
    kinds.push(...list.getEntries().map((entry) => (entry as PerformanceEntry & { readonly detail: { readonly kind: number } }).detail));
    resolve();
  });
  observer.observe({ entryTypes: ['gc'] });
  t.after(() => observer.disconnect());
  assert.equal(collect('young'), true);
  await promise;
  assert.deepEqual(kinds[0], { kind: constants.NODE_PERFORMANCE_GC_MINOR, flags: constants.NODE_PERFORMANCE_GC_FLAGS_FORCED });
});
