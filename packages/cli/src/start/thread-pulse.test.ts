/** A thread that does not answer is noticed within five seconds; a pause of the whole process does not count against it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThreadPulse, pulseMs, type ThreadName } from './thread-pulse.ts';

function watched(name: ThreadName = 'gateway') {
  const state = { asked: 0, nowMs: 0, answers: true };
  const pulse = createThreadPulse(name, () => { state.asked += 1; });
  const pass = (ms: number): void => {
    for (const endMs = state.nowMs + ms; state.nowMs < endMs;) {
      state.nowMs += pulseMs;
      pulse.look(state.nowMs);
      if (state.answers) pulse.answered();
    }
  };
  return { state, pulse, pass };
}

test('a thread that answers is asked again and again; one that stops is silent within five seconds, until it answers', () => {
  const { state, pulse, pass } = watched();
  pass(60_000);
  assert.deepEqual([pulse.isSilent, state.asked], [false, 120]);
  state.answers = false;
  pass(3_000);
  assert.equal(pulse.isSilent, false);
  pass(1_500);
  assert.deepEqual([pulse.isSilent, state.asked], [true, 121], 'it is asked once and not flooded');
  pulse.answered();
  assert.equal(pulse.isSilent, false);
  state.answers = true;
  pass(10_000);
  assert.equal(pulse.isSilent, false);
});

test('a process that got no processor time, for minutes or repeatedly, blames no thread that answers once it does', () => {
  const { state, pulse } = watched();
  for (let pause = 0; pause < 100; pause += 1) {
    state.nowMs += 120_000;
    pulse.look(state.nowMs);
    assert.equal(pulse.isSilent, false);
    pulse.answered();
  }
});

test('the store thread may be silent for ten seconds: calls go on with what the node holds', () => {
  const { state, pulse, pass } = watched('store');
  pass(5_000);
  state.answers = false;
  pass(10_000);
  assert.equal(pulse.isSilent, false);
  pass(1_500);
  assert.equal(pulse.isSilent, true);
});
