/** A gateway that starts before its platform waits and says so; a fault that waiting cannot fix ends the start. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFault, type StoreFaultCode } from '@metergate/store/engine/fault.ts';
import { waitingForStore } from './waiting-for-store.ts';

/** Opening fails with these codes in turn, each that many times, then succeeds. */
function opening(codes: readonly (readonly [code: StoreFaultCode, times: number])[]) {
  const faults = codes.flatMap(([code, times]) => Array.from({ length: times }, () => code));
  const state = { told: [] as string[], waits: '', nowMs: 0 };
  const ended = new AbortController();
  const wait = () => waitingForStore({
    open: async () => {
      const code = faults.shift();
      if (code !== undefined) throw new StoreFault(code, `It is ${code}.`);
      return 'opened';
    },
    tell: (sentence) => state.told.push(sentence), waitsFor: (sentence) => { state.waits = sentence; }, signal: ended.signal,
    monotonicMs: () => state.nowMs,
    pause: async (ms, signal) => {
      signal.throwIfAborted();
      state.nowMs += ms;
    },
  });
  return { state, ended, wait };
}

test('it is reported when it begins, when the reason changes, and once a minute', async () => {
  const { state, wait } = opening([['store_unreachable', 3], ['store_absent', 62], ['schema_older', 1]]);
  assert.equal(await wait(), 'opened');
  assert.deepEqual(state.told, ['store_unreachable', 'store_absent', 'store_absent', 'schema_older'].map((code) => `It is ${code}. Waiting for it.`));
  assert.match(state.waits, /schema_older/);
});

test('another master key, a newer schema and a damaged store are not waited for', async () => {
  for (const code of ['wrong_master_key', 'schema_newer', 'store_unreadable'] as const) {
    await assert.rejects(opening([[code, 1]]).wait(), { code });
  }
});

test('a signal ends the waiting', async () => {
  const { wait, ended } = opening([['store_absent', 1]]);
  ended.abort();
  assert.equal(await wait(), null);
});
