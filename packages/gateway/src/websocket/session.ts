/**
 * One WebSocket connection of a caller, from the provider's 101 to its end: both ends receive each other's frames as they came, and what the
 * gateway itself sends is a separate frame between two messages. How it ends is here; its messages are read in `dialogue.ts`.
 *
 * The handshake is a separate call with its record, which is written when the connection ends. Decision 0120.
 */
import type { Socket } from 'node:net';
import type { CallOutcome } from '@metergate/core/record/call-record.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import type { AdmittedCall } from '../call/admitted-call.ts';
import type { CallFacts } from '../call/broken-call.ts';
import { CallGuard, type BreakableCall } from '../call/call-guard.ts';
import type { Recording } from '../call/recording.ts';
import { beginReadingOn, type ReadingOn } from '../call/reading-on.ts';
import type { CallUnderWay } from '../callers/connections.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import { answerFor } from '../callers/refusals.ts';
import { Dialogue, type DialogueConnection } from './dialogue.ts';
import type { Compression } from './extensions.ts';
import { Inflow, type FlowConnection, type InflowEvents } from './inflow.ts';
import { closingMs, SessionEnds } from './session-ends.ts';
import type { OpenSession } from './sessions.ts';

interface SessionParts {
  readonly node: GatewayNode;
  /** The handshake, which is forwarded and open. */
  readonly call: AdmittedCall;
  readonly recording: Recording;
  readonly caller: Socket;
  readonly provider: Socket;
  readonly compression: Compression | null;
  readonly providerRequestId: string | null;
  /** Runs once, when the handshake's record is written. */
  readonly over: () => void;
}

/** The longest message that is read, of either end, decompressed, bytes. */
const messageBytesMax = 16 * 1024 * 1024;
/** Without a message of either end for so long, a connection is closed. Providers end theirs after 60 minutes, however busy. */
const silenceMs = 60 * 60_000;

/** What ends a connection once no response is under way, and why no further one is begun until then. */
interface Ending {
  readonly refusal: Refusal;
  readonly end: () => void;
}

const noNext = (): void => {};
const stopping: Refusal = { kind: 'node_stopping' };
const stoppingWords = 'The gateway node stops.';

export class SocketSession implements CallUnderWay, OpenSession, DialogueConnection, FlowConnection, BreakableCall {
  readonly organization: OrganizationId;
  readonly #parts: SessionParts;
  readonly #node: GatewayNode;
  readonly #ends: SessionEnds;
  readonly #dialogue: Dialogue;
  readonly #callerFlow: Inflow;
  readonly #providerFlow: Inflow;
  /** Of the handshake's answer. */
  readonly #firstByteMs: number;
  /** When a message last came, as of the last look, and whether one has come since. */
  #heardMs: number;
  #wasHeard = false;
  #readingOn: ReadingOn | null = null;
  #ending: Ending | null = null;
  /** One of the ends has sent its close. */
  #isClosed = false;
  #isOver = false;
  callerIsGone = false;

  constructor(parts: SessionParts) {
    const { node, call, compression, caller, provider } = parts;
    this.#parts = parts;
    this.#node = node;
    this.organization = call.held.organization.id;
    this.#ends = new SessionEnds(caller, provider);
    this.#dialogue = new Dialogue(node, call, { connection: this, compression });
    this.#heardMs = node.clock.monotonicMs();
    this.#firstByteMs = this.#elapsedMs();
    const shared = {
      compression, organization: this.organization, bytesMax: messageBytesMax, held: node.heldBodies, run: (step: () => void) => this.run(step),
      connection: this,
    };
    this.#callerFlow = new Inflow(caller, { ...shared, ofCaller: true, events: this.#ofCaller() });
    this.#providerFlow = new Inflow(provider, { ...shared, ofCaller: false, events: this.#ofProvider() });
    parts.recording.isKeptBy(new CallGuard(node.faults, this));
    node.sessions.add(this);
  }

  /** The model that the caller has asked for; null: none, or each response asks for its own. */
  get askedModel(): string | null {
    return this.#dialogue.askedModel;
  }

  /** Bytes that came behind the head of the handshake, and of its answer. */
  begin(ofCaller: Buffer, ofProvider: Buffer): void {
    this.#providerFlow.begin(ofProvider);
    this.#callerFlow.begin(ofCaller);
  }

  get heldBytes(): number {
    return this.#callerFlow.heldBytes + this.#providerFlow.heldBytes;
  }

  get callerWaits(): boolean {
    return !this.#isOver && !this.callerIsGone;
  }

  get endsFor(): Refusal | null {
    return this.#ending?.refusal ?? null;
  }

  /** The caller's flow says it, behind what came before it. */
  callerHalfClosed(): void {}

  callerLeft(): void {
    this.run(() => this.#callerGone());
  }

  cutNow(): void {
    this.run(() => this.#cutAll(() => this.#closeBoth(1012, stoppingWords, 'cut')));
  }

  look(nowMs: number): void {
    this.run(() => {
      if (this.#wasHeard) {
        this.#wasHeard = false;
        this.#heardMs = nowMs;
      }
      if (nowMs - this.#heardMs >= silenceMs) this.#endSilent();
      else if (this.#ending === null) this.#endIfRefused(this.#dialogue.refusalWhileSilent());
      else this.#dialogue.cutDoubted(nowMs);
    });
  }

  /** A response that is under way is cut: one that says nothing for so long may never end. */
  #endSilent(): void {
    const outcome = this.#dialogue.responses.size === 0 ? 'completed' : 'cut';
    this.#cutAll(() => this.#closeBoth(1001, 'Nothing was said for too long.', outcome));
  }

  leave(): void {
    this.run(() => this.#endWhenIdle(() => this.#closeBoth(1012, stoppingWords, 'completed')));
  }

  run(step: () => void): void {
    if (this.#isOver) return;
    try {
      step();
    } catch (cause) {
      this.#node.faults.note('data', cause);
      this.breakOff();
    }
  }

  get hasAllLeft(): boolean {
    return this.#ends.haveTakenAll;
  }

  inOneGo(step: () => void): void {
    this.#ends.gather();
    try {
      this.run(step);
    } finally {
      this.#ends.leave();
    }
  }

  /** Our own code threw: no further byte passes. */
  breakOff(): void {
    if (this.#isOver) return;
    try {
      this.#cutAll(() => this.#closeBoth(1011, 'The gateway cannot go on.', 'cut'));
    } catch (cause) {
      this.#node.faults.note('clean-up', cause);
      this.#parts.caller.destroy();
      this.#parts.provider.destroy();
      this.#finish('cut');
    }
  }

  #ofCaller(): InflowEvents {
    return {
      message: (message, next) => {
        this.#wasHeard = true;
        this.#dialogue.callerSays(message, next);
      },
      control: (bytes) => this.#passToProvider(bytes),
      closing: (bytes, next) => {
        this.#callerCloses(bytes);
        next();
      },
      unreadable: (code) => {
        this.#closeCaller(code, '');
        this.#callerGone();
      },
      ended: () => this.#callerGone(),
    };
  }

  #ofProvider(): InflowEvents {
    return {
      message: (message, next) => {
        this.#wasHeard = true;
        this.#dialogue.providerSays(message, next);
      },
      control: (bytes) => this.#passToCaller(bytes),
      closing: (bytes, next) => this.#cutAll(() => {
        this.#providerCloses(bytes);
        next();
      }),
      // What cannot be read here is the caller's to judge, as far as it came.
      unreadable: (_code, bytes) => this.#cutAll(() => {
        this.#passToCaller(bytes);
        this.#finish('cut');
      }),
      ended: () => this.#cutAll(() => this.#finish(this.#isClosed ? 'completed' : this.callerIsGone ? 'caller_gone' : 'cut')),
    };
  }

  toProvider(source: Buffer, from: number, to: number, next: () => void): void {
    this.#ends.toProvider(source, from, to, this.#callerFlow);
    this.#ends.whenProviderTakes(next);
  }

  toCaller(source: Buffer, from: number, to: number, next: () => void): void {
    if (!this.callerIsGone) {
      this.#ends.toCaller(source, from, to, this.#providerFlow);
      return this.#ends.whenCallerTakes(next);
    }
    if (this.#readingOn?.exceeds(to - from) === true) this.#stopReadingOn();
    next();
  }

  #passToProvider(bytes: Buffer): void {
    this.toProvider(bytes, 0, bytes.length, noNext);
  }

  #passToCaller(bytes: Buffer): void {
    this.toCaller(bytes, 0, bytes.length, noNext);
  }

  endRefused(refusal: Refusal): void {
    this.#endWhenIdle(() => {
      this.#dialogue.tellRefusal(refusal);
      this.#closeBoth(1008, answerFor(refusal).code, 'completed');
    }, refusal);
  }

  #endIfRefused(refusal: Refusal | null): void {
    if (refusal !== null) this.endRefused(refusal);
  }

  endIfIdle(): void {
    if (this.#ending !== null && this.#dialogue.responses.size === 0) this.run(this.#ending.end);
  }

  /** The first that is to end it does. */
  #endWhenIdle(end: () => void, refusal: Refusal = stopping): void {
    this.#ending ??= { end, refusal };
    this.endIfIdle();
  }

  /** The caller's close leaves once its responses have ended, as far as a response is read on for a caller that has left. */
  #callerCloses(bytes: Buffer): void {
    this.#ending = null;
    this.#endWhenIdle(() => {
      this.#passToProvider(bytes);
      this.#awaitEnd();
    });
    this.#readOn();
  }

  /** What is under way is read on within its bound, for its usage. */
  #callerGone(): void {
    if (this.callerIsGone) return;
    this.callerIsGone = true;
    this.#callerFlow.stop();
    this.#providerFlow.resume('sink');
    this.#ending = null;
    this.#endWhenIdle(() => this.#isClosed ? this.#finish('completed') : this.#closeBoth(1001, '', 'caller_gone'));
    this.#readOn();
  }

  #readOn(): void {
    const under = this.#dialogue.responses.all();
    if (this.#isOver || this.#readingOn !== null || under.length === 0) return;
    const covered = under.some((response) => this.#node.guards.covers(response.call));
    const late = (): void => this.run(() => this.#stopReadingOn());
    this.#readingOn = beginReadingOn(this.#node.drains, this.#parts.call.held.organization, { covered, late, answers: under.length });
    if (!this.#readingOn.enter()) this.#stopReadingOn();
  }

  #stopReadingOn(): void {
    this.#dialogue.cutAll('caller_gone', () => this.endIfIdle());
  }

  /** The provider has closed: the caller's answer to it is the last that is forwarded. */
  #providerCloses(bytes: Buffer): void {
    this.#passToCaller(bytes);
    if (this.callerIsGone) this.#finish('caller_gone');
    else this.#awaitEnd();
  }

  /** Everything is sent: an end that does not close by itself is dropped. */
  #awaitEnd(): void {
    this.#isClosed = true;
    this.#ending = { end: () => {}, refusal: stopping };
    setTimeout(() => this.run(() => this.#cutAll(() => this.#finish('completed'))), closingMs).unref();
  }

  #cutAll(then: () => void): void {
    this.#dialogue.cutAll(this.callerIsGone ? 'caller_gone' : 'cut', then);
  }

  #closeBoth(code: number, reason: string, outcome: CallOutcome): void {
    if (!this.callerIsGone) this.#closeCaller(code, reason);
    this.#ends.closeProvider();
    this.#finish(outcome);
  }

  #closeCaller(code: number, reason: string): void {
    this.#node.sessions.closed(code);
    this.#ends.closeCaller(code, reason);
  }

  /** Both ends are let go, and the handshake's record is written. */
  #finish(outcome: CallOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#callerFlow.stop();
    this.#providerFlow.stop();
    this.#readingOn?.end();
    this.#node.sessions.delete(this);
    this.#dialogue.responses.left();
    this.#ends.letGo();
    const seen = { copy: this.#dialogue.copy, outcome: null, unanswered: false, facts: () => this.#facts() };
    const { recording, over } = this.#parts;
    recording.settle({ ending: outcome === 'completed' ? 'whole' : 'cut', outcome }, seen, over);
  }

  endBroken(guard: CallGuard): void {
    const { recording, over } = this.#parts;
    guard.contain(() => this.breakOff());
    guard.contain(() => this.#dialogue.copy?.drop());
    guard.contain(() => recording.settleBroken(this.#facts(), () => guard.contain(over)));
  }

  #facts(): CallFacts {
    return {
      streamed: false, status: 101, providerRequestId: this.#parts.providerRequestId,
      requestBytes: this.#ends.toProviderBytes, responseBytes: this.#ends.toCallerBytes,
      firstByteMs: this.#firstByteMs, durationMs: this.#elapsedMs(),
    };
  }

  #elapsedMs(): number {
    return Math.round(this.#node.clock.monotonicMs() - this.#parts.call.startedMonotonicMs);
  }
}
