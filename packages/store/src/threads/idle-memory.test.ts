/** When an idle thread collects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGiveBackRule, createIdleRule } from './idle-memory.ts';

const mib = 1024 * 1024;
const idle = (heldMib: number) => ({ utilization: 0.01, heldBytes: heldMib * mib });
const busy = (heldMib: number) => ({ utilization: 0.3, heldBytes: heldMib * mib });

test('a thread collects when it was quiet at two looks in a row, not while it works', () => {
  const rule = createIdleRule();
  assert.deepEqual([busy(30), idle(30), busy(30), idle(30), idle(30)].map((look) => rule.collects(look)), [false, false, false, false, true]);
});

test('an idle thread collects again only when it holds 8 MiB more than after the last time', () => {
  const rule = createIdleRule();
  assert.deepEqual([rule.collects(idle(30)), rule.collects(idle(30))], [false, true]);
  rule.collected(16 * mib);
  assert.deepEqual([16, 20, 23, 24].map((heldMib) => rule.collects(idle(heldMib))), [false, false, false, true]);
});

test('an idle thread collects once more after fifteen looks if it holds more than after any collection', () => {
  const rule = createIdleRule();
  rule.collected(20 * mib);
  const after = (heldMib: number) => Array.from({ length: 20 }, () => rule.collects(idle(heldMib)));
  assert.equal(rule.collects(busy(90)), false);
  rule.collected(90 * mib);
  assert.deepEqual(after(90).flatMap((collects, at) => (collects ? [at + 1] : [])), [15]);
  rule.collects(busy(27));
  assert.ok(!after(27).includes(true));
});

test('a thread that had little to do in its last fifteen looks collects when it holds 32 MiB more', () => {
  const collectsIn = (looks: readonly number[], heldMib: number) => {
    const rule = createIdleRule();
    rule.collected(30 * mib);
    return looks.map((utilization) => rule.collects({ utilization, heldBytes: heldMib * mib }));
  };
  const bursts = Array.from({ length: 15 }, (_, at) => (at % 5 === 0 ? 0.29 : 0.04));
  assert.deepEqual(collectsIn(bursts, 62), [...Array<boolean>(14).fill(false), true]);
  assert.ok(!collectsIn(bursts, 61).includes(true));
  assert.ok(!collectsIn(bursts.map((each) => each + 0.015), 62).includes(true));
});

test('a thread that always works a little in the background collects all the same', () => {
  const collectsAt = (utilization: number, background: boolean) => {
    const rule = createIdleRule({ background });
    rule.collected(30 * mib);
    return Array.from({ length: 30 }, () => rule.collects({ utilization, heldBytes: 62 * mib })).indexOf(true) + 1;
  };
  assert.deepEqual([collectsAt(0.12, true), collectsAt(0.19, true), collectsAt(0.2, true), collectsAt(0.12, false)], [15, 15, 0, 0]);
});

test('behind a storm freed memory is given back once, when the thread had little to do for fifteen looks', () => {
  const givesBack = createGiveBackRule();
  const looks = [0.9, ...Array<number>(40).fill(0.05), 0.2, ...Array<number>(20).fill(0.05)];
  assert.deepEqual(looks.map((look, at) => givesBack(look, false) ? at : -1).filter((at) => at >= 0), [15]);
});

test('a thread with regular work in the background gives back although that is more', () => {
  const gives = (work: Parameters<typeof createGiveBackRule>[0]) => {
    const givesBack = createGiveBackRule(work);
    return [0.9, ...Array<number>(20).fill(0.15)].map((look, at) => givesBack(look, false) ? at : -1).filter((at) => at >= 0);
  };
  assert.deepEqual([gives({}), gives({ background: true })], [[], [15]]);
});

test('freed memory is given back after three and after fifteen quiet looks behind work, and then no more', () => {
  const givesBack = createGiveBackRule();
  const looks = [0.01, 0.01, 0.01, 0.3, 0.01, 0.01, 0.3, 0.01, 0.01, 0.01, 0.01, 0.01, 0.5, ...Array<number>(40).fill(0)];
  assert.deepEqual(looks.map((look, at) => givesBack(look, false) ? at : -1).filter((at) => at >= 0), [9, 15, 27]);
});

test('what another thread collects later is given back once this one is idle or calm, once for each', () => {
  const gaveAt = (looks: readonly number[], collectedAt: readonly number[]) => {
    const givesBack = createGiveBackRule();
    return looks.map((look, at) => givesBack(look, collectedAt.includes(at)) ? at : -1).filter((at) => at >= 0);
  };
  const quiet = Array<number>(60).fill(0.01);
  assert.deepEqual(gaveAt([0.3, ...quiet], [30, 40, 41]), [3, 15, 31, 41, 42]);
  assert.deepEqual(gaveAt([...quiet.slice(0, 20), 0.3, 0.3, 0.3, ...quiet], [20]).slice(0, 2), [25, 37], 'not while it works');
  assert.deepEqual(gaveAt(Array<number>(60).fill(0.05), [30]), [31], 'calm');
});
