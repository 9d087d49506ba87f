/** A call that lacks something asks, decides again, and asks again only if an answer gives reason to (promise 4; 2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Refusal } from '@metergate/core/refusal.ts';
import { askAndDecide } from './ask-and-decide.ts';
import type { GuardedCall, Guards } from './guards.ts';

const unconfirmed = { kind: 'run_unconfirmed' } as const;

/** Guards that lack a lease until `grant`; questions are answered by the test. */
function context() {
  const clock = { ms: 0, monotonicMs: () => clock.ms, wallMs: () => clock.ms };
  type Answered = (refusal: Refusal | null, again: boolean) => void;
  const asked: { readonly withinMs: number; readonly answered: Answered }[] = [];
  const state = { lacks: true, wanted: true };
  const outcomes: string[] = [];
  const guards = {
    decide: () => (state.lacks ? unconfirmed : null), mayAsk: () => true,
    ask: (_call: GuardedCall, withinMs: number, answered: Answered) => { asked.push({ withinMs, answered }); },
  } as unknown as Guards;
  askAndDecide({ guards, clock }, {} as GuardedCall, unconfirmed, {
    isWanted: () => state.wanted, admitted: () => void outcomes.push('admitted'), refused: ({ kind }) => void outcomes.push(kind),
    left: () => void outcomes.push('left'), broke: (cause) => void outcomes.push(String(cause)),
  });
  return { clock, asked, state, outcomes };
}

test('a question that was not answered in time is the last: the call is refused, whatever it had found before', () => {
  const { clock, asked, outcomes } = context();
  clock.ms = 100;
  asked[0]!.answered(null, true);
  assert.deepEqual([asked.map(({ withinMs }) => withinMs), outcomes], [[250, 150], []]);
  asked[1]!.answered(null, false);
  assert.deepEqual([asked.length, outcomes], [2, ['run_unconfirmed']]);
});

test('if the room was spent meanwhile the store is asked again, until the 250 ms are over', () => {
  const { clock, asked, outcomes } = context();
  for (; clock.ms < 250; clock.ms += 50) asked.at(-1)!.answered(null, true);
  asked.at(-1)!.answered(null, true);
  assert.deepEqual([asked.length, outcomes], [6, ['run_unconfirmed']]);
});

test('admitted, refused or left: one of them, once', () => {
  const admitted = context();
  admitted.state.lacks = false;
  admitted.asked[0]!.answered(null, false);
  const refused = context();
  refused.asked[0]!.answered({ kind: 'run_exposure_exhausted' }, false);
  const left = context();
  left.state.wanted = false;
  left.asked[0]!.answered(null, true);
  assert.deepEqual([admitted.outcomes, refused.outcomes, left.outcomes], [['admitted'], ['run_exposure_exhausted'], ['left']]);
});
