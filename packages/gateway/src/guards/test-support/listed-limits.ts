/**
 * A model of a node's limits, computed the long way: it keeps everything that happened in lists, and walks them for each question in plain
 * `bigint` arithmetic. It shares no rule but the calendar with the code it is compared with.
 */
import type { Refusal } from '@metergate/core/refusal.ts';
import type { ClampReason, EndedState, Run } from '@metergate/core/run/run.ts';
import type { RateFigures } from '@metergate/core/rate/tier.ts';
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import { windowAt } from '@metergate/core/spend/window.ts';

/** One bucket: all that was taken and given back, and the figures in force, each with its start. */
class ListedBucket {
  readonly #events: { atMs: number; units?: bigint; perMinute?: bigint }[] = [];
  #perMinute: bigint;

  constructor(perMinute: number) {
    this.#perMinute = BigInt(perMinute);
    this.#events.push({ atMs: 0, perMinute: this.#perMinute });
  }

  /** A changed plan is noticed when the bucket is next looked at; until then it refills as before. */
  follow(perMinute: number, atMs: number): void {
    if (this.#perMinute === BigInt(perMinute)) return;
    this.#perMinute = BigInt(perMinute);
    this.#events.push({ atMs, perMinute: this.#perMinute });
  }

  add(amount: number, atMs: number): void {
    this.#events.push({ atMs, units: BigInt(amount) * 60_000n });
  }

  get capacity(): bigint {
    return this.#perMinute * 120_000n;
  }

  levelAt(nowMs: number): bigint {
    let [level, figure, atMs] = [0n, 0n, 0];
    const least = (one: bigint, other: bigint): bigint => one < other ? one : other;
    const pass = (ms: number): void => {
      level = least(figure * 120_000n, level + figure * BigInt(ms - atMs));
      atMs = ms;
    };
    for (const event of this.#events) {
      pass(event.atMs);
      if (event.perMinute !== undefined) {
        level += (event.perMinute - figure) * 120_000n;
        figure = event.perMinute;
      }
      level = least(figure * 120_000n, level + (event.units ?? 0n));
    }
    pass(nowMs);
    return level;
  }

  /** Null: there is enough. Otherwise seconds to wait. */
  waitFor(amount: number, nowMs: number): number | null {
    const missing = BigInt(amount) * 60_000n - this.levelAt(nowMs);
    if (missing <= 0n) return null;
    const seconds = (missing + this.#perMinute * 1_000n - 1n) / (this.#perMinute * 1_000n);
    return Number(seconds > 60n ? 60n : seconds);
  }
}

export interface ListedCall {
  readonly key: string;
  readonly startedAtMs: number;
  readonly cost: bigint;
}

/** Everything that happened to one run while the node held it. */
export type RunEvent =
  | { readonly is: 'tightened'; readonly to: bigint }
  | { readonly is: 'ended'; readonly state: EndedState }
  | { readonly is: 'cost'; readonly cost: bigint };

export interface ModelRun {
  readonly answered: Run;
  readonly events: RunEvent[];
}

export function runNow({ answered, events }: ModelRun): { state: string; effective: bigint | null; spent: bigint; clampReason: ClampReason | null } {
  const tightened = events.filter((event) => event.is === 'tightened').at(-1);
  const costs = events.map((event) => event.is === 'cost' ? event.cost : 0n);
  return {
    state: answered.state === 'live' ? events.find((event) => event.is === 'ended')?.state ?? 'live' : answered.state,
    effective: tightened?.to ?? answered.effective,
    clampReason: tightened === undefined ? answered.clampReason : null,
    spent: costs.reduce((sum, cost) => sum + cost, answered.spent),
  };
}

export function hasTightened(run: ModelRun, budget: bigint): boolean {
  const { effective } = runNow(run);
  return effective === null || budget < effective;
}

const refusalOfState: { readonly [state: string]: Refusal } = {
  closed: { kind: 'run_closed' }, expired: { kind: 'run_expired' }, over_budget: { kind: 'run_over_budget' },
};

/** The refusal of a run, and the state in which this call ends it. Null: admitted. */
export function runVerdict(run: ModelRun, budget: bigint | null, nowMs: number): { refusal: Refusal; ends: EndedState | null } | null {
  const { state, effective, spent } = runNow(run);
  if (state !== 'live') return { refusal: refusalOfState[state]!, ends: null };
  if (nowMs >= (run.answered.expiresAtMs ?? Infinity)) return { refusal: refusalOfState['expired']!, ends: 'expired' };
  const budgets = [effective, budget].filter((each) => each !== null);
  if (budgets.some((each) => spent >= each)) return { refusal: refusalOfState['over_budget']!, ends: 'over_budget' };
  return null;
}

/** The budget of a new run under policy; null: nothing is left. */
export function policyOf(
  { runPolicy }: OrganizationSettings, key: ServiceKeySettings, { budget, grantMax }: { budget: bigint | null; grantMax: bigint | null },
): { effective: bigint | null; clampReason: ClampReason | null } | null {
  const cut = (bound: bigint): bigint => bound / 1_000n * 1_000n;
  const bounds: [bigint | null, ClampReason][] = [
    grantMax === null ? [key.maxRunBudget ?? runPolicy.maxRunBudget, 'policy_max'] : [grantMax, 'grant_max'],
    [runPolicy.runCeiling, 'workspace_ceiling'],
  ];
  let [effective, clampReason]: [bigint | null, ClampReason | null] = [budget, null];
  for (const [bound, reason] of bounds) {
    if (bound === null || (effective !== null && bound >= effective)) continue;
    [effective, clampReason] = [cut(bound), budget === null ? null : reason];
  }
  return effective !== null && effective <= 0n ? null : { effective, clampReason };
}

/** Of one organization: its calls, its buckets and those of its keys. */
export class ListedOrganization {
  readonly calls: ListedCall[] = [];
  readonly requests: ListedBucket;
  readonly tokens: ListedBucket;
  readonly keys = new Map<string, { requests: ListedBucket; tokens: ListedBucket }>();

  constructor({ requestsPerMinute, tokensPerMinute }: RateFigures, keys: readonly string[]) {
    const pair = () => ({ requests: new ListedBucket(requestsPerMinute), tokens: new ListedBucket(tokensPerMinute) });
    ({ requests: this.requests, tokens: this.tokens } = pair());
    for (const key of keys) this.keys.set(key, pair());
  }

  buckets(key: string): [ListedBucket, ListedBucket, ListedBucket, ListedBucket] {
    const { requests, tokens } = this.keys.get(key)!;
    return [requests, tokens, this.requests, this.tokens];
  }

  follow(key: string, figures: RateFigures, nowMs: number): void {
    this.buckets(key).forEach((bucket, at) => bucket.follow(at % 2 === 0 ? figures.requestsPerMinute : figures.tokensPerMinute, nowMs));
  }

  rate(key: string, estimate: number, nowMs: number): Refusal | null {
    const waits = this.buckets(key).map((bucket, at) => bucket.waitFor(at % 2 === 0 ? 1 : estimate, nowMs));
    const retryAfterSeconds = waits.find((wait) => wait !== null);
    return retryAfterSeconds === undefined ? null : { kind: 'rate_limited', retryAfterSeconds };
  }

  /** The caps that bind, in the order in which they refuse, each with what is left of it and when it resets. */
  caps(settings: OrganizationSettings, key: string, nowMs: number) {
    const resets = (endMs: number | null): number => endMs ?? Infinity;
    return settings.caps
      .filter(({ scope, subject }) => scope === 'organization' || (scope === 'key' && settings.enforceKeyCaps && subject === key))
      .map((cap) => {
        const { startMs, endMs } = windowAt(cap.window, nowMs);
        const counted = this.calls.filter((call) =>
          (cap.scope === 'organization' || call.key === key) && call.startedAtMs >= startMs && call.startedAtMs < resets(endMs));
        return { cap, endMs, left: counted.reduce((left, { cost }) => left - cost, cap.limit as bigint) };
      })
      .sort((one, other) => (one.cap.scope === other.cap.scope ? 0 : one.cap.scope === 'organization' ? -1 : 1)
        || (resets(other.endMs) === resets(one.endMs) ? 0 : resets(other.endMs) - resets(one.endMs))
        || windowLength[other.cap.window] - windowLength[one.cap.window]);
  }

  cap(settings: OrganizationSettings, key: string, nowMs: number): Refusal | null {
    const reached = this.caps(settings, key, nowMs).find(({ left }) => left <= 0n);
    if (reached === undefined) return null;
    const { cap: { scope, subject, window, mode }, endMs } = reached;
    const wait = endMs === null ? 86_400 : Math.max(1, Math.ceil((endMs - nowMs) / 1_000));
    return { kind: 'cap_reached', scope: scope as 'organization' | 'key', subject, window, mode, retryAfterSeconds: mode === 'pause' ? wait : null };
  }
}

const windowLength = { day: 1, week: 7, month: 30, year: 365, lifetime: Infinity };

/** The budget headers of a 200, as pairs. */
export function budgetHeaders(caps: ReturnType<ListedOrganization['caps']>, run: ModelRun | null): string[] {
  const now = run === null ? null : runNow(run);
  const floored = (left: bigint): bigint => left < 0n ? 0n : left;
  const candidates = caps.map(({ cap, left }) => ({ scope: cap.scope as string, window: cap.window as string, left: floored(left) }));
  if (now !== null && now.effective !== null) candidates.push({ scope: 'run', window: 'run', left: floored(now.effective - now.spent) });
  type Candidate = (typeof candidates)[number];
  const tightest = candidates.reduce<Candidate | null>((least, each) => least === null || each.left < least.left ? each : least, null);
  if (tightest === null) return [];
  const pairs = ['x-svc-budget-scope', tightest.scope, 'x-svc-budget-window', tightest.window];
  if (now !== null && now.effective !== null) pairs.push('x-svc-run-budget-effective', sixPlaces(now.effective));
  if (now !== null && now.clampReason !== null) pairs.push('x-svc-run-clamp-reason', now.clampReason);
  return pairs;
}

function sixPlaces(amount: bigint): string {
  const digits = (amount / 1_000n).toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
