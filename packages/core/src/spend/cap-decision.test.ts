/** Which cap refuses, with what, and whose money is tightest. Spec: Budget cap, Errors 402, 429, 503; rules 1, 4, 11. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import type { CapId, PersonId, ServiceKeyId } from '../id.ts';
import { nanoDollars, type NanoDollars } from '../money.ts';
import type { Cap, CapMode } from './cap.ts';
import { bindCap, bindingCapsOf, decideCaps, scopeText, moneyLeft, tightest, type BindingScope, type BoundCap } from './cap-decision.ts';
import { emptySums } from './spend-sum.ts';
import { calendarWindows, windowAt, type CalendarWindow } from './window.ts';

const person = 'person_one' as PersonId;
const nano = (amount: number): NanoDollars => nanoDollars(BigInt(amount));
const key = 'key_one' as ServiceKeyId;
/** A Wednesday, with month and year longer to run than the week. */
const nowMs = Date.UTC(2026, 8, 23, 12);

interface Wanted {
  readonly scope?: BindingScope;
  readonly window?: CalendarWindow;
  readonly limit?: number;
  readonly spent?: number;
  readonly mode?: CapMode;
  readonly confirmed?: boolean;
  readonly atMs?: number;
}

function bound(wanted: Wanted): BoundCap {
  const { scope = 'organization', window = 'month', limit = 100, spent = 0, mode = 'refuse', confirmed = true, atMs = nowMs } = wanted;
  const cap = { id: 'cap_x' as CapId, scope, subject: scope === 'key' ? key : null, window, limit: nano(limit), mode };
  const sums = emptySums(atMs);
  sums[window].spent = nano(spent);
  return { ...bindCap(cap, sums), confirmed };
}

/** `scope window` of the refusal, `?` after one that is not confirmed. */
function refusedBy(binding: readonly BoundCap[], atMs: number = nowMs): string | null {
  const refusal = decideCaps(binding, atMs);
  return refusal === null ? null : `${refusal.scope} ${refusal.window}${refusal.kind === 'cap_unconfirmed' ? '?' : ''}`;
}

describe('which caps bind a call (rule 4)', () => {
  const cap = (scope: Cap['scope'], subject: string | null, window: CalendarWindow): Cap =>
    ({ id: `cap_${scope}` as CapId, scope, subject, window, limit: nano(0), mode: 'refuse' });
  const caps = [
    cap('key', key, 'day'), cap('key', 'key_two', 'day'), cap('project', key, 'day'), cap('organization', null, 'day'),
    cap('key', key, 'lifetime'), cap('organization', null, 'year'), cap('person', person, 'day'), cap('person', 'person_two', 'day'),
    cap('label', key, 'day'),
  ];
  const namesOf = (enforce: boolean, of: PersonId | null = null): string[] =>
    bindingCapsOf(caps, { id: key, person: of }, enforce).map(({ scope, window }) => `${scope} ${window}`);

  it("the organization's always, this key's if key caps refuse, a project's never", () => {
    assert.deepEqual(namesOf(false), ['organization year', 'organization day']);
    assert.deepEqual(namesOf(true), ['organization year', 'organization day', 'key lifetime', 'key day']);
  });

  it("its person's always, and a label's not by the key", () =>
    assert.deepEqual(namesOf(false, person), ['organization year', 'organization day', 'person day']));
});

describe('one cap', () => {
  const rows: readonly [why: string, given: Wanted, refused: string | null][] = [
    ['below its limit it admits', { spent: 99 }, null],
    ['at its limit it refuses', { spent: 100 }, 'organization month'],
    ['above its limit it refuses', { spent: 1_000 }, 'organization month'],
    ['of zero it refuses before anything was spent', { limit: 0 }, 'organization month'],
    ['not confirmed it refuses as such', { spent: 99, confirmed: false }, 'organization month?'],
    ['reached is reached, confirmed or not', { spent: 100, confirmed: false }, 'organization month'],
    ['reached in a window that is over it admits', { spent: 100, atMs: Date.UTC(2026, 7, 31) }, null],
    ['reached in a later window than the clock now tells it refuses', { spent: 100, atMs: Date.UTC(2026, 10, 1) }, 'organization month'],
  ];
  for (const [why, given, refused] of rows) it(why, () => assert.equal(refusedBy([bound(given)]), refused));
});

describe('Retry-After of a cap in pause mode (spec: Errors, 429)', () => {
  const seconds = (given: Wanted, atMs: number = nowMs): number | null => {
    const refusal = decideCaps([bound({ mode: 'pause', limit: 0, ...given })], atMs);
    assert.ok(refusal?.kind === 'cap_reached');
    return refusal.retryAfterSeconds;
  };
  it('is the time until the window resets, rounded up, at least 1', () => {
    assert.equal(seconds({ window: 'day' }), 43_200);
    assert.equal(seconds({ window: 'day' }, Date.UTC(2026, 8, 24) - 1), 1);
    assert.equal(seconds({ window: 'day' }, Date.UTC(2026, 8, 24) - 1_000), 1);
    assert.equal(seconds({ window: 'day' }, Date.UTC(2026, 8, 24) - 1_001), 2);
    assert.equal(seconds({ window: 'week' }), 4 * 86_400 + 43_200);
    assert.equal(seconds({ window: 'month' }), 7 * 86_400 + 43_200);
    assert.equal(seconds({ window: 'year' }), 99 * 86_400 + 43_200);
  });
  it('is of the window in force, not of one that is over', () => assert.equal(seconds({ window: 'day', atMs: 0 }), 43_200));
  it('of a lifetime is a day', () => assert.equal(seconds({ window: 'lifetime' }), 86_400));
  it('is absent if the cap refuses with 402', () => assert.equal(seconds({ mode: 'refuse' }), null));
});

describe('of several caps (rule 1)', () => {
  const all = (given: Wanted): BoundCap[] => (['label', 'key', 'person', 'organization'] as const).flatMap((scope) =>
    calendarWindows.map((window) => bound({ scope, window, ...given })));
  const without = (binding: readonly BoundCap[], ...names: string[]): BoundCap[] =>
    binding.filter(({ cap }) => !names.includes(`${cap.scope} ${cap.window}`));

  it('the organization goes before the key, the person and the label, and within one scope the one that resets last', () => {
    let left = all({ spent: 100 });
    const order: string[] = [];
    while (left.length > 0) {
      order.push(refusedBy(left)!);
      left = without(left, order.at(-1)!);
    }
    const windows = calendarWindows.toReversed();
    assert.deepEqual(order, ['organization', 'key', 'person', 'label'].flatMap((scope) => windows.map((window) => `${scope} ${window}`)));
  });

  it('a week that outlasts its month and its year takes precedence over them; of two that end together, the longer one', () => {
    const lastDayMs = Date.UTC(2026, 11, 31, 12);
    const three = (['year', 'week', 'month'] as const).map((window) => bound({ window, spent: 100, atMs: lastDayMs }));
    assert.equal(refusedBy(three, lastDayMs), 'organization week');
    assert.equal(refusedBy(without(three, 'organization week'), lastDayMs), 'organization year');
    const sundayMs = Date.UTC(2026, 8, 20, 12);
    const two = (['day', 'week'] as const).map((window) => bound({ window, spent: 100, atMs: sundayMs }));
    assert.equal(refusedBy(two, sundayMs), 'organization week');
  });

  it('a certain refusal comes before one that cannot be confirmed, in any order', () => {
    const binding = [...all({ confirmed: false }), bound({ scope: 'key', window: 'day', spent: 100 })];
    assert.equal(refusedBy(binding), 'key day');
    assert.equal(refusedBy(all({ confirmed: false })), 'organization lifetime?');
    assert.equal(refusedBy(without(all({ confirmed: false }), ...calendarWindows.map((window) => `organization ${window}`))), 'key lifetime?');
  });

  const given: fc.Arbitrary<Wanted> = fc.record({
    scope: fc.constantFrom('organization', 'key'), window: fc.constantFrom(...calendarWindows),
    limit: fc.integer({ min: 0, max: 3 }), spent: fc.integer({ min: 0, max: 3 }), confirmed: fc.boolean(),
    atMs: fc.constantFrom(nowMs, nowMs - 40 * 86_400_000),
  });

  it('against the whole list sorted anew: no difference, and order of the caps does not matter', () => {
    const byName = { selector: ({ scope, window }: Wanted) => `${scope} ${window}`, maxLength: 10 };
    const moment = fc.integer({ min: nowMs, max: nowMs + 400 * 86_400_000 });
    fc.assert(fc.property(fc.uniqueArray(given, byName), moment, (wanted, atMs) => {
      const rank = ({ scope, window }: Wanted): number => {
        const resetMs = windowAt(window!, atMs).endMs ?? 9e13;
        return (scope === 'organization' ? 0 : 1e15) - resetMs * 10 - calendarWindows.indexOf(window!);
      };
      const sorted = [...wanted].sort((one, other) => rank(one) - rank(other));
      const inForce = (each: Wanted): boolean => windowAt(each.window!, each.atMs!).startMs === windowAt(each.window!, atMs).startMs;
      const reached = sorted.find((each) => (inForce(each) ? each.spent! : 0) >= each.limit!);
      const unsure = sorted.find((each) => !each.confirmed!);
      const expected = reached !== undefined ? `${reached.scope} ${reached.window}`
        : unsure !== undefined ? `${unsure.scope} ${unsure.window}?` : null;
      assert.equal(refusedBy(wanted.map(bound), atMs), expected);
    }), { numRuns: draws(1_000) });
  });
});

describe('the tightest (rule 11)', () => {
  const nameOf = (binding: readonly BoundCap[], runLeft: number | null): string | null => {
    const found = tightest(binding, runLeft === null ? null : nano(runLeft), nowMs);
    return found === null || found === 'run' ? found : `${found.cap.scope} ${found.cap.window}`;
  };
  const organization = bound({ window: 'day', limit: 10, spent: 4 });
  const keyCap = bound({ scope: 'key', window: 'year', limit: 7, spent: 1 });

  it('is the one with the least money left', () => {
    assert.equal(nameOf([organization, keyCap, bound({ limit: 5 })], 9), 'organization month');
    assert.equal(nameOf([organization, bound({ scope: 'key', limit: 5 })], 9), 'key month');
    assert.equal(nameOf([organization, keyCap], 5), 'run');
  });

  it('ties go organization, key, run; within one scope to the one that resets last', () => {
    assert.equal(nameOf([keyCap, organization], 6), 'organization day');
    assert.equal(nameOf([keyCap], 6), 'key year');
    assert.equal(nameOf([organization, bound({ window: 'week', limit: 6 })], null), 'organization week');
  });

  it('is none if nothing binds, and the run if only the run does', () => {
    assert.equal(nameOf([], null), null);
    assert.equal(nameOf([], 0), 'run');
  });

  it('spend beyond a limit leaves zero, not less: it ties with a limit that is just reached', () => {
    assert.equal(moneyLeft(bound({ limit: 5, spent: 9 }), nowMs), 0n);
    assert.equal(nameOf([bound({ limit: 5, spent: 5 }), bound({ scope: 'key', limit: 5, spent: 9 })], -3), 'organization month');
  });
});

describe('how headers name a scope', () => {
  it('a label with what it is, in characters that a header can carry; nobody is named by a person', () => {
    const text = (scope: BindingScope, subject: string | null = null): string => scopeText({ scope, subject });
    assert.deepEqual([text('organization'), text('key', 'key_a'), text('person', 'person_a')], ['organization', 'key', 'person']);
    assert.equal(text('label', 'team:search'), 'label:team:search');
    assert.equal(text('label', '100% équipe 🦊\t~'), 'label:100%25 %C3%A9quipe %F0%9F%A6%8A%09~');
    assert.equal(text('label', '__proto__'), 'label:__proto__');
  });
});
