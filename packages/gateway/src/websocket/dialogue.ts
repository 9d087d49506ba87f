/**
 * What both ends say to each other, message by message, and the responses that come of it. A message of the caller leaves once it is known that it
 * begins nothing, or once what it begins is admitted and journalled. A message of the provider that begins or ends a response reaches the
 * caller once that is journalled.
 */
import type { CallOutcome } from '@metergate/core/record/call-record.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import type { CallerEvent } from '@metergate/core/websocket/caller-event.ts';
import type { ServerEvent } from '@metergate/core/websocket/server-event.ts';
import type { AdmittedCall } from '../call/admitted-call.ts';
import type { GatewayNode } from '../gateway-node.ts';
import type { CopyReader } from '../usage/copy-reader.ts';
import { ConnectionUsage } from './connection-usage.ts';
import type { Compression } from './extensions.ts';
import type { Message } from './inflow.ts';
import { languageOf, type Language } from './language.ts';
import { messageFrame } from './own-frames.ts';
import { ResponseAdmission } from './response-admission.ts';
import { ResponseCall, type ResponseCallOptions } from './response-call.ts';
import type { ResponsesUnderWay } from './responses.ts';

/** The connection that it is said on. */
export interface DialogueConnection {
  readonly callerIsGone: boolean;
  /** The caller is there, and the connection is not over. */
  readonly callerWaits: boolean;
  /** Why no further response is begun; null: nothing keeps one from it. */
  readonly endsFor: Refusal | null;
  /** Runs a step: what it throws ends the connection. */
  run(step: () => void): void;
  toCaller(bytes: Buffer): void;
  toProvider(bytes: Buffer): void;
  /** An answer of our own. `next` runs once the caller has taken what was written, so that one who only asks is not heard further. */
  answerCaller(bytes: Buffer, next: () => void): void;
  /** Nothing further of the caller's is to be answered. */
  endRefused(refusal: Refusal): void;
  endIfIdle(): void;
  breakOff(): void;
}

type CallId = AdmittedCall['id'];

/** Where a refusal goes, and what follows it. */
interface RefusedTo {
  readonly id: CallId;
  readonly event: CallerEvent;
  readonly next: () => void;
}

export class Dialogue {
  readonly responses: ResponsesUnderWay;
  readonly #node: GatewayNode;
  readonly #handshake: AdmittedCall;
  readonly #connection: DialogueConnection;
  readonly #admission: ResponseAdmission;
  readonly #callerKeepsContext: boolean;
  readonly #language: Language;
  readonly #usage: ConnectionUsage;
  /** A compressed message of the caller was kept back: what comes behind it can be decompressed here alone, and leaves uncompressed. */
  #leavesPlain = false;

  constructor(node: GatewayNode, handshake: AdmittedCall, { connection, compression }: {
    readonly connection: DialogueConnection; readonly compression: Compression | null;
  }) {
    this.#node = node;
    this.#handshake = handshake;
    this.#connection = connection;
    this.#admission = new ResponseAdmission(node, handshake);
    this.#language = languageOf(handshake);
    this.responses = this.#language.responses;
    this.#usage = new ConnectionUsage(node, handshake, this.#language.kind);
    this.#callerKeepsContext = compression?.callerKeepsContext === true;
  }

  /** What is read of the connection's own usage; null: nothing is due. */
  get copy(): CopyReader | null {
    return this.#usage.copy;
  }

  /** The model that the caller has asked for; null: none, or each response asks for its own. */
  get askedModel(): string | null {
    return this.#language.askedModelOf('connection', null);
  }

  /** What ends the connection although nobody says anything; null: nothing. Asked about once a second. */
  refusalWhileSilent(): Refusal | null {
    if (!this.#admission.keyIsLive) return { kind: 'service_key_invalid' };
    return this.#usage.copy === null ? null : this.#refusalOfLeads();
  }

  callerSays(message: Message, next: () => void): void {
    this.#node.sessions.counters.fromCallers += 1;
    const event = this.#language.fromCaller(message.text);
    const { saidModels } = this.#language;
    const refused = saidModels.length === 0 ? null : this.#admission.refusalOfModels(saidModels);
    if (refused !== null) return this.#refuse(refused, message, { event, next });
    if (event.begins === 'response') return this.#create(event, message, next);
    if (event.begins === 'successor') return this.#steer(event, message, next);
    if (event.begins === 'lead') return this.#lead(message, next);
    this.#forward(message);
    next();
  }

  /** The provider may begin a response for it, which is not asked for then. */
  #steer(event: CallerEvent, message: Message, next: () => void): void {
    const refusal = this.#connection.endsFor ?? this.#admission.refusalNow(message.text);
    if (refusal !== null) return this.#refuse(refusal, message, { event, next });
    this.responses.steered(event.previousResponseId);
    this.#forward(message);
    next();
  }

  /** The provider may begin responses for it by itself: it does not leave where one would be refused for money, and the connection ends. */
  #lead(message: Message, next: () => void): void {
    const refusal = this.#connection.endsFor === null ? this.#refusalOfLeads() : null;
    if (refusal !== null) this.#connection.endRefused(refusal);
    if (this.#connection.endsFor === null) this.#forward(message);
    else this.#keepBack(message);
    next();
  }

  /** The rate limit lets go of a connection within seconds, so it ends none that has begun nothing. */
  #refusalOfLeads(): Refusal | null {
    const refusal = this.#admission.refusalNow();
    return refusal === null || refusal.kind === 'rate_limited' ? null : refusal;
  }

  #create(event: CallerEvent, message: Message, next: () => void): void {
    const { endsFor } = this.#connection;
    if (endsFor !== null) return this.#refuse(endsFor, message, { event, next });
    const refused = (refusal: Refusal, id: CallId): void => {
      this.#sayRefused(refusal, message, { id, event, next });
      if (refusal.kind === 'service_key_invalid') this.#connection.endRefused(refusal);
    };
    this.#admission.ask(message.text, {
      isWanted: () => this.#connection.callerWaits,
      admitted: (call) => this.#connection.run(() => this.#open(call, { event, message, next, refused })),
      refused: (refusal, id) => this.#connection.run(() => refused(refusal, id)),
      broke: (cause) => this.#connection.run(() => { throw cause; }),
    });
  }

  #open(call: AdmittedCall, { event, message, next, refused }: {
    readonly event: CallerEvent; readonly message: Message; readonly next: () => void; readonly refused: (refusal: Refusal, id: CallId) => void;
  }): void {
    const { streamId, previousResponseId, eventId } = event;
    const requestedModel = this.#language.askedModelOf('response', event);
    const asked = { requestBytes: message.wire.length, streamId, previousResponseId, eventId, requestedModel };
    const response = this.#responseOf(call, 'response', asked);
    this.responses.asked(response);
    response.open((error) => this.#connection.run(() => {
      if (error !== null) return refused({ kind: 'internal_fault' }, call.id);
      if (!response.isSettling) this.#forward(message);
      next();
    }));
  }

  #responseOf(
    call: AdmittedCall, work: ServerEvent['work'], asked: Omit<ResponseCallOptions, 'call' | 'namedModel' | 'broke' | 'over'>,
  ): ResponseCall {
    return new ResponseCall(this.#node, {
      call, ...asked, namedModel: () => this.#language.modelOf(work),
      broke: () => this.#connection.breakOff(), over: (response) => this.responses.ended(response),
    });
  }

  providerSays(message: Message, next: () => void): void {
    this.#node.sessions.counters.fromProviders += 1;
    const event = this.#language.fromProvider(message.text);
    if (event.isUsageOfConnection) this.#usage.take(message.text, this.#language.modelOf('connection'));
    const of = this.responses.of(event);
    if (of === 'begun') this.#providerBegan(event, message, next);
    else this.#responseSays(of, { event, message, next });
  }

  /** Without having been asked. It is opened before its first event reaches the caller. */
  #providerBegan(event: ServerEvent, message: Message, next: () => void): void {
    const refusal = this.#admission.refusalNow();
    const { streamId, previousResponseId, work } = event;
    const response = this.#responseOf(this.#admission.takeBegun(), work, {
      requestBytes: 0, streamId, previousResponseId, eventId: null, requestedModel: this.#language.askedModelOf(work, null),
    });
    this.responses.begun(response, event.responseId!);
    response.open((error) => this.#connection.run(() => {
      if (error !== null) return this.#connection.breakOff();
      if (refusal !== null) this.#connection.endRefused(refusal);
      this.#responseSays(response, { event, message, next });
    }));
  }

  #responseSays(response: ResponseCall | null, { event, message, next }: {
    readonly event: ServerEvent; readonly message: Message; readonly next: () => void;
  }): void {
    const { text, wire } = message;
    const pass = (): void => {
      this.#connection.toCaller(wire);
      next();
    };
    if (response === null || response.isSettling) return pass();
    response.take(event, text, wire.length);
    if (event.kind === 'other') return pass();
    // A response that had begun and ends with an error was cut short; one that had not was answered by it.
    const isWhole = event.kind === 'ends' || response.responseId === null;
    const outcome = !isWhole ? 'cut' : this.#connection.callerIsGone ? 'caller_gone' : 'completed';
    response.settle(isWhole ? 'whole' : 'cut', outcome, () => this.#connection.run(() => {
      pass();
      this.#connection.endIfIdle();
    }));
  }

  /** All that is under way ends here; `then` runs once their records are written. */
  cutAll(outcome: CallOutcome, then: () => void): void {
    const all = this.responses.all();
    let left = all.length;
    if (left === 0) return then();
    for (const response of all) {
      response.settle('cut', outcome, () => {
        left -= 1;
        if (left === 0) this.#connection.run(then);
      });
    }
  }

  /** Tells the caller of a refusal that is of no message. */
  tellRefusal(refusal: Refusal): void {
    const event = this.#language.refusalEvent(refusal, this.#handshake.id, null);
    if (event !== null) this.#connection.toCaller(event);
  }

  #refuse(refusal: Refusal, message: Message, to: Omit<RefusedTo, 'id'>): void {
    this.#admission.note(refusal, this.#handshake.id);
    this.#sayRefused(refusal, message, { id: this.#handshake.id, ...to });
  }

  #sayRefused(refusal: Refusal, message: Message, { id, event, next }: RefusedTo): void {
    this.#keepBack(message);
    const said = this.#language.refusalEvent(refusal, id, event);
    if (said === null) next();
    else this.#connection.answerCaller(said, next);
  }

  #keepBack({ isCompressed }: Message): void {
    if (isCompressed && this.#callerKeepsContext) this.#leavesPlain = true;
  }

  #forward({ wire, opcode, isCompressed, text }: Message): void {
    this.#connection.toProvider(isCompressed && this.#leavesPlain ? messageFrame(text, opcode, 'provider') : wire);
  }
}
