/**
 * The journalling of one forwarded call: opened before anything is sent, closed once with its record, and at the same moment settled with the
 * guards. The last bytes of its answer wait for that record (rules: Journal). A call that our own fault ended has a record too. One that
 * was never opened has none, and gives back what it took.
 */
import type { CallOpening, CallRecord } from '@metergate/core/record/call-record.ts';
import { settlementOf, type OutcomeTally } from '@metergate/core/price/settlement.ts';
import { withoutUsage } from '@metergate/core/usage/operation.ts';
import { nothingDue, type Reading } from '@metergate/core/usage/reading.ts';
import type { FaultPlace } from '../node/faults.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { CopyReader } from '../usage/copy-reader.ts';
import type { AdmittedCall, OutboundBody } from './admitted-call.ts';
import { brokenRecord, type CallFacts } from './broken-call.ts';
import type { CallGuard } from './call-guard.ts';
import { readAtEnd, type EndOfAnswer } from './read-at-end.ts';
import { requestedModelOf } from './requested-model.ts';
import { freshRequestId } from '../callers/request-ids.ts';
import { openingOf, settledRecord } from './settle.ts';

interface RecordedCall {
  readonly call: AdmittedCall;
  readonly body: Pick<OutboundBody, 'overBound' | 'requestedModel'>;
  readonly guard: CallGuard;
}

/** What was seen of a call by its end. */
interface SeenOfCall {
  readonly copy: CopyReader | null;
  /** What the copy tells of work that an earlier call began; null: it tells of none. */
  readonly outcome: OutcomeTally | null;
  /** It was dialled, and no head of an answer came. */
  readonly unanswered: boolean;
  /** Asked for when its end has been read. */
  readonly facts: () => CallFacts;
}

/** How an answer ended, and what was read of it. */
interface ReadToEnd {
  readonly end: EndOfAnswer;
  readonly reading: Reading;
  readonly outcomeOf: readonly string[];
}

export class Recording {
  readonly #node: GatewayNode;
  readonly #call: AdmittedCall;
  readonly #body: RecordedCall['body'];
  #guard: CallGuard;
  readonly #opening: CallOpening;
  #opened = false;
  /** Milliseconds that the gateway itself added to the call so far. */
  #addedMs = 0;
  #settling = false;
  #settled = false;

  constructor(node: GatewayNode, { call, body, guard }: RecordedCall) {
    this.#node = node;
    this.#call = call;
    this.#body = body;
    this.#guard = guard;
    this.#opening = openingOf(call, node.id);
  }

  /** Somebody else keeps the record from now on: a fault ends them, through this guard. */
  isKeptBy(guard: CallGuard): void {
    this.#guard = guard;
  }

  /** The record is being written, or is written. */
  get settling(): boolean {
    return this.#settling;
  }

  /** The record is committed: the rest of the answer may leave. */
  get settled(): boolean {
    return this.#settled;
  }

  /** `done` runs once, with the error where the opening could not be written: nothing may be sent then. */
  open(done: (error: Error | null) => void): void {
    this.#node.journal.open(this.#opening, (error) => this.#guard.run('journal', () => {
      if (error === null) {
        this.#opened = true;
        this.#addedMs = this.#node.clock.monotonicMs() - this.#call.startedMonotonicMs;
        this.#node.guards.opened(this.#call);
      } else {
        this.#node.guards.giveBack(this.#call);
      }
      done(error);
    }), this.#node.guards.beginningOf(this.#call));
  }

  /** Ends the reading, writes the record and runs `committed` when that is done. Happens once. */
  settle(end: EndOfAnswer, { copy, outcome, unanswered, facts }: SeenOfCall, committed: () => void): void {
    if (this.#settling) return;
    this.#settling = true;
    const startedMs = this.#node.clock.monotonicMs();
    const lost = unanswered && withoutUsage(this.#opening) !== 'none';
    const close = (read: Reading): void => {
      // An answer that tells of earlier work has no usage of its own, even if it could not be read.
      const reading = outcome === null ? read : nothingDue;
      const record = this.#recordOf({ end, reading, outcomeOf: outcome?.works ?? [] }, facts());
      if (outcome !== null) this.#settleWork(outcome);
      this.#close(record, () => this.#inTurn('journal', () => this.#isSettled(record, startedMs, committed)));
    };
    this.#inTurn('settling', () => {
      let isInTurn = true;
      readAtEnd({ copy, lost }, end, (reading) => {
        // Copies that were waited for are given up all at once where many came at once.
        if (isInTurn) this.#guard.run('settling', () => close(reading));
        else this.#inTurn('settling', () => close(reading));
      });
      isInTurn = false;
    });
  }

  #isSettled(record: CallRecord, startedMs: number, committed: () => void): void {
    this.#settled = true;
    this.#node.log.ended(record);
    this.#node.traces?.ended(record, this.#call.traceParent);
    this.#node.metrics.recorded(record, this.#addedMs + this.#node.clock.monotonicMs() - startedMs);
    committed();
  }

  /** Where its organization has had its turn, in a later one. */
  #inTurn(place: FaultPlace, step: () => void): void {
    const { turns } = this.#node;
    const { id } = this.#call.held.organization;
    if (turns.mayGo(id)) this.#guard.run(place, step);
    else turns.later(id, () => this.#guard.run(place, step));
  }

  /** After our own fault; a call that was settled keeps its first record. `told` runs when it is written. @throws what keeps it from being made. */
  settleBroken(facts: CallFacts, told: () => void): void {
    const record = brokenRecord(this.#opening, facts);
    this.#node.metrics.recorded(record, null);
    this.#node.log.ended(record);
    this.#node.traces?.ended(record, this.#call.traceParent);
    if (this.#opened) this.#close(record, told);
    else {
      this.#node.guards.giveBack(this.#call);
      this.#node.journal.close(record, told);
    }
  }

  #close(record: CallRecord, done: () => void): void {
    this.#node.guards.settle(this.#call, record);
    this.#node.journal.close(record, done);
  }

  /** In the same commit as the call's own record. Whether it settles anything is for the store to say, and only then does it count. */
  #settleWork(outcome: OutcomeTally): void {
    const figures = outcome.figures();
    if (figures === null) return;
    const nowMs = this.#node.clock.wallMs();
    const opening = { ...this.#opening, id: freshRequestId(nowMs), startedAtMs: nowMs };
    this.#node.journal.settle(settlementOf(opening, outcome.works, figures), () => {});
  }

  #recordOf({ end: { outcome }, reading, outcomeOf }: ReadToEnd, facts: CallFacts): CallRecord {
    const { streamed, status, providerRequestId, requestBytes, responseBytes, firstByteMs, durationMs } = facts;
    return settledRecord(this.#call, this.#opening, {
      streamed, status, providerRequestId, requestBytes, responseBytes, firstByteMs, durationMs,
      outcomeOf, requestedModel: requestedModelOf(this.#opening.path, this.#body.requestedModel()),
      outcome, reading: this.#body.overBound ? { ...reading, usageReason: 'body_over_bound' } : reading,
    }, this.#node.settings.priceBook);
  }
}
