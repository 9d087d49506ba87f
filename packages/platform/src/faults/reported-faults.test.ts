/** A store that is away is reported by its sentence, once a minute; an internal fault by its place, each time, without its message. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { reportFaults } from './reported-faults.ts';

test('a store fault is reported by its own sentence, and not again for each request', () => {
  const said: string[] = [];
  let nowMs = 1_000_000;
  const report = reportFaults(() => nowMs, (line) => said.push(line));
  const away = () => new StoreFault('store_unreachable', 'The store at db:5432/m cannot be reached. Check it.');
  for (let each = 0; each < 3; each += 1) report('answer a request', away());
  report('look after the store', away());
  assert.deepEqual(said, ['The platform could not answer a request. The store at db:5432/m cannot be reached. Check it.']);
  report('answer a request', new StoreFault('store_full', 'No space.'));
  report('answer a request', new StoreFault('store_full', 'No space.'));
  assert.equal(said.length, 2);
  nowMs += 60_000;
  report('answer a request', new StoreFault('store_full', 'No space.'));
  assert.equal(said.length, 3);
  nowMs -= 3_600_000;
  report('answer a request', new StoreFault('store_full', 'No space.'));
  assert.equal(said.length, 4, 'a clock that was set back silences nothing');
});

test('any other fault is reported by its place, each time, without its message', () => {
  const said: string[] = [];
  const report = reportFaults(Date.now, (line) => said.push(line));
  report('answer a request', new TypeError('canary'));
  report('answer a request', new TypeError('canary'));
  report('answer a request', 'canary');
  assert.equal(said.length, 3);
  assert.match(said[0]!, /^The platform could not answer a request: TypeError at .*reported-faults\.test\.ts/);
  assert.equal(said[2], 'The platform could not answer a request: unknown fault');
  assert.doesNotMatch(said.join(), /canary/);
});
