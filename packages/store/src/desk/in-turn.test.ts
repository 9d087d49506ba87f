/** Which question is answered next. Rule 8a. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { InTurn } from './in-turn.ts';

const [a, b, c] = ['org_a', 'org_b', 'org_c'] as OrganizationId[] as [OrganizationId, OrganizationId, OrganizationId];

test('organizations are served in turn, each one’s items in order, and the next take continues where the last one ended', () => {
  const waiting = new InTurn<string>();
  for (let at = 1; at <= 5; at += 1) waiting.push(a, `a${at}`);
  waiting.push(b, 'b1');
  waiting.push(c, 'c1');
  waiting.push(c, 'c2');
  assert.deepEqual(waiting.take(4), ['a1', 'b1', 'c1', 'a2']);
  waiting.push(b, 'b2');
  assert.deepEqual(waiting.take(3), ['c2', 'a3', 'b2']);
  assert.deepEqual(waiting.take(10), ['a4', 'a5']);
  assert.deepEqual([waiting.take(10), waiting.isEmpty], [[], true]);
});
