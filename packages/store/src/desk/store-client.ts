/**
 * The store as the gateway thread sees it: questions with a deadline, changes as they come, and when it last answered.
 * Rules: Decide, then take. Nothing here waits longer than the deadline, and nothing the store thread does can delay a call. If the store is away or
 * late, the question is rejected; earlier answers stay usable.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { PriceTexts } from '@metergate/core/price/price-texts.ts';
import type { RefusalCount } from '@metergate/core/report/refusal-count.ts';
import type { RefusalEntry } from '@metergate/core/report/refusal-entries.ts';
import type { LeaseAnswer } from '@metergate/core/spend/lease/account.ts';
import { easy } from '@metergate/core/spend/lease/grant.ts';
import type { SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import type { NewRun, RunAnswer } from '../runs/make-runs.ts';
import type { Port } from './gathered-port.ts';
import type { FromStore, KeyAnswer, OrganizationChange, ToStore } from './protocol.ts';
import { OwnRuns } from './own-runs.ts';
import { Questions, StoreAway } from './questions.ts';
import { createSharedNews, latestValue, type SharedNews } from './shared-news.ts';

interface StoreClientOptions {
  readonly port: Port;
  /** How long a question may take; 250 ms by default. One about a key may take longer within the first second. */
  readonly deadlineMs?: number;
  /** Milliseconds on a clock that never steps back. */
  readonly clock: () => number;
  /** Runs `task` once after `delayMs`, unless the returned function cancels it; a timer by default. */
  readonly after?: (delayMs: number, task: () => void) => () => void;
}

export { StoreAway, type Port };

export interface StoreClient extends SharedNews {
  /**
   * The key with this SHA-256 (hexadecimal). Null: no such live key. An answer that comes after the deadline, but within
   * five seconds of it, goes to `late`: it still serves whoever asks next. @throws StoreAway
   */
  askKey(hash: string, late?: (found: KeyAnswer | null) => void): Promise<KeyAnswer | null>;
  /**
   * Makes a run, or finds the one that exists, in the store. One question per run is enough. `late`: as for a key. @throws StoreAway
   */
  askRun(run: NewRun, late?: (answer: RunAnswer) => void): Promise<RunAnswer>;
  /** True: the run never existed, and this node begins it without asking; it is known from now on. False: the store must be asked. */
  claimRun(run: { readonly organization: OrganizationId; readonly id: string }): boolean;
  /** True: the run certainly never existed. False: it may, or the store is shared. Changes nothing. */
  isNewRun(run: { readonly organization: OrganizationId; readonly id: string }): boolean;
  /** Reports that a call of the run was opened, so that it does not vanish. */
  confirmRun(run: { readonly organization: OrganizationId; readonly id: string }): void;
  /** The store's answers to claims, within five seconds, in their order. Shared store only. @throws StoreAway */
  claimLeases(batch: number, claims: readonly SubjectClaim[]): Promise<readonly LeaseAnswer[]>;
  /** Calls back at each change of what this node holds. */
  onChange(listener: (change: OrganizationChange) => void): void;
  /** Calls back with keys that were used lately, before the first message is received. */
  onAhead(listener: (hash: string, found: KeyAnswer) => void): void;
  /** Calls back with what prices are made from: at once if it is known already, and at each change. */
  onPrices(listener: (prices: PriceTexts) => void): void;
  /** When the last message of the store came, on `clock`; until the first, the moment of creation. */
  lastNewsMs(): number;
  /** Resolves with the first message of the store; the prices are known then. */
  readonly heard: Promise<void>;
  /** Counts refusals in the store, and keeps these entries of them; best effort. */
  sendRefusals(counts: readonly RefusalCount[], entries: readonly RefusalEntry[]): void;
  /** Reports that calls were closed, so that they are shipped soon. Cheap to repeat. */
  nudgeJournal(): void;
  /** Reports that a lease of a cell was overrun, so that the call is shipped at once. */
  shipNow(cell: number): void;
}

/**
 * Without its key nothing can be decided for a caller, so it waits longer rather than being refused. A store or machine that is busy for a moment
 * is not away; a store that is away says so at once.
 */
const keyDeadlineMs = 2_000;
/**
 * How long a batch of claims may take; calls that wait for it give up sooner. A late answer of a distant store is valid from the moment of the
 * question, so it is of use for as long as the longest lease is valid.
 */
const claimDeadlineMs = easy.validMs;
/** Nudges closer together than this are one. */
const nudgePauseMs = 50;

export function createStoreClient(options: StoreClientOptions): StoreClient {
  const { port, deadlineMs = 250, clock, after = timer } = options;
  const changeListeners: ((change: OrganizationChange) => void)[] = [];
  const aheadListeners: ((hash: string, found: KeyAnswer) => void)[] = [];
  const news = createSharedNews(clock);
  const prices = latestValue<PriceTexts>();
  const { promise: heard, resolve: resolveFirst } = Promise.withResolvers<void>();
  let lastNewsMs = clock();
  let nudgedMs = -Infinity;
  const ownRuns = new OwnRuns(clock);

  const send = (message: ToStore): void => port.postMessage(message);

  const questions = new Questions({ send, after, deadlineMs });

  function nudgeJournal(): void {
    const now = clock();
    if (now - nudgedMs < nudgePauseMs) return;
    nudgedMs = now;
    send({ kind: 'nudge' });
  }

  port.on('message', (message: FromStore) => {
    if (message.kind === 'failed') {
      questions.failed(message.number);
      return;
    }
    lastNewsMs = clock();
    news.receive(message);
    ownRuns.receive(message);
    switch (message.kind) {
      case 'answer': return questions.answered(message.number, message.found);
      case 'run': return questions.answered(message.number, message.answer);
      case 'leases': return questions.answered(message.number, message.answers);
      case 'changed':
        return changeListeners.forEach((listener) => listener(message.change));
      case 'ahead': return aheadListeners.forEach((listener) => listener(message.hash, message.found));
      case 'prices':
        return prices.set(message.prices);
      case 'heartbeat':
        return resolveFirst();
    }
  });

  return {
    ...news,
    sendRefusals: (counts, entries) => send({ kind: 'refusals', counts, entries }),
    askKey: (hash, late) => questions.ask((number) => ({ kind: 'ask', number, hash }), {
      asker: 'keys', late, withinMs: Math.max(deadlineMs, keyDeadlineMs),
    }),
    askRun(run, late) {
      ownRuns.note(run);
      return questions.ask((number) => ({ kind: 'open_run', number, run }), { asker: run.organization, late });
    },
    claimRun(run) {
      const isClaimed = ownRuns.claim(run);
      if (isClaimed) nudgeJournal();
      return isClaimed;
    },
    isNewRun: (run) => ownRuns.isNew(run),
    confirmRun: ({ organization, id }) => send({ kind: 'confirm_run', organization, id }),
    claimLeases: (batch, claims) => questions.ask((number) => ({ kind: 'claim', number, batch, claims }), {
      asker: 'leases', withinMs: claimDeadlineMs,
    }),
    onChange: (listener) => void changeListeners.push(listener),
    onAhead: (listener) => void aheadListeners.push(listener),
    onPrices: (listener) => prices.listen(listener),
    lastNewsMs: () => lastNewsMs,
    heard,
    nudgeJournal,
    shipNow: (cell) => send({ kind: 'ship_now', cell }),
  };
}

/**
 * The task runs after the messages that have arrived by then: if this thread itself was held up, it must not miss an answer that
 * is already in its queue.
 */
function timer(delayMs: number, task: () => void): () => void {
  let afterMessages: NodeJS.Immediate | undefined;
  const handle = setTimeout(() => {
    afterMessages = setImmediate(task);
  }, delayMs);
  return () => {
    clearTimeout(handle);
    clearImmediate(afterMessages);
  };
}
