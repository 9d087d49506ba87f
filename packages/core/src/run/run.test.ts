/** One call against its run, and the run's life under random orders of events, compared with a reading of its history (spec: Run). */
import assert from 'node:assert/strict';
import { env } from 'node:process';
import { describe, it } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import type { OrganizationId } from '../id.ts';
import { nanoDollars, nanoDollarsMax, type NanoDollars } from '../money.ts';
import { ttlSecondsMax } from './declaration.ts';
import { afterCall, decideRun, endedAs, endedFirst, expiryOf, tightenedAt, tightenedTo, type EndedState, type Run } from './run.ts';

const run = (changes: Partial<Run> = {}): Run => ({
  organization: 'org_a' as OrganizationId, id: 'r', state: 'live', declared: 10n as NanoDollars, effective: 10n as NanoDollars, clampReason: null,
  spent: 0n as NanoDollars, unknownCalls: 0, unpricedCalls: 0, gapCalls: 0, startedAtMs: 0, expiresAtMs: 1000, endedAtMs: null, ...changes,
});
const nano = (amount: number) => nanoDollars(BigInt(amount));
/** A call whose cost is whole. */
const whole = { usage: 'reported', costSource: 'priced', costGaps: [] } as const;
const asks = (budget: number | null) => ({ budget: budget === null ? null : nano(budget) });
const admitted = { kind: 'admitted', tightenTo: null };

describe('a call under its run (spec: Run; rule 1)', () => {
  const cases: [string, Run, number | null, number, object][] = [
    ['live', run(), null, 0, admitted],
    ['no budget at all', run({ effective: null, declared: null }), null, 0, admitted],
    ['the same budget again', run(), 10, 0, admitted],
    ['a larger budget is ignored', run(), 11, 0, admitted],
    ['a larger one than the clamped budget, below the declared one, is ignored',
      run({ effective: nano(5), clampReason: 'policy_max' }), 7, 0, admitted],
    ['a smaller budget tightens', run(), 9, 0, { kind: 'admitted', tightenTo: 9n }],
    ['a first budget on a later request binds', run({ effective: null, declared: null }), 9, 0, { kind: 'admitted', tightenTo: 9n }],
    ['the last moment of the time limit', run(), null, 999, admitted],
    ['the time limit passed', run(), null, 1000, { kind: 'run_expired', ends: 'expired', tightenTo: null }],
    ['the last cent', run({ spent: nano(9) }), null, 0, admitted],
    ['spend has reached the budget', run({ spent: nano(10) }), null, 0, { kind: 'run_over_budget', ends: 'over_budget', tightenTo: null }],
    ['spend is past the budget', run({ spent: nano(12) }), 11, 0, { kind: 'run_over_budget', ends: 'over_budget', tightenTo: null }],
    ['spend is past the budget: a smaller one lowers nothing', run({ spent: nano(12) }), 4, 0,
      { kind: 'run_over_budget', ends: 'over_budget', tightenTo: null }],
    ['tightened to what is spent', run({ spent: nano(4) }), 4, 0, { kind: 'run_over_budget', ends: 'over_budget', tightenTo: 4n }],
    ['expired goes before over budget', run({ spent: nano(10) }), null, 1000, { kind: 'run_expired', ends: 'expired', tightenTo: null }],
    ['closed stays closed', run({ state: 'closed', spent: nano(10) }), 1, 1000, { kind: 'run_closed', ends: null, tightenTo: null }],
    ['expired stays expired though the clock went back', run({ state: 'expired' }), null, 0, { kind: 'run_expired', ends: null, tightenTo: null }],
    ['over budget stays so', run({ state: 'over_budget' }), null, 1000, { kind: 'run_over_budget', ends: null, tightenTo: null }],
  ];
  for (const [name, held, budget, nowMs, decision] of cases) it(name, () => assert.deepEqual(decideRun(held, asks(budget), nowMs), decision));

  it('a tightening drops the clamp reason with the clamped budget', () => {
    const clamped = run({ effective: nano(5), clampReason: 'workspace_ceiling' });
    assert.deepEqual(tightenedTo(clamped, nano(4)), run({ declared: nano(4), effective: nano(4), clampReason: null }));
    assert.equal(tightenedTo(clamped, nano(5)), clamped);
  });
  it('of two ends the one that happened first counts, whichever is learned of first', () => {
    const ends: (readonly [state: EndedState, atMs: number])[] = [['over_budget', 5], ['closed', 7]];
    for (const order of [ends, ends.toReversed()]) {
      const held = order.reduce((before, [state, atMs]) => endedFirst(before, state, atMs), run());
      assert.deepEqual([held.state, held.endedAtMs], ['over_budget', 5]);
    }
    const known = run({ state: 'closed', endedAtMs: 5 });
    assert.equal(endedFirst(known, 'over_budget', 5.4), known, 'of the same millisecond: the known one');
  });
  it('a tightening that is learned of after the end counts if it happened before it, and leaves the run ended', () => {
    const known = run({ declared: nano(9), effective: nano(9), state: 'closed', endedAtMs: 5 });
    assert.deepEqual(tightenedAt(known, nano(4), 5.4), { ...known, declared: nano(4), effective: nano(4), clampReason: null });
    for (const [budget, atMs] of [[4, 6], [9, 1], [10, 1]] as const) assert.equal(tightenedAt(known, nano(budget), atMs), known);
  });
  it('spend never wraps into a credit', () => {
    assert.equal(afterCall(run({ spent: nanoDollarsMax }), { ...whole, cost: nano(1), usage: 'partial' }).spent, nanoDollarsMax);
  });
  it('a call whose cost has a gap is counted with its known cost', () => {
    const { spent, gapCalls, unpricedCalls, unknownCalls } = afterCall(run(), { ...whole, cost: nano(3), costGaps: ['audio'] });
    assert.deepEqual({ spent, gapCalls, unpricedCalls, unknownCalls }, { spent: 3n, gapCalls: 1, unpricedCalls: 0, unknownCalls: 0 });
  });
  it('a call without a price is counted and spends nothing', () => {
    const { spent, gapCalls, unpricedCalls, unknownCalls } = afterCall(run(), { ...whole, cost: null, costSource: 'unpriced' });
    assert.deepEqual({ spent, gapCalls, unpricedCalls, unknownCalls }, { spent: 0n, gapCalls: 0, unpricedCalls: 1, unknownCalls: 0 });
  });
  it('the longest time limit ends within the calendar', () => {
    assert.equal(expiryOf(Date.UTC(2026, 0), ttlSecondsMax), 8.64e15);
    assert.equal(expiryOf(5, 2), 2005);
    assert.equal(expiryOf(5, null), null);
  });
});

/** What can happen to a run, and to the node that holds it. */
type Event =
  | { readonly is: 'request'; readonly budget: number | null }
  | { readonly is: 'answer'; readonly cost: number }
  | { readonly is: 'abort' }
  | { readonly is: 'clock'; readonly byMs: number }
  | { readonly is: 'close' }
  | { readonly is: 'restart' };

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 40, arbitrary: fc.record({ is: fc.constant('request' as const), budget: fc.option(fc.integer({ min: 1, max: 40 }), { freq: 2 }) }) },
  { weight: 30, arbitrary: fc.record({ is: fc.constant('answer' as const), cost: fc.integer({ min: 0, max: 9 }) }) },
  { weight: 5, arbitrary: fc.record({ is: fc.constant('abort' as const) }) },
  { weight: 15, arbitrary: fc.record({ is: fc.constant('clock' as const), byMs: fc.integer({ min: -400, max: 500 }) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('close' as const) }) },
  { weight: 5, arbitrary: fc.record({ is: fc.constant('restart' as const) }) },
);

/** The node: what it holds, what it has written, and calls in flight. A restart keeps the writes and loses the calls. */
class Node {
  held: Run;
  readonly #written: ((run: Run) => Run)[] = [];
  readonly #first: Run;
  inFlight = 0;

  constructor(first: Run) {
    this.#first = first;
    this.held = first;
  }

  write(change: (run: Run) => Run): void {
    this.#written.push(change);
    this.held = change(this.held);
  }

  request(budget: number | null, nowMs: number): string {
    const decision = decideRun(this.held, asks(budget), nowMs);
    if (decision.tightenTo !== null) this.write((run) => tightenedTo(run, decision.tightenTo!));
    if (decision.kind === 'admitted') this.inFlight += 1;
    else if (decision.ends !== null) this.write((run) => endedAs(run, decision.ends!, nowMs));
    return decision.kind;
  }

  restart(): void {
    this.held = this.#written.reduce((run, change) => change(run), this.#first);
    while (this.inFlight > 0) this.answer(null);
  }

  answer(cost: number | null): void {
    this.inFlight -= 1;
    this.write((run) => afterCall(run, { ...whole, cost: cost === null ? null : nano(cost), usage: cost === null ? 'unknown' : 'reported' }));
  }
}

/** The spec's table read over a run's whole history, each time from its beginning; plain numbers, no state. */
interface Past { readonly budgets: number[]; readonly costs: number[]; unknown: number; end: { kind: string; atMs: number } | null }

function verdict(
  { budgets, costs, end }: Past, budget: number | null, { nowMs, expiresAtMs }: { readonly nowMs: number; readonly expiresAtMs: number | null },
): string {
  if (end !== null) return end.kind;
  if (expiresAtMs !== null && nowMs >= expiresAtMs) return 'run_expired';
  const least = Math.min(...budgets, budget ?? Infinity);
  return costs.reduce((sum, cost) => sum + cost, 0) >= least ? 'run_over_budget' : 'admitted';
}

const endOf: Record<string, string> = { closed: 'run_closed', expired: 'run_expired', over_budget: 'run_over_budget' };

function live(events: readonly Event[], declared: number | null, ttlMs: number | null): void {
  const expiresAtMs = ttlMs;
  const node = new Node(run({ declared: asks(declared).budget, effective: asks(declared).budget, expiresAtMs }));
  const past: Past = { budgets: declared === null ? [] : [declared], costs: [], unknown: 0, end: null };
  let nowMs = 0;
  for (const happening of events) {
    switch (happening.is) {
      case 'clock':
        nowMs += happening.byMs;
        break;
      case 'request': {
        const expected = verdict(past, happening.budget, { nowMs, expiresAtMs });
        assert.equal(node.request(happening.budget, nowMs), expected);
        // A budget that is used up is what ends the run; what the refused call declares lowers nothing.
        const usedUp = verdict(past, null, { nowMs, expiresAtMs }) !== 'admitted';
        if (!usedUp && happening.budget !== null) past.budgets.push(happening.budget);
        if (expected !== 'admitted') past.end ??= { kind: expected, atMs: nowMs };
        break;
      }
      case 'answer':
        if (node.inFlight === 0) break;
        node.answer(happening.cost);
        past.costs.push(happening.cost);
        break;
      case 'abort':
        if (node.inFlight === 0) break;
        node.answer(null);
        past.unknown += 1;
        break;
      case 'close': {
        const atMs = nowMs;
        node.write((held) => endedAs(held, 'closed', atMs));
        past.end ??= { kind: 'run_closed', atMs };
        break;
      }
      case 'restart':
        past.unknown += node.inFlight;
        node.restart();
    }
    const { held } = node;
    assert.equal(held.spent, nano(past.costs.reduce((sum, cost) => sum + cost, 0)));
    assert.equal(held.unknownCalls, past.unknown);
    assert.equal(held.effective, past.budgets.length === 0 ? null : nano(Math.min(...past.budgets)));
    assert.equal(endOf[held.state] ?? null, past.end?.kind ?? null);
    assert.equal(held.endedAtMs, past.end?.atMs ?? null);
  }
}

describe('a run through its life (rules 5b, 12 and 13)', () => {
  // For millions: MODEL_STEPS=5000000 node --test packages/core/src/run/run.test.ts
  const steps = Number(env['MODEL_STEPS'] ?? 100_000);
  const perRun = 50;
  it(`${steps} random requests, answers, aborts, clock steps, closes and restarts agree with its history`, () => {
    const budget = fc.option(fc.integer({ min: 1, max: 60 }), { freq: 3 });
    const ttlMs = fc.option(fc.integer({ min: 1, max: 3000 }), { freq: 2 });
    let taken = 0;
    fc.assert(fc.property(fc.array(event, { minLength: perRun, maxLength: perRun, size: 'max' }), budget, ttlMs, (events, declared, limit) => {
      taken += events.length;
      live(events, declared, limit);
    }), { numRuns: draws(Math.ceil(steps / perRun)) });
    assert.ok(taken >= steps);
  });
});
