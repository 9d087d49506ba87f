/**
 * One forwarded call from the journal's `opened` to its `closed`: destination → caller, byte for byte, with backpressure,
 * while the reader watches. The record is committed before the bytes that complete the answer leave (rules: Journal).
 * One attempt; a stream that breaks after its head ends the caller's connection, so a truncated body never looks complete.
 * Deciding whether a call may be forwarded is `serve.ts` and `admit.ts`; keeping its record is `recording.ts`.
 */
import { header } from '@metergate/core/id.ts';
import type { CallOutcome } from '@metergate/core/record/call-record.ts';
import type { CallerRequest, CallerResponse } from '../callers/caller-exchange.ts';
import type { CallUnderWay } from '../callers/connections.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { Exchange, ExchangeFault, ExchangeObserver, OutboundRequest } from '../network/destination.ts';
import { sendRefusal } from '../callers/respond.ts';
import { bodySlabs } from '../fairness/body-slabs.ts';
import type { AdmittedCall, OutboundBody } from './admitted-call.ts';
import { Answer, type RelayedHead } from './answer.ts';
import { breakOff, type CallFacts } from './broken-call.ts';
import { CallGuard, GuardedObserver, type BreakableCall } from './call-guard.ts';
import { flushAtTurnEnd, type HeadToSend } from './heads-of-turn.ts';
import { beginReadingOn, type ReadingOn } from './reading-on.ts';
import { Recording } from './recording.ts';
import { outboundHead } from './outbound-headers.ts';
import { isSendable } from './response-head.ts';
import { SeenAnswer } from './seen-answer.ts';

interface RelayParts {
  readonly node: GatewayNode;
  readonly call: AdmittedCall;
  readonly request: CallerRequest;
  readonly response: CallerResponse;
  readonly body: OutboundBody;
  /** Runs once, when the call is recorded and its answer ended. */
  readonly over: () => void;
}

export class Relay implements ExchangeObserver, CallUnderWay, BreakableCall, HeadToSend {
  readonly #node: GatewayNode;
  readonly #call: AdmittedCall;
  readonly #request: CallerRequest;
  readonly #response: CallerResponse;
  readonly #guard: CallGuard;
  readonly #answer: Answer;
  readonly #body: OutboundBody;
  readonly #over: () => void;
  readonly #recording: Recording;

  #exchange: Exchange | null = null;
  /** What was sent, until an answer to it begins: whoever still holds it then holds no body, and an answer may last long. */
  #sent: { -readonly [Name in keyof OutboundRequest]: OutboundRequest[Name] } | null = null;
  readonly #seen = new SeenAnswer();
  /** The head as it came, until it is written. */
  #unwritten: RelayedHead | null = null;
  /** Bytes that arrive while the record is being written. */
  #kept: Buffer[] = [];
  #ended = false;
  /** The exchange failed, whatever had been settled by then: the caller must not see a clean end. */
  #broken = false;
  #callerGone = false;
  #readingOn: ReadingOn | null = null;
  #isOver = false;

  constructor(parts: RelayParts) {
    this.#node = parts.node;
    this.#call = parts.call;
    this.#request = parts.request;
    this.#response = parts.response;
    this.#guard = new CallGuard(parts.node.faults, this);
    this.#answer = new Answer(parts.request, parts.response, this.#guard);
    this.#body = parts.body;
    this.#over = parts.over;
    this.#recording = new Recording(parts.node, { call: parts.call, body: parts.body, guard: this.#guard });
  }

  /** Journals the opening, then dials. If it cannot be journalled, nothing is forwarded. */
  start(): void {
    this.#guard.run('start', () => this.#recording.open((error) => {
      if (error !== null) this.#abandonUnopened();
      else this.#dialInTurn();
    }));
  }

  #dialInTurn(): void {
    const { turns } = this.#node;
    const { id } = this.#call.held.organization;
    if (turns.mayGo(id)) this.#dialWherePossible();
    else turns.later(id, () => this.#guard.run('start', () => this.#dialWherePossible()));
  }

  #dialWherePossible(): void {
    if (this.#callerGone) this.#settle('cut', 'caller_gone');
    else if (!this.#recording.settling) this.#dial();
  }

  /** The caller's side sent a FIN: what arrives within the bound of a drain is delivered, then the caller counts as gone. */
  callerHalfClosed(): void {
    if (this.#isOver || this.#readingOn !== null) return;
    this.#guard.run('caller', () => void this.#readOn(() => {
      this.#callerGone = true;
      this.#response.destroy();
      this.#stopDraining();
    }));
  }

  /** The node's grace is over: the call ends here and is recorded as cut. */
  cutNow(): void {
    if (this.#isOver) return;
    this.#guard.run('settling', () => this.#settle('cut', this.#callerGone ? 'caller_gone' : 'cut'));
    this.#exchange?.abort();
  }

  /** The connection to the destination is not HTTP's any more: the record stays open, to be kept by who asks. Null: the call has ended. */
  handOver(): Recording | null {
    if (this.#isOver || this.#callerGone || this.#recording.settling) return null;
    this.#isOver = true;
    this.#letGoOfSent();
    return this.#recording;
  }

  #dial(): void {
    const { headers, kept } = outboundHead(this.#call, this.#request);
    this.#sent = {
      method: this.#call.method,
      target: this.#call.chosen.target,
      headers, kept,
      body: this.#body.content, contentLength: this.#body.contentLength,
      keyId: this.#call.held.key.id, organization: this.#call.held.organization.id,
      written: this.#body.written ?? undefined,
    };
    this.#exchange = this.#call.chosen.destination.send(this.#sent, new GuardedObserver(this.#guard, this));
  }

  /** The client has read what was sent, to its end or as the stream that it is still reading. */
  #letGoOfSent(): void {
    this.#body.release();
    if (this.#sent === null) return;
    this.#sent.headers = [];
    this.#sent.body = null;
    this.#sent = null;
  }

  /** The response head. It leaves with the first bytes of the body, or at the end of this turn, whichever is first. */
  head(status: number, reason: string, headers: string[]): void {
    this.#letGoOfSent();
    this.#unwritten = { status, reason, headers };
    this.#seen.head(this.#node, this.#call, { status, headers, atMs: this.#elapsedMs() });
    if (this.#callerGone) return;
    // A head that is the whole answer leaves once the record is written: what cannot be sent must be known before.
    if (this.#seen.bodyless) return isSendable(this.#unwritten) ? undefined : this.#unsendable();
    if (!this.#writeHead()) return;
    if (this.#seen.readsAtOnce) this.#answer.givesBack();
    flushAtTurnEnd(this);
  }

  data(chunk: Buffer, cameIn?: Buffer): void {
    this.#seen.data(chunk);
    if (this.#callerGone) return this.#drain(chunk);
    const completes = this.#seen.allReceived || this.#seen.dialogueEnded;
    if (completes && !this.#recording.settling) {
      this.#kept.push(chunk);
      this.#settle('whole', 'completed');
    } else if (this.#recording.settling && !this.#recording.settled) {
      this.#kept.push(chunk);
    } else {
      this.#deliver(chunk, cameIn);
    }
  }

  end(): void {
    this.#ended = true;
    if (this.#recording.settled) {
      this.#answer.end();
      this.#isDone();
    } else if (!this.#recording.settling) {
      this.#settle('whole', this.#callerGone ? 'caller_gone' : 'completed');
    }
  }

  failed(fault: ExchangeFault): void {
    this.#body.release();
    // A breach after all there was to relay is not the caller's concern: a 204 has no body, whatever its length says.
    if (this.#seen.status !== null && (this.#seen.bodyless || this.#seen.allReceived)) return this.end();
    this.#ended = true;
    this.#broken = true;
    // A caller who leaves while sending breaks the request before its own connection is seen to close.
    if (this.#request.destroyed && !this.#request.complete) this.#callerGone = true;
    if (this.#recording.settling) return this.#recording.settled ? this.#breakCaller() : undefined;
    if (this.#callerGone) return this.#settle('cut', 'caller_gone');
    if (this.#seen.status !== null) return this.#settle('cut', 'cut');
    this.#settle('cut', 'failed', () => {
      sendRefusal(this.#request, this.#response, this.#call.id, {
        kind: fault.kind === 'not_public' ? 'upstream_not_public' : 'upstream_unreachable',
      });
    });
  }

  /** Settles the call and, once its record is committed, lets the rest of the answer go, or has the gateway itself `answer`. */
  #settle(ending: 'whole' | 'cut', outcome: CallOutcome, answer: (() => void) | null = null): void {
    const { copy, status } = this.#seen;
    const unanswered = this.#exchange !== null && status === null;
    this.#recording.settle({ ending, outcome }, { copy, outcome: this.#seen.outcome, unanswered, facts: () => this.#facts() }, () => {
      if (answer !== null) answer();
      this.#release(outcome);
    });
  }

  /** The record is committed: what was kept goes to the caller, then the end of the answer, if it has come. */
  #release(outcome: CallOutcome): void {
    const kept = this.#kept;
    this.#kept = [];
    if (outcome === 'failed' || outcome === 'caller_gone') return this.#isDone();
    if (outcome === 'cut') return this.#breakCaller();
    if (this.#seen.bodyless && !this.#callerGone && !this.#writeHead()) return;
    const last = kept.length - 1;
    if (this.#broken) {
      for (const chunk of kept) this.#deliver(chunk);
      return this.#breakCaller();
    }
    for (let at = 0; at < last; at += 1) this.#deliver(kept[at]!);
    if (this.#ended || this.#seen.allReceived) {
      this.#answer.end(this.#callerGone ? undefined : kept[last]);
      this.#isDone();
    } else if (last >= 0) {
      this.#deliver(kept[last]!);
    }
  }

  #deliver(chunk: Buffer, cameIn?: Buffer): void {
    if (!this.#callerGone) this.#answer.deliver(chunk, this.#exchange, cameIn);
  }

  /** What was written of the answer leaves; by then mostly the whole of it has. */
  flushHead(): void {
    if (!this.#isOver && !this.#recording.settling) this.#guard.run('head', () => this.#answer.sendHead());
  }

  /** False if the head cannot be sent as it came; then the call has failed. */
  #writeHead(): boolean {
    try {
      this.#answer.writeHead(this.#ownHeaders(), this.#unwritten!);
      this.#unwritten = null;
      return true;
    } catch {
      this.#unsendable();
      return false;
    }
  }

  /** The head is no head of HTTP: to the caller and the record, none came. */
  #unsendable(): void {
    this.#seen.forget();
    this.failed({ kind: 'protocol', cause: new Error('The answer has bytes in its head that HTTP does not allow.') });
    this.#exchange?.abort();
  }

  /** Ours, besides the provider's (spec: Common response headers). */
  #ownHeaders(): string[] {
    const pairs: string[] = [header.requestId, this.#call.id];
    if (this.#seen.status === 200) this.#node.guards.addBudgetHeaders(this.#call, pairs);
    return pairs;
  }

  /** The caller's connection is gone. Idempotent. */
  callerLeft(): void {
    if (this.#isOver || this.#response.writableFinished) return;
    this.#guard.run('caller', () => this.#giveUpOnCaller());
  }

  /** The caller is gone: the rest is read within its bound, for its usage, or the call is cancelled at the provider. */
  #giveUpOnCaller(): void {
    if (this.#callerGone || this.#isOver) return;
    this.#callerGone = true;
    this.#response.destroy();
    if (this.#recording.settled) return this.#isDone();
    if (this.#exchange === null) return;
    if (!this.#request.complete || !this.#readOn(() => this.#stopDraining()).enter()) return this.#stopDraining();
    this.#exchange.resume();
  }

  #readOn(late: () => void): ReadingOn {
    this.#readingOn?.end();
    const covered = this.#node.guards.covers(this.#call);
    const guarded = (): void => this.#guard.run('caller', late);
    return this.#readingOn = beginReadingOn(this.#node.drains, this.#call.held.organization, { covered, late: guarded });
  }

  #drain(chunk: Buffer): void {
    const bytes = chunk.length;
    if (this.#seen.readsAtOnce) bodySlabs.giveBack(chunk);
    if (this.#seen.dialogueEnded) this.#settle('whole', 'caller_gone');
    else if (this.#readingOn?.exceeds(bytes) === true) this.#stopDraining();
  }

  #stopDraining(): void {
    this.#settle('cut', 'caller_gone');
    this.#exchange?.abort();
  }

  /** Ends the caller's connection so that what was sent cannot look complete. */
  #breakCaller(): void {
    this.#answer.break();
    this.#isDone();
  }

  /** The journal cannot be written: nothing was or will be forwarded (rule 3b). */
  #abandonUnopened(): void {
    this.#body.release();
    this.#node.counters.faults += 1;
    sendRefusal(this.#request, this.#response, this.#call.id, { kind: 'internal_fault' });
    this.#isDone();
  }

  endBroken(guard: CallGuard): void {
    guard.contain(() => this.#exchange?.abort());
    guard.contain(() => this.#seen.copy?.drop());
    guard.contain(() => this.#recordBroken());
    guard.contain(() => this.#isDone());
  }

  /** Our own code threw. */
  #recordBroken(): void {
    const tell = (): void => breakOff(this.#request, this.#response, { id: this.#call.id, answer: this.#answer });
    try {
      this.#recording.settleBroken(this.#facts(), () => this.#guard.contain(tell));
    } catch (cause) {
      tell();
      throw cause;
    }
  }

  #facts(): CallFacts {
    return this.#seen.facts({ requestBytes: this.#body.receivedBytes(), durationMs: this.#elapsedMs() });
  }

  #elapsedMs(): number {
    return Math.round(this.#node.clock.monotonicMs() - this.#call.startedMonotonicMs);
  }

  #isDone(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#readingOn?.end();
    this.#body.release();
    this.#body.drop();
    if (this.#callerGone && !this.#ended) this.#exchange?.abort();
    this.#over();
  }
}
