/**
 * Asks the providers what became of work that is billed later, for the organizations that want it, and settles it: so caps and runs see it though
 * nobody polls. Decision 138. One platform does it at a time; what the store keeps of it survives a restart, and whatever is asked twice is
 * settled once. A question never holds up a call: it is asked by the platform, over separate connections.
 */
import { requestIdFrom, type GatewayNodeId } from '@metergate/core/id.ts';
import { settlementOf } from '@metergate/core/price/settlement.ts';
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { begunAs } from '@metergate/core/usage/outcome-place.ts';
import type { FollowedWork } from '@metergate/store/calls/settling/followed-works.ts';
import type { GuardOf } from '@metergate/store/network/address-guard.ts';
import type { Store } from '@metergate/store/store.ts';
import { isRefusal } from '../use-cases/refusal.ts';
import { createWorkLease } from '../work/work-lease.ts';
import type { askOutcome, FollowedOutcome } from './ask-outcome.ts';
import { askedSellerOf, type SellerRules } from './asked-seller.ts';
import { followedForMs, pauseMs } from './follow-pace.ts';

interface FollowWorkOptions extends SellerRules {
  readonly store: Store;
  readonly clock: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  /** This platform, among those that share the store. */
  readonly holder: string;
  /** Judges the addresses of upstreams. */
  readonly guardOf: GuardOf;
  /** The work failed for one piece; it is tried again. */
  readonly failed: (fault: unknown) => void;
  /** A sentence for the log. */
  readonly say: (line: string) => void;
}

/** How often each answer was received since this platform began. */
export type FollowFigures = { readonly [Kind in FollowedOutcome['kind']]: number };

export interface FollowWork {
  /** Asks for what is due. Returns how many pieces were asked for; null: another platform does it, or an earlier pass is under way. */
  pass(): Promise<number | null>;
  asked(): FollowFigures;
  /** Ends the questions that are under way, then lets another platform continue at once. */
  end(): Promise<void>;
}

/** In one pass, and of them at the same time. */
const most = { each: 5, all: 40 } as const;
const atOnce = 4;
/** After a question that lasts longer and settles nothing, nothing is asked for the organization so many times as long: a pass waits for it. */
const longMs = 5_000;
const restAfterLong = 10;
/** How long it is remembered which work was settled, and how often what is older is forgotten. */
const rememberedMs = 400 * 86_400_000;
const forgetEachMs = 3_600_000;
/** Shorter than half of the lease, so that it is kept while answers are long. */
const renewMs = 3_000;

export function createFollowWork(options: FollowWorkOptions): FollowWork {
  return new Following(options);
}

interface AskingMeans {
  readonly book: PriceBook;
  readonly askOutcome: typeof askOutcome;
}

class Following implements FollowWork {
  readonly #options: FollowWorkOptions;
  readonly #lease: ReturnType<typeof createWorkLease>;
  /** By organization and provider, or by organization alone: until when no question is asked. */
  readonly #held = new Map<string, number>();
  readonly #ending = new AbortController();
  readonly #counts: Record<FollowedOutcome['kind'], number> = { settled: 0, waiting: 0, over: 0, held: 0 };
  #passing: Promise<number | null> | null = null;
  #forgetMs = -Infinity;
  /** Settlements are kept one after the other, as the rows of a journal are. */
  #keeping: Promise<unknown> = Promise.resolve();

  constructor(options: FollowWorkOptions) {
    this.#options = options;
    this.#lease = createWorkLease(options.store.workLeases, 'follow', options.holder);
  }

  pass(): Promise<number | null> {
    if (this.#passing !== null || this.#ending.signal.aborted) return Promise.resolve(null);
    this.#passing = this.#look().finally(() => { this.#passing = null; });
    return this.#passing;
  }

  asked(): FollowFigures {
    return { ...this.#counts };
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#passing?.catch(() => {});
    await this.#lease.release();
  }

  async #look(): Promise<number | null> {
    const { store, clock, failed } = this.#options;
    if (await this.#lease.hold(clock()) === null) return null;
    await this.#forget(clock());
    const due = await store.followedWorks.due(clock(), most);
    if (due.length === 0) return 0;
    // Most platforms never ask a provider: what reads its answers, and the prices, are loaded for the first piece of work that is due.
    const [{ askOutcome }, { priceBook }] = await Promise.all([import('./ask-outcome.ts'), import('../use-cases/prices.ts')]);
    const book = await priceBook({ store });
    if (isRefusal(book)) throw new Error(book.refused.message);
    const renewing = setInterval(() => void this.#lease.hold(clock()).catch(() => {}), renewMs);
    try {
      const next = oneForEach(due);
      const one = async (): Promise<void> => {
        for (let turn = next(); turn !== null && !this.#ending.signal.aborted; turn = next()) {
          await this.#ask(turn.work, { book, askOutcome }).catch(failed);
          turn.over();
        }
      };
      await Promise.all(Array.from({ length: atOnce }, one));
    } finally {
      clearInterval(renewing);
    }
    return due.length;
  }

  async #forget(nowMs: number): Promise<void> {
    if (nowMs - this.#forgetMs < forgetEachMs) return;
    while (await this.#options.store.followedWorks.forget(nowMs - rememberedMs) > 0 && !this.#ending.signal.aborted);
    this.#forgetMs = nowMs;
  }

  async #ask(work: FollowedWork, means: AskingMeans): Promise<void> {
    const { store, clock } = this.#options;
    const nowMs = clock();
    const ageMs = nowMs - work.beganMs;
    if (ageMs > followedForMs || begunAs(work.path)?.followed !== true) return store.followedWorks.again(work, null);
    const name = `${work.organization} ${work.seller}`;
    const heldMs = Math.max(this.#held.get(name) ?? 0, this.#held.get(work.organization) ?? 0);
    if (heldMs > nowMs) return store.followedWorks.again(work, heldMs);
    this.#held.delete(name);
    this.#held.delete(work.organization);
    const asked = await this.#asked(work, means, nowMs);
    if (this.#ending.signal.aborted && asked.kind !== 'settled') return;
    this.#counts[asked.kind] += 1;
    const tookMs = clock() - nowMs;
    if (asked.kind === 'held') this.#held.set(name, nowMs + asked.forMs);
    // Of the whole organization: it may have any number of upstreams, and a pass waits for each. Large results that settle are no fault.
    if (asked.kind !== 'settled' && tookMs > longMs) this.#held.set(work.organization, nowMs + tookMs * (1 + restAfterLong));
    if (asked.kind === 'settled') await this.#keep(work, asked, nowMs);
    await store.followedWorks.again(work, nextLookMs(asked, { nowMs, ageMs }));
    if (asked.kind === 'settled' || asked.kind === 'over') {
      this.#options.say(`Asked ${work.seller} what became of ${work.work}, which ${work.beganBy} of ${work.organization} began: ${
        asked.kind === 'settled' ? 'it is settled' : 'it ended, and what it used is not told'}.`);
    }
  }

  async #asked(work: FollowedWork, { book, askOutcome }: AskingMeans, atMs: number): Promise<FollowedOutcome> {
    const { store, guardOf } = this.#options;
    const organization = await store.settings.organization(work.organization);
    const seller = organization === null ? null : askedSellerOf(work.seller, organization, this.#options);
    if (organization === null || seller === null) return { kind: 'waiting' };
    return askOutcome(work, {
      ...seller, guard: guardOf(work.organization), signal: this.#ending.signal, book, fallback: organization.fallbackPrice, atMs,
    });
  }

  #keep(work: FollowedWork, settled: SettledWork, nowMs: number): Promise<void> {
    const kept = this.#keeping.then(() => this.#write(work, settled, nowMs));
    this.#keeping = kept.catch(() => {});
    return kept;
  }

  /** As a row of a journal of this platform's own, which the store takes once. */
  async #write(work: FollowedWork, { path, works, figures }: SettledWork, nowMs: number): Promise<void> {
    const { store, holder, randomBytes } = this.#options;
    const call = await store.callPages.find(work.organization, work.beganBy);
    if (call === null) return;
    const id = requestIdFrom(Buffer.from(randomBytes(16)).toString('hex'));
    const opening = { ...call, id, method: 'GET', path, endpoint: 'other' as const, startedAtMs: nowMs, node: nodeOf(holder) };
    const record: CallRecord = settlementOf(opening, works, figures);
    const segment = `follow_${holder}`;
    const seq = await store.calls.mark(segment) + 1;
    await store.calls.ship({ segment, through: seq, records: [{ seq, record }] });
  }
}

/** Gives work whose organization has no question under way; null: there is none now. Whoever has that question gets the next one. */
function oneForEach(due: readonly FollowedWork[]): () => { readonly work: FollowedWork; over(): void } | null {
  const left = [...due];
  const underWay = new Set<string>();
  return () => {
    const at = left.findIndex(({ organization }) => !underWay.has(organization));
    if (at < 0) return null;
    const work = left.splice(at, 1)[0]!;
    underWay.add(work.organization);
    return { work, over: () => void underWay.delete(work.organization) };
  };
}

/** Null: never. */
function nextLookMs(asked: FollowedOutcome, { nowMs, ageMs }: { readonly nowMs: number; readonly ageMs: number }): number | null {
  if (asked.kind === 'over') return null;
  if (asked.kind === 'held') return nowMs + asked.forMs;
  return nowMs + Math.max(pauseMs(ageMs), asked.kind === 'waiting' ? asked.leastMs ?? 0 : 0);
}

type SettledWork = FollowedOutcome & { readonly kind: 'settled' };

/** The platform in place of a node: it forwards nothing, and holds no leases of spend. */
function nodeOf(holder: string): GatewayNodeId {
  return holder as string as GatewayNodeId;
}
