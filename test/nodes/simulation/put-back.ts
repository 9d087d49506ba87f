/** Faults to put back into the product's own rules, for caps or for runs. What each does wrong is what its name says. */
import { takeAnswer, type LeaseAccount, type LeaseAnswer, type LeaseMoment } from '@metergate/core/spend/lease/account.ts';
import { answerClaim, noLease, type AnsweredClaim, type LeasedSum } from '@metergate/core/spend/lease/answer.ts';
import { LeaseBook, type LeaseBatch, type WindowLease } from '@metergate/core/spend/lease/book.ts';
import type { LeaseSubject } from '@metergate/core/spend/lease/subject.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { EndedRun, Run } from '@metergate/core/run/run.ts';
import { Runs, type RunCall, type RunDecision, type RunsOptions } from '@metergate/gateway/guards/runs.ts';
import { SpendLeases, type LeasedCall } from '@metergate/gateway/guards/spend-leases.ts';
import type { SubjectQuestion } from './faults.ts';

export type Whose = 'caps' | 'runs';

const nothing = nanoDollars(0n);

function isOf(whose: Whose, { scope }: LeaseSubject): boolean {
  return (scope === 'run') === (whose === 'runs');
}

/** A book whose fault concerns only the leases of caps, or of runs. */
class FaultyBook extends LeaseBook {
  readonly #whose: Whose;

  constructor(spread: number, whose: Whose) {
    super(spread);
    this.#whose = whose;
  }

  isConcerned({ subject }: LeaseAccount): boolean {
    return isOf(this.#whose, subject);
  }
}

/** What admitted past a limit once: an answer that found room lets calls go by it, however long ago it was asked for. */
export class AdmitsOnAnOldAnswer extends FaultyBook {
  override admits(account: LeaseAccount, now: LeaseMoment): boolean {
    const isFresh = now.monotonicMs - account.askedMonotonicMs < account.validMs;
    return super.admits(account, now) || (this.isConcerned(account) && account.foundRoom && isFresh);
  }
}

/** After one valid answer a lease counts as fresh for ever. */
export class NeverStale extends FaultyBook {
  override answered(batch: LeaseBatch, answers: readonly LeaseAnswer[]): void {
    super.answered(batch, answers.map((answer, at) => this.isConcerned(batch.accounts[at]!) ? { ...answer, validMs: Infinity } : answer));
  }
}

/** Freshness counts from the answer's arrival, not from the question's sending. */
export class FreshFromArrival extends FaultyBook {
  readonly #moment: () => LeaseMoment;

  constructor(spread: number, whose: Whose, moment: () => LeaseMoment) {
    super(spread, whose);
    this.#moment = moment;
  }

  override answered(batch: LeaseBatch, answers: readonly LeaseAnswer[]): void {
    super.answered(batch, answers);
    const { monotonicMs: askedMonotonicMs, wallMs: askedWallMs } = this.#moment();
    for (const account of batch.accounts) if (this.isConcerned(account)) Object.assign(account, { askedMonotonicMs, askedWallMs });
  }
}

/** An answer that comes after its batch was given up is taken in, whatever was answered meanwhile. */
export class HearsLateAnswers extends FaultyBook {
  #latest: LeaseBatch | null = null;

  override claims(now: LeaseMoment, nowMs: number): LeaseBatch | null {
    const batch = super.claims(now, nowMs);
    if (batch !== null) this.#latest = batch;
    return batch;
  }

  static lateFor(book: LeaseBook): (answers: readonly LeaseAnswer[]) => void {
    const late = book as HearsLateAnswers;
    const { accounts, claims, asked } = late.#latest!;
    return (answers) => accounts.forEach((account, at) => {
      if (late.isConcerned(account)) takeAnswer(account, answers[at]!, { asked, claim: claims[at]! });
    });
  }
}

/** What a node spent past its grant is not reported to the store. */
export class ReportsNoMoreThanGranted extends FaultyBook {
  override claims(now: LeaseMoment, nowMs: number): LeaseBatch | null {
    const batch = super.claims(now, nowMs);
    return batch === null ? null : { ...batch, claims: batch.claims.map((claim, at) =>
      this.isConcerned(batch.accounts[at]!) && claim.settled > claim.holds ? { ...claim, settled: claim.holds } : claim) };
  }
}

/** The answer of when there was no cap lets calls go by it when there is one. */
export class GoesByNoLimit extends FaultyBook {
  readonly #valid = new Map<LeaseAccount, number>();

  override answered(batch: LeaseBatch, answers: readonly LeaseAnswer[]): void {
    super.answered(batch, answers);
    batch.accounts.forEach((account, at) => this.#valid.set(account, batch.claims[at]!.wants ? answers[at]!.validMs : 0));
  }

  override admits(account: LeaseAccount, now: LeaseMoment): boolean {
    if (this.isConcerned(account) && account.limit === null && account.validMs === 0) {
      account.validMs = this.#valid.get(account) ?? 0;
      account.unreturned = false;
    }
    return super.admits(account, now);
  }
}

/** Only such an answer that was under way when the cap was set. */
export class ForgetsWhatItHeard extends FaultyBook {
  override answered(batch: LeaseBatch, answers: readonly LeaseAnswer[]): void {
    for (const account of batch.accounts) account.notedLimit = null;
    super.answered(batch, answers);
  }
}

/** Only such an answer of the next window, before that began. */
export class GoesByNoLimitAhead extends GoesByNoLimit {
  readonly #lines = new Set<WindowLease>();

  override at(line: WindowLease, nowMs: number): LeaseAccount {
    this.#lines.add(line);
    return super.at(line, nowMs);
  }

  override isConcerned(account: LeaseAccount): boolean {
    return super.isConcerned(account) && [...this.#lines].some(({ next }) => next === account);
  }

  override claims(now: LeaseMoment, nowMs: number): LeaseBatch | null {
    for (const { next } of this.#lines) if (next !== null) this.admits(next, now);
    return super.claims(now, nowMs);
  }
}

/** Only one of the two clocks counts. */
export class GoesByOneClock extends FaultyBook {
  readonly #clock: keyof LeaseMoment;

  constructor(spread: number, whose: Whose, clock: keyof LeaseMoment) {
    super(spread, whose);
    this.#clock = clock;
  }

  override admits(account: LeaseAccount, now: LeaseMoment): boolean {
    if (!this.isConcerned(account)) return super.admits(account, now);
    const { askedMonotonicMs, askedWallMs } = account;
    return super.admits(account, this.#clock === 'monotonicMs'
      ? { monotonicMs: now.monotonicMs, wallMs: askedWallMs + now.monotonicMs - askedMonotonicMs }
      : { monotonicMs: askedMonotonicMs + now.wallMs - askedWallMs, wallMs: now.wallMs });
  }
}

/** A window's lease still counts after its end. */
export class NeverTurns extends LeaseBook {
  override at(line: WindowLease): LeaseAccount {
    return line.current;
  }
}

/** A window begins with the lease of the one before. */
export class TakesLeaseAlong extends LeaseBook {
  override at(line: WindowLease, nowMs: number): LeaseAccount {
    const before = line.current;
    const account = super.at(line, nowMs);
    if (account === before || account.validMs > 0) return account;
    const { granted, limit, validMs, confirmMs, askedMonotonicMs, askedWallMs } = before;
    return Object.assign(account, { granted, limit, validMs, confirmMs, askedMonotonicMs, askedWallMs });
  }
}

/** The cost of a call that ends when its lease has run out is the node's spend as often as it is reported. */
export class SettlesStale extends SpendLeases {
  readonly #whose: Whose;
  readonly #times: number;
  readonly #isStale: (account: LeaseAccount) => boolean;

  constructor(options: ConstructorParameters<typeof SpendLeases>[0], whose: Whose, times: number) {
    super(options);
    this.#whose = whose;
    this.#times = times;
    this.#isStale = (account) => options.clock.monotonicMs() - account.askedMonotonicMs >= account.validMs;
  }

  override settled(call: LeasedCall, record: Pick<CallRecord, 'startedAtMs' | 'cost'>): void {
    const { leases, held, subjects } = call;
    const stale = this.#whose === 'caps' && leases.some(({ line }) => this.#isStale(line.current));
    if (this.#whose === 'runs' ? held === null || held.run.effective === null || this.confirmsRun(held) : !stale) return super.settled(call, record);
    const part: LeasedCall = this.#whose === 'caps' ? { subjects, leases, held: null } : { subjects: [], leases: [], held };
    const rest: LeasedCall = this.#whose === 'caps' ? { subjects: [], leases: [], held } : { subjects, leases, held: null };
    super.settled(rest, record);
    if (this.#times === 0) this.givenBack(part);
    for (let time = 0; time < this.#times; time += 1) {
      if (time > 0) this.taken(part);
      super.settled(part, record);
    }
  }
}

/** A run's budget rises when news of an older, larger one arrives. */
export class RaisesBudgets extends Runs {
  readonly #registry: RunsOptions['registry'];

  constructor(options: RunsOptions) {
    super(options);
    this.#registry = options.registry;
  }

  override tightenedElsewhere({ organization, id, effective }: Pick<Run, 'organization' | 'id' | 'effective'>): void {
    const held = this.#registry.find(organization, id);
    if (held !== undefined) held.run = { ...held.run, effective };
  }
}

/** Nobody looks at the time limit of a run. */
export class NeverExpires extends Runs {
  override decide(call: RunCall): RunDecision {
    return super.decide(call, 0);
  }
}

/** A late answer serves who asks next, although the run has ended since. */
export class KeepsLateRuns extends Runs {
  readonly #registry: RunsOptions['registry'];

  constructor(options: RunsOptions) {
    super(options);
    this.#registry = options.registry;
  }

  override endedElsewhere({ organization, id, state, endedAtMs }: EndedRun): void {
    const held = this.#registry.find(organization, id);
    if (held !== undefined) this.#registry.end(held, state, endedAtMs);
  }
}

type Answer = (sum: LeasedSum, question: SubjectQuestion) => AnsweredClaim;

function forOnly(whose: Whose, answer: Answer): Answer {
  return (sum, question) => isOf(whose, question.claim.subject) ? answer(sum, question) : answerClaim(sum, question);
}

/** What the store does with claims, wrongly. */
export const storeFaults = {
  /** A batch that arrives after a later one is applied. */
  heedsOvertaken: (whose: Whose): Answer => forOnly(whose, ({ leases, ...sum }, question) =>
    answerClaim({ ...sum, leases: leases.map((lease) => ({ ...lease, claim: -1 })) }, question)),
  /** What a node reported of its spend beyond its grant is forgotten. */
  forgetsReports: (whose: Whose): Answer => forOnly(whose, (sum, question) => {
    const answered = answerClaim(sum, question);
    return { ...answered, kept: answered.kept === null ? null : { ...answered.kept, settled: nothing } };
  }),
  /** What a node has spent and not shipped is granted to it once more. */
  grantsUnshippedAgain: (whose: Whose): Answer => forOnly(whose, (sum, question) => {
    const answered = answerClaim(sum, question);
    const own = sum.leases.find(({ node }) => node === question.node) ?? noLease(question.node);
    const unshipped = question.claim.settled - own.shipped;
    if (answered.kept === null || unshipped <= 0n || answered.kept.granted <= own.granted) return answered;
    const granted = nanoDollars(answered.kept.granted + unshipped);
    return { ...answered, answer: { ...answered.answer, granted }, kept: { ...answered.kept, granted } };
  }),
  /** A run that is over is confirmed. */
  confirmsWhatIsOver: ((sum, question) => answerClaim({ ...sum, over: false }, question)) satisfies Answer,
};
