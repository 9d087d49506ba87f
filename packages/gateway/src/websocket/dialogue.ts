/**
 * What both ends say to each other, message by message, and the responses that follow from it. A message of the caller leaves once it is known that
 * it begins nothing, or once what it begins is admitted and journalled. A message of the provider that begins or ends a response reaches the caller
 * once that is journalled.
 */
import type { CallOutcome } from '@metergate/core/record/call-record.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import type { CallerEvent } from '@metergate/core/usage/websocket/caller-event.ts';
import type { ServerEvent } from '@metergate/core/usage/websocket/server-event.ts';
import type { AdmittedCall } from '../call/admitted-call.ts';
import { bodyModelsOf, createBodyModelReader } from '../call/body-models.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { CopyReader } from '../usage/copy-reader.ts';
import { ConnectionUsage } from './connection-usage.ts';
import type { Compression } from './extensions.ts';
import { inSlices } from './in-slices.ts';
import { languageOf, type Language } from './language.ts';
import type { Message } from './message.ts';
import { messageFrame } from './own-frames.ts';
import { ResponseAdmission, type AdmissionEnd, type AskedResponse } from './response-admission.ts';
import { ResponseCall, type ResponseCallOptions } from './response-call.ts';
import { responsesMax, underWayMax, type ResponsesUnderWay } from './responses.ts';

/** The connection that carries it. */
export interface DialogueConnection {
  readonly callerIsGone: boolean;
  /** The caller is there, and the connection is not over. */
  readonly callerWaits: boolean;
  /** Why no further response is begun; null: one may begin. */
  readonly endsFor: Refusal | null;
  /** Runs a step: what it throws ends the connection. */
  run(step: () => void): void;
  /** `source[from..to)`. `next` runs once, when the end takes more: whoever reads slowly is not sent further messages. */
  toCaller(source: Buffer, from: number, to: number, next: () => void): void;
  toProvider(source: Buffer, from: number, to: number, next: () => void): void;
  /** Nothing further of the caller's is to be answered. */
  endRefused(refusal: Refusal): void;
  endIfIdle(): void;
  breakOff(): void;
}

type CallId = AdmittedCall['id'];

/** A message that may begin a response, and what follows it. */
interface Said {
  readonly message: Message;
  readonly next: () => void;
  readonly models: AskedResponse['models'];
}

type Refused = (refusal: Refusal, id: CallId) => void;

/** Where a refusal goes, and what follows it. */
interface RefusedTo {
  readonly id: CallId;
  readonly event: CallerEvent;
  readonly next: () => void;
}

const noNext = (): void => {};
/** A message is never a form, so there are no pieces to read. */
const noPieces: readonly Buffer[] = [];

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
  /** What was under way ends here, and the connection with it: nothing further begins, and later messages are ignored. */
  #isCut = false;

  constructor(node: GatewayNode, handshake: AdmittedCall, { connection, compression }: {
    readonly connection: DialogueConnection; readonly compression: Compression | null;
  }) {
    this.#node = node;
    this.#handshake = handshake;
    this.#connection = connection;
    this.#admission = new ResponseAdmission(node, handshake);
    this.#language = languageOf(handshake, node.sessions.heardCalls, () => connection.endIfIdle());
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
    const { text, textFrom, textTo } = message;
    const { caller } = this.#language;
    if (!message.isLong) {
      const event = caller.read(text, textFrom, textTo);
      if (!this.#callerSaid(event, message, next)) this.#mayBegin(event, { message, next, models: () => bodyModelsOf(message.content, []) });
      return;
    }
    const models = this.#admission.readsModels ? createBodyModelReader([]) : null;
    caller.begin();
    this.#inSlices(message, (from, to) => {
      caller.push(text, from, to);
      models?.push(text.subarray(from, to));
    }, () => {
      if (!message.isCompressed || !this.#leavesPlain) message.letTextGo();
      // A list that is kept since it began to be read: what it asks for was not read.
      const event = caller.event();
      if (!this.#callerSaid(event, message, next)) this.#mayBegin(event, { message, next, models: () => models?.result(noPieces) ?? 'unread' });
    });
  }

  #inSlices({ textFrom, textTo }: Message, read: (from: number, to: number) => void, done: () => void): void {
    inSlices(textFrom, textTo, {
      organization: this.#handshake.held.organization.id, run: (step) => this.#connection.run(step), done,
      slice: (from, to) => {
        read(from, to);
        return to;
      },
    });
  }

  /** Whether that is all: it asks for no response, and is refused or has left. */
  #callerSaid(event: CallerEvent, message: Message, next: () => void): boolean {
    const { saidModels } = this.#language;
    const refused = this.#isCut || saidModels.length === 0 ? null : this.#admission.refusalOfModels(saidModels);
    if (this.#isCut) next();
    else if (refused !== null) this.#refuse(refused, message, { event, next });
    else if (event.begins === 'nothing') this.#passOn(message, next);
    else if (event.begins === 'lead') this.#lead(message, next);
    else return false;
    return true;
  }

  /** It asks for no response. The provider may answer with an error, which ends none then. */
  #passOn(message: Message, next: () => void): void {
    this.responses.said();
    this.#forward(message, next);
  }

  #mayBegin(event: CallerEvent, said: Said): void {
    const { message, next, models } = said;
    const refusal = this.#connection.endsFor ?? (this.responses.size >= responsesMax ? { kind: 'responses_full' } : null);
    if (refusal !== null) return this.#refuse(refusal, message, { event, next });
    const refused: Refused = (told, id) => {
      this.#sayRefused(told, message, { id, event, next });
      if (told.kind === 'service_key_invalid') this.#connection.endRefused(told);
    };
    if (event.begins === 'response') return this.#create(event, said, refused);
    this.#admission.askToBegin({ models }, this.#ending(refused, () => {
      // The provider may begin a response for it, which is not asked for then.
      this.responses.steered(event.previousResponseId);
      this.#passOn(message, next);
    }));
  }

  /** The provider may begin responses for it by itself: it does not leave where one would be refused for money, and the connection ends. */
  #lead(message: Message, next: () => void): void {
    const refusal = this.#connection.endsFor === null ? this.#refusalOfLeads() : null;
    if (refusal !== null) this.#connection.endRefused(refusal);
    if (this.#connection.endsFor === null) return this.#forward(message, next);
    this.#keepBack(message);
    next();
  }

  /** The rate limit lets go of a connection within seconds, so it ends none that has begun nothing. */
  #refusalOfLeads(): Refusal | null {
    const refusal = this.#admission.refusalNow();
    return refusal === null || refusal.kind === 'rate_limited' ? null : refusal;
  }

  #create(event: CallerEvent, said: Said, refused: Refused): void {
    const { message, models } = said;
    const asked = { bytes: message.textTo - message.textFrom, asksLater: event.asksLater, models };
    this.#admission.ask(asked, this.#ending(refused, (call) => this.#open(call, event, said, refused)));
  }

  #ending(refused: Refused, admitted: AdmissionEnd['admitted']): AdmissionEnd {
    const connection = this.#connection;
    return {
      isWanted: () => connection.callerWaits && !this.#isCut,
      admitted: (call) => connection.run(() => admitted(call)),
      refused: (refusal, id) => connection.run(() => refused(refusal, id)),
      broke: (cause) => connection.run(() => { throw cause; }),
    };
  }

  #open(call: AdmittedCall, event: CallerEvent, { message, next }: Said, refused: Refused): void {
    const { streamId, previousResponseId, eventId } = event;
    const requestedModel = this.#language.askedModelOf('response', event);
    const asked = { requestBytes: message.wireBytes, streamId, previousResponseId, eventId, requestedModel };
    const response = this.#responseOf(call, 'response', asked);
    this.responses.asked(response);
    response.open((error) => this.#connection.run(() => {
      if (error !== null) return refused({ kind: 'internal_fault' }, call.id);
      if (response.isSettling) return next();
      response.hasLeft = true;
      this.#forward(message, next);
    }));
  }

  #responseOf(
    call: AdmittedCall, work: ServerEvent['work'], asked: Omit<ResponseCallOptions, 'call' | 'namedModel' | 'broke' | 'over'>,
  ): ResponseCall {
    return new ResponseCall(this.#node, {
      call, ...asked, namedModel: () => this.#language.modelOf(work),
      broke: () => this.#connection.breakOff(), over: (response) => {
        this.responses.ended(response);
        if (this.responses.size === 0) this.#language.rests();
      },
    });
  }

  providerSays(message: Message, next: () => void): void {
    this.#node.sessions.counters.fromProviders += 1;
    const { text, textFrom, textTo } = message;
    const { provider } = this.#language;
    if (!message.isLong) return this.#providerSaid(provider.read(text, textFrom, textTo), message, next);
    provider.begin();
    this.#inSlices(message, (from, to) => provider.push(text, from, to), () => this.#providerSaid(provider.event(), message, next));
  }

  #providerSaid(event: ServerEvent, message: Message, next: () => void): void {
    if (!event.isUsageOfConnection) return this.#isOf(event, message, next);
    this.#usage.eventBegins(this.#language.modelOf('connection'));
    this.#reads(this.#usage, message, () => this.#isOf(event, message, next));
  }

  #isOf(event: ServerEvent, message: Message, next: () => void): void {
    if (this.#isCut) return next();
    const of = this.responses.of(event);
    if (of === 'begun') this.#providerBegan(event, message, next);
    else this.#responseSays(of, event, message, next);
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
      if (error !== null || this.responses.size > underWayMax) return this.#connection.breakOff();
      if (refusal !== null) this.#connection.endRefused(refusal);
      this.#responseSays(response, event, message, next);
    }));
  }

  #responseSays(response: ResponseCall | null, event: ServerEvent, message: Message, next: () => void): void {
    if (response === null || response.isSettling) {
      message.letTextGo();
      return this.#pass(message, next);
    }
    response.take(event, message.wireBytes);
    if (event.kind === 'error' || !event.tells) return this.#responseSaid(response, event, message, next);
    response.eventBegins();
    this.#reads(response, message, () => this.#responseSaid(response, event, message, next));
  }

  /** `done` runs once what it says has been read, for its usage. */
  #reads(copy: Pick<ResponseCall, 'read' | 'eventEnds'>, message: Message, done: () => void): void {
    const ended = (): void => {
      copy.eventEnds();
      done();
    };
    if (message.isLong) return this.#inSlices(message, (from, to) => copy.read(message.text.subarray(from, to)), ended);
    copy.read(message.content);
    ended();
  }

  #responseSaid(response: ResponseCall, event: ServerEvent, message: Message, next: () => void): void {
    message.letTextGo();
    if (event.kind === 'other') return this.#pass(message, next);
    if (this.#isCut) return next();
    // A response that had begun and ends with an error was cut short; one that had not was answered by it.
    const isWhole = event.kind === 'ends' || response.responseId === null;
    const outcome = !isWhole ? 'cut' : this.#connection.callerIsGone ? 'caller_gone' : 'completed';
    response.settle(isWhole ? 'whole' : 'cut', outcome, () => this.#connection.run(() => {
      this.#pass(message, next);
      this.#connection.endIfIdle();
    }));
  }

  #pass({ source, from, to }: Message, next: () => void): void {
    this.#connection.toCaller(source, from, to, next);
  }

  /** All that is under way ends here, with the connection; `then` runs once their records are written. */
  cutAll(outcome: CallOutcome, then: () => void): void {
    this.#isCut = true;
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

  /**
   * The connection is to end: responses that an error has most likely ended, and of which nothing more came, are waited for no longer. But for those
   * that a limit covers: the caller may have brought the error about, and what it ends with counts (rule 8).
   */
  cutDoubted(nowMs: number): void {
    const outcome = this.#connection.callerIsGone ? 'caller_gone' : 'cut';
    for (const response of this.responses.doubtedAt(nowMs)) {
      if (!this.#node.guards.covers(response.call)) response.settle('cut', outcome, () => this.#connection.endIfIdle());
    }
  }

  /** Tells the caller of a refusal that is of no message. */
  tellRefusal(refusal: Refusal): void {
    const event = this.#language.refusalEvent(refusal, this.#handshake.id, null);
    if (event !== null) this.#say(event, noNext);
  }

  #refuse(refusal: Refusal, message: Message, to: Omit<RefusedTo, 'id'>): void {
    this.#admission.note(refusal, this.#handshake.id);
    this.#sayRefused(refusal, message, { id: this.#handshake.id, ...to });
  }

  #sayRefused(refusal: Refusal, message: Message, { id, event, next }: RefusedTo): void {
    this.#keepBack(message);
    const said = this.#language.refusalEvent(refusal, id, event);
    // No more is read from a caller who only asks and takes no answer.
    if (said === null) next();
    else this.#say(said, next);
  }

  #keepBack({ isCompressed }: Message): void {
    if (isCompressed && this.#callerKeepsContext) this.#leavesPlain = true;
  }

  #say(event: Buffer, next: () => void): void {
    this.#connection.toCaller(event, 0, event.length, next);
  }

  #forward(message: Message, next: () => void): void {
    const { source, from, to } = message;
    if (!message.isCompressed || !this.#leavesPlain) return this.#connection.toProvider(source, from, to, next);
    const plain = messageFrame(message.content, message.opcode, 'provider');
    this.#connection.toProvider(plain, 0, plain.length, next);
  }
}
