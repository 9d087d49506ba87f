/** One cause that stops several tasks is reported once, and its end once, when the last of them has recovered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportThreadFaults } from './reported-faults.ts';

test('each cause is reported once while anything fails, and the end of all of them once', () => {
  const said: string[] = [];
  const report = reportThreadFaults('store', (sentence) => said.push(sentence));
  const away = { message: 'The store cannot be reached.' };
  for (const each of [away, away, { message: 'Something else.' }, null, null]) report(each);
  assert.deepEqual(said, ['The store cannot be reached.', 'Something else.']);
  report(null);
  assert.equal(said.at(-1), 'The store works again.');
  report(away);
  assert.deepEqual(said.slice(2), ['The store works again.', 'The store cannot be reached.'], 'a later one is told anew');
});

test('an end without a beginning is not reported', () => {
  const said: string[] = [];
  reportThreadFaults('store', (sentence) => said.push(sentence))(null);
  assert.deepEqual(said, []);
});
