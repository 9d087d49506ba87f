/** Which runs may have been used: a noted run is never denied, and few others need a question (rules: The path of a call). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayKnowRun, noRuns, noteRun } from './known-runs.ts';

const named = (organization: string, id: string) => ({ organization, id });

test('noted runs may be known, also in a copy; an empty set knows none', () => {
  const known = noRuns();
  const names = [named('org_a', 'r'), named('org_b', 'r'), named('org_a', '~'.repeat(128)), named('', '')];
  assert.deepEqual(names.map((name) => mayKnowRun(known, name)), [false, false, false, false]);
  noteRun(known, names[0]!);
  assert.deepEqual([mayKnowRun(known, names[0]!), mayKnowRun(known, names[1]!)], [true, false]);
  for (const name of names) noteRun(known, name);
  assert.ok(names.every((name) => mayKnowRun(structuredClone(known), name)));
});

test('of 200,000 similar runs none is denied, and of as many new ones at most one in a thousand needs a question', () => {
  const known = noRuns();
  const all = Array.from({ length: 200_000 }, (_, at) => named('org_0000000000000000test', `agent-${at}`));
  for (const name of all) noteRun(known, name);
  assert.ok(all.every((name) => mayKnowRun(known, name)));
  const perhaps = all.filter(({ organization, id }) => mayKnowRun(known, named(organization, `${id}-next`)));
  assert.ok(perhaps.length <= 200, String(perhaps.length));
});
