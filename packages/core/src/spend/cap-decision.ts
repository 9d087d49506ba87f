/**
 * The caps that bind a call and what was spent → admitted, or the one refusal to answer with (spec: Budget cap, Errors 402, 429 and 503;
 * rules 1, 4 and 11). Decides and takes nothing; allocates nothing if it admits. Spend that is known to have reached a cap
 * refuses as such even while nothing newer can be confirmed: within a window it never falls. A cap that is not reached and cannot be
 * confirmed is never guessed at (promise 5).
 */
import type { PersonId, ServiceKeyId } from '../id.ts';
import { nanoDollars, type NanoDollars } from '../money.ts';
import type { Cap, CapMode, CapScope } from './cap.ts';
import { resetsAtMs, spentAt, type WindowSum, type WindowSums } from './spend-sum.ts';
import { compareLength, type CalendarWindow } from './window.ts';

/** Scopes whose caps refuse; projects' caps are shown only. */
export type BindingScope = Exclude<CapScope, 'project'>;
export type BindingCap = Cap & { readonly scope: BindingScope };

/** A cap and the live sum it is compared with. Kept per cap as long as settings do not change. */
export interface BoundCap {
  readonly cap: BindingCap;
  /** The sum of the cap's subject and window; the same object that ended calls are added to. */
  readonly sum: WindowSum;
  /** False: the node cannot know now what was spent elsewhere. Changed in place. */
  confirmed: boolean;
}

export type CapRefusal =
  /** 402, or in pause mode 429. `retryAfterSeconds`: from 1; null unless the cap pauses. */
  | {
    readonly kind: 'cap_reached'; readonly scope: BindingScope; readonly subject: string | null; readonly window: CalendarWindow;
    readonly mode: CapMode; readonly retryAfterSeconds: number | null;
  }
  /** 503. */
  | { readonly kind: 'cap_unconfirmed'; readonly scope: BindingScope; readonly subject: string | null; readonly window: CalendarWindow };

/** What a cap that pauses and never resets sends as a back-off (spec: Errors, 429). */
const lifetimeRetryAfterSeconds = 86_400;

/** A key, and the member whose key it is; null: nobody's in particular. */
interface OwnedKey {
  readonly id: ServiceKeyId;
  readonly person: PersonId | null;
}

/**
 * The caps that bind all calls of one key: the organization's, longest window first; then the key's, if those refuse (rule 4); then its person's.
 * Caps of labels bind the calls that have them.
 */
export function bindingCapsOf(caps: readonly Cap[], { id, person }: OwnedKey, enforceKeyCaps: boolean): BindingCap[] {
  const binds = (cap: Cap): cap is BindingCap => cap.scope === 'organization' || (cap.scope === 'key' && enforceKeyCaps && cap.subject === id)
    || (cap.scope === 'person' && cap.subject === person);
  return caps.filter(binds).sort((one, other) => compareScope(one, other) || compareLength(other.window, one.window));
}

/** Ties a cap to the sums of its subject. */
export function bindCap(cap: BindingCap, sums: WindowSums): BoundCap {
  return { cap, sum: sums[cap.window], confirmed: true };
}

/**
 * How headers name a scope: a label's with the label, in visible ASCII and spaces, everything else and `%` percent-encoded as UTF-8. A person is
 * not named: whoever holds a key need not know whose it is.
 */
export function scopeText({ scope, subject }: { readonly scope: BindingScope; readonly subject: string | null }): string {
  return scope === 'label' ? `label:${subject!.replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent)}` : scope;
}

/** Null: admitted. Otherwise the refusal that takes precedence: a reached cap before one that cannot be confirmed. */
export function decideCaps(binding: readonly BoundCap[], nowMs: number): CapRefusal | null {
  let reached: BoundCap | null = null;
  let unconfirmed: BoundCap | null = null;
  for (const bound of binding) {
    if (spentAt(bound.sum, nowMs) >= bound.cap.limit) {
      if (reached === null || goesBefore(bound, reached, nowMs)) reached = bound;
    } else if (!bound.confirmed && (unconfirmed === null || goesBefore(bound, unconfirmed, nowMs))) {
      unconfirmed = bound;
    }
  }
  if (reached !== null) return capReached(reached, nowMs);
  return unconfirmed === null ? null : { kind: 'cap_unconfirmed', ...namedOf(unconfirmed.cap) };
}

/** What may still be spent under the cap now; at least 0. */
export function moneyLeft({ cap, sum }: BoundCap, nowMs: number): NanoDollars {
  const left = cap.limit - spentAt(sum, nowMs);
  return nanoDollars(left > 0n ? left : 0n);
}

/**
 * Whose money is tightest, for a 200 (rule 11): a cap, the run, or null if neither binds.
 * `runLeft`: what the run may still spend; null: no run, or one without a budget. On a tie a cap takes precedence over the run.
 */
export function tightest(binding: readonly BoundCap[], runLeft: NanoDollars | null, nowMs: number): BoundCap | 'run' | null {
  let least: BoundCap | null = null;
  let leastLeft = nanoDollars(0n);
  for (const bound of binding) {
    const left = moneyLeft(bound, nowMs);
    if (least !== null && (left > leastLeft || (left === leastLeft && !goesBefore(bound, least, nowMs)))) continue;
    least = bound;
    leastLeft = left;
  }
  if (runLeft === null) return least;
  return least === null || (runLeft > 0n ? runLeft : 0n) < leastLeft ? 'run' : least;
}

/** The order of scopes in refusals and ties. */
const scopeRank: { readonly [S in BindingScope]: number } = { organization: 0, key: 1, person: 2, label: 3 };

/** Organization before key, person and label; within one scope the cap that resets last, on a tie the one with the longer window (rule 1). */
function goesBefore(one: BoundCap, other: BoundCap, nowMs: number): boolean {
  const scope = compareScope(one.cap, other.cap);
  if (scope !== 0) return scope < 0;
  const [oneMs, otherMs] = [resetInstant(one, nowMs), resetInstant(other, nowMs)];
  return oneMs === otherMs ? compareLength(one.cap.window, other.cap.window) > 0 : oneMs > otherMs;
}

function compareScope(one: BindingCap, other: BindingCap): number {
  return scopeRank[one.scope] - scopeRank[other.scope];
}

function resetInstant({ sum }: BoundCap, nowMs: number): number {
  return resetsAtMs(sum, nowMs) ?? Infinity;
}

function capReached({ cap, sum }: BoundCap, nowMs: number): CapRefusal {
  const { mode } = cap;
  return { kind: 'cap_reached', ...namedOf(cap), mode, retryAfterSeconds: mode === 'pause' ? secondsUntilReset(sum, nowMs) : null };
}

function namedOf({ scope, subject, window }: BindingCap): Pick<CapRefusal, 'scope' | 'subject' | 'window'> {
  return { scope, subject, window };
}

function secondsUntilReset(sum: WindowSum, nowMs: number): number {
  const endMs = resetsAtMs(sum, nowMs);
  return endMs === null ? lifetimeRetryAfterSeconds : Math.max(1, Math.ceil((endMs - nowMs) / 1_000));
}
