/** Request ids: their form, that none comes twice, and that their last eight digits grow with time and with nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshRequestId, idTakenMs } from './request-ids.ts';

test('ids have the form of the specification, and of many made in one moment none is like another', () => {
  const ids = Array.from({ length: 10_000 }, () => freshRequestId(1_800_000_000_000));
  for (const id of ids) assert.match(id, /^req_[0-9a-f]{32}$/);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(new Set(ids.map((id) => id.slice(4, 28))).size, ids.length);
});

test('the last eight digits count steps of 16 ms: the same within a tick, larger after it, and from the start again after the last', () => {
  const last = (nowMs: number): string => freshRequestId(nowMs).slice(-8);
  const startMs = 16 * 2 ** 32 * 26;
  assert.deepEqual([0, 15, 16, 32, 16 * 0xffff_ffff, 16 * 2 ** 32].map((ms) => last(startMs + ms)),
    ['00000000', '00000000', '00000001', '00000002', 'ffffffff', '00000000']);
});

test('an id tells when it was taken', () => {
  const nowMs = Date.UTC(2026, 10, 24);
  const takenMs = [nowMs - 5, nowMs - 86_400_000, nowMs - 600 * 86_400_000];
  const ids = takenMs.map((ms) => freshRequestId(ms));
  for (const [index, id] of ids.entries()) {
    const told = idTakenMs(id, nowMs);
    assert.ok(told <= takenMs[index]! && told > takenMs[index]! - 16, `${told} ${takenMs[index]}`);
  }
});
