/** What a node concludes from its calls to itself. `test/operation/own-calls.test.ts` makes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNodeWatch } from './node-watch.ts';
import { createJudge } from './own-calls.ts';

test('two calls without an answer in a row make the node unready, and one with an answer ready again', () => {
  const judge = createJudge();
  const told: string[] = [];
  const watch = createNodeWatch({
    directory: null, monotonicMs: () => 0, tell: (level, sentence) => void told.push(`${level} ${sentence.split(/[:.]/)[0]}`),
    forwards: () => judge.figures()?.isTrusted ?? true,
  });
  watch.phase = null;
  const causesAfter = (tookMs: number | null): string[] => {
    judge.called(tookMs);
    watch.look();
    return watch.unready().map(({ cause }) => cause);
  };
  assert.deepEqual([12, null, 9, null, null, null, 11].map(causesAfter), [[], [], [], [], ['own_call'], ['own_call'], []]);
  assert.deepEqual(told, ['error A call of this node to itself gets no answer', 'info A call of this node to itself is answered again']);
});
