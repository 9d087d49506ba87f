/** Held: a store that is away is told by its sentence, once a minute; a defect of ours by its place, each time, without its words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { tellFaults } from './told-faults.ts';

test('the store is told by its own sentence, and not again for each request', () => {
  const said: string[] = [];
  let nowMs = 1_000_000;
  const tell = tellFaults(() => nowMs, (line) => said.push(line));
  const away = () => new StoreFault('store_unreachable', 'The store at db:5432/m cannot be reached. Check it.');
  for (let each = 0; each < 3; each += 1) tell('answer a request', away());
  tell('look after the store', away());
  assert.deepEqual(said, ['The platform could not answer a request. The store at db:5432/m cannot be reached. Check it.']);
  tell('answer a request', new StoreFault('store_full', 'No space.'));
  tell('answer a request', new StoreFault('store_full', 'No space.'));
  assert.equal(said.length, 2);
  nowMs += 60_000;
  tell('answer a request', new StoreFault('store_full', 'No space.'));
  assert.equal(said.length, 3);
  nowMs -= 3_600_000;
  tell('answer a request', new StoreFault('store_full', 'No space.'));
  assert.equal(said.length, 4, 'a clock that was set back silences nothing');
});

test('what broke otherwise is told by its place, each time, without what it was about', () => {
  const said: string[] = [];
  const tell = tellFaults(Date.now, (line) => said.push(line));
  tell('answer a request', new TypeError('canary'));
  tell('answer a request', new TypeError('canary'));
  tell('answer a request', 'canary');
  assert.equal(said.length, 3);
  assert.match(said[0]!, /^The platform could not answer a request: TypeError at .*told-faults\.test\.ts/);
  assert.equal(said[2], 'The platform could not answer a request: unknown fault');
  assert.doesNotMatch(said.join(), /canary/);
});
