/** The time a node decides by, under clocks that step (rule 5b). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followedMs, followStoreTime, raiseFloor, readNodeTime, slewMaxMs, startNodeTime, steadyMs, stepMs } from './node-time.ts';

const wall = 1_800_000_000_000;

test('is wall time while both clocks move together, and follows a small correction at once', () => {
  const time = startNodeTime(wall, 500.25);
  assert.equal(readNodeTime(time, wall, 500.25), wall);
  assert.equal(readNodeTime(time, wall + 10, 510.25), wall + 10);
  assert.equal(readNodeTime(time, wall + 1_020 + slewMaxMs - 1_000, 1_520.25), wall + 20 + slewMaxMs);
  assert.equal(stepMs(time), 0);
});

for (const [way, step] of [['forward', 3_600_000], ['back', -3_600_000]] as const) {
  test(`follows the monotonic clock across a step ${way}, and the step only when it has lasted for a minute`, () => {
    const time = startNodeTime(wall, 0);
    readNodeTime(time, wall, 0);
    assert.equal(readNodeTime(time, wall + 1_000 + step, 1_000), wall + 1_000);
    assert.equal(stepMs(time), step);
    assert.equal(readNodeTime(time, wall + steadyMs + step, steadyMs), wall + steadyMs);
    const followed = readNodeTime(time, wall + steadyMs + 1_000 + step, steadyMs + 1_000);
    assert.equal(followed, step > 0 ? wall + steadyMs + 1_000 + step : wall + steadyMs + 500, 'forward it is followed; back it slows down');
    assert.equal(stepMs(time), step > 0 ? 0 : step + 500, 'a clock that is behind is shown');
    assert.equal(followedMs(time, steadyMs + 1_000), wall + steadyMs + 1_000 + step, 'what others are shown');
  });
}

test('a step that is taken back within the minute leaves no trace', () => {
  const time = startNodeTime(wall, 0);
  readNodeTime(time, wall + 5_000 + 1_000_000, 5_000);
  assert.equal(readNodeTime(time, wall + 10_000, 10_000), wall + 10_000);
  assert.equal(readNodeTime(time, wall + 20_000 + 1_000_000, 20_000), wall + 20_000, 'a second step waits its own minute');
  assert.equal(readNodeTime(time, wall + 79_000 + 1_000_000, 79_000), wall + 79_000);
  assert.equal(readNodeTime(time, wall + 80_000 + 1_000_000, 80_000), wall + 80_000 + 1_000_000);
});

test('a clock that never rests is never followed', () => {
  const time = startNodeTime(wall, 0);
  for (let second = 1; second <= 300; second += 1) {
    const jump = second % 2 === 0 ? 1e7 : -1e7;
    assert.equal(readNodeTime(time, wall + second * 1_000 + jump, second * 1_000), wall + second * 1_000);
  }
});

test('never goes back, whatever the clocks do, and never before the written time', () => {
  const time = startNodeTime(wall, 0, wall + 7_000);
  assert.equal(readNodeTime(time, wall, 0), wall + 7_000);
  let seed = 1;
  let last = 0;
  let monotonic = 0;
  for (let step = 0; step < 20_000; step += 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    monotonic += seed % 10_000;
    const now = readNodeTime(time, wall + monotonic + ((seed % 7) - 3) * (seed % 100_000), monotonic);
    assert.ok(now >= last && Number.isSafeInteger(now));
    last = now;
  }
});

test('follows only a shared store’s time and monotonic time, once the former is known; a different wall clock is shown and not followed', () => {
  const time = startNodeTime(wall + 30_000, 0);
  followStoreTime(time, wall, 0);
  for (const second of [1, 30, 61, 200]) {
    assert.equal(readNodeTime(time, wall + 30_000 + second * 1_000, second * 1_000), wall + second * 1_000);
  }
  assert.equal(stepMs(time), 30_000);
  followStoreTime(time, wall + 230_000, 200_000);
  assert.equal(readNodeTime(time, wall + 231_000, 201_000), wall + 231_000);
  assert.equal(stepMs(time), 0);
  followStoreTime(time, wall, 202_000);
  assert.equal(readNodeTime(time, wall + 232_000, 202_000), wall + 231_500, 'a store that is set back does not turn time back');
});

test('never before the latest that the store has written, whenever that is learnt', () => {
  const time = startNodeTime(wall, 0);
  raiseFloor(time, wall + 5_000.5);
  assert.equal(readNodeTime(time, wall + 1_000, 1_000), wall + 5_000);
  raiseFloor(time, wall);
  assert.equal(readNodeTime(time, wall + 6_000, 6_000), wall + 6_000);
});

test('ahead of the clock it goes at half speed until the clock has caught up, so that time limits pass', () => {
  const time = startNodeTime(wall, 0, wall + 60_000);
  for (let second = 1; second < 120; second += 1) {
    assert.equal(readNodeTime(time, wall + second * 1_000, second * 1_000), wall + 60_000 + second * 500);
    assert.equal(stepMs(time), second * 500 - 60_000 < -slewMaxMs ? second * 500 - 60_000 : 0);
  }
  assert.equal(readNodeTime(time, wall + 121_000, 121_000), wall + 121_000);
  assert.equal(readNodeTime(time, wall + 122_000, 122_000), wall + 122_000);
});

test('nodes that raise one another are no faster for it', () => {
  const [one, other] = [startNodeTime(wall, 0, wall + 1e9), startNodeTime(wall, 0, wall + 1e9)];
  let last = 0;
  for (let second = 1; second <= 1_000; second += 1) {
    last = readNodeTime(one, wall + second * 1_000, second * 1_000);
    raiseFloor(other, last);
    // The other has not looked at its clock for half a second.
    last = Math.max(last, readNodeTime(other, wall + second * 1_000 + 500, second * 1_000 + 500));
    raiseFloor(one, last);
  }
  assert.ok(last - wall - 1e9 <= 500_500, String(last - wall - 1e9));
});
