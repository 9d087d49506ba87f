/** A platform is known by its place: the same after a restart there, different anywhere else. Decision 0102. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workHolder } from './work-holder.ts';

test('a platform on a shared store is known by machine and address, on the embedded store by nothing', () => {
  const place = { engine: 'postgres', host: '0.0.0.0', port: 8081 } as const;
  const machine = ['one', 'boot-1'];
  const known = workHolder(place, machine);
  assert.equal(workHolder(place, machine), known);
  assert.match(known, /^plt_[0-9A-Za-z]{20}$/);
  const others = [
    workHolder({ ...place, port: 8082 }, machine), workHolder({ ...place, host: '127.0.0.1' }, machine), workHolder(place, ['two', 'boot-1']),
    workHolder(place, ['one', 'boot-2']),
  ];
  assert.equal(new Set([known, ...others]).size, 5);
  assert.equal(workHolder({ ...place, engine: 'sqlite' }, machine), workHolder({ engine: 'sqlite', host: '::', port: 1 }, ['two']));
  assert.equal(workHolder(place), workHolder(place));
});
