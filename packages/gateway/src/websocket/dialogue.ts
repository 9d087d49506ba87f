/**
 * What both ends say to each other, message by message, and the responses that come of it. A message of the caller leaves once it is known that it
 * begins nothing, or once what it begins is admitted and journalled. A message of the provider that begins or ends a response reaches the
 * caller once that is journalled.
 */
import type { CallOutcome } from '@metergate/core/record/call-record.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { CallerEvents, type CallerEvent } from '@metergate/core/websocket/caller-event.ts';
import { ServerEvents, type ServerEvent } from '@metergate/core/websocket/server-event.ts';
import type { AdmittedCall } from '../call/admitted-call.ts';
import { modelName } from '../call/requested-model.ts';
import type { GatewayNode } from '../gateway-node.ts';
import { errorEvent } from './error-event.ts';
import type { Compression } from './extensions.ts';
import type { Message } from './inflow.ts';
import { messageFrame } from './own-frames.ts';
import { ResponseAdmission } from './response-admission.ts';
import { ResponseCall, type ResponseCallOptions } from './response-call.ts';
import { Responses } from './responses.ts';

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
  readonly streamId: string | null;
  readonly next: () => void;
}

export class Dialogue {
  readonly responses = new Responses();
  readonly #node: GatewayNode;
  readonly #handshake: AdmittedCall;
  readonly #connection: DialogueConnection;
  readonly #admission: ResponseAdmission;
  readonly #callerKeepsContext: boolean;
  readonly #callerEvents = new CallerEvents();
  readonly #serverEvents = new ServerEvents();
  /** A compressed message of the caller was kept back: what comes behind it can be decompressed here alone, and leaves uncompressed. */
  #leavesPlain = false;

  constructor(node: GatewayNode, handshake: AdmittedCall, { connection, compression }: {
    readonly connection: DialogueConnection; readonly compression: Compression | null;
  }) {
    this.#node = node;
    this.#handshake = handshake;
    this.#connection = connection;
    this.#admission = new ResponseAdmission(node, handshake);
    this.#callerKeepsContext = compression?.callerKeepsContext === true;
  }

  get keyIsLive(): boolean {
    return this.#admission.keyIsLive;
  }

  callerSays(message: Message, next: () => void): void {
    this.#node.sessions.counters.fromCallers += 1;
    const event = this.#callerEvents.read(message.text);
    if (event.begins === 'response') return this.#create(event, message, next);
    if (event.begins === 'successor') return this.#steer(event, message, next);
    this.#forward(message);
    next();
  }

  /** The provider may begin a response for it, which is not asked for then. */
  #steer(event: CallerEvent, message: Message, next: () => void): void {
    const refusal = this.#connection.endsFor ?? this.#admission.refusalNow(message.text);
    if (refusal !== null) return this.#refuse(refusal, message, { streamId: event.streamId, next });
    this.responses.steered(event.previousResponseId);
    this.#forward(message);
    next();
  }

  #create(event: CallerEvent, message: Message, next: () => void): void {
    const { endsFor } = this.#connection;
    if (endsFor !== null) return this.#refuse(endsFor, message, { streamId: event.streamId, next });
    const refused = (refusal: Refusal, id: CallId): void => {
      this.#sayRefused(refusal, message, { id, streamId: event.streamId, next });
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
    const { streamId, previousResponseId, model } = event;
    const asked = { requestBytes: message.wire.length, streamId, previousResponseId, requestedModel: modelName(model) };
    const response = this.#responseOf(call, asked);
    this.responses.asked(response);
    response.open((error) => this.#connection.run(() => {
      if (error !== null) return refused({ kind: 'internal_fault' }, call.id);
      if (!response.isSettling) this.#forward(message);
      next();
    }));
  }

  #responseOf(call: AdmittedCall, asked: Omit<ResponseCallOptions, 'call' | 'broke' | 'over'>): ResponseCall {
    return new ResponseCall(this.#node, {
      call, ...asked, broke: () => this.#connection.breakOff(), over: (response) => this.responses.ended(response),
    });
  }

  providerSays(message: Message, next: () => void): void {
    this.#node.sessions.counters.fromProviders += 1;
    const event = this.#serverEvents.read(message.text);
    const of = this.responses.of(event);
    if (of === 'begun') this.#providerBegan(event, message, next);
    else this.#responseSays(of, { event, message, next });
  }

  /** Without having been asked. It is opened before its first event reaches the caller. */
  #providerBegan(event: ServerEvent, message: Message, next: () => void): void {
    const refusal = this.#admission.refusalNow();
    const { streamId, previousResponseId } = event;
    const response = this.#responseOf(this.#admission.takeBegun(), {
      requestBytes: 0, streamId, previousResponseId, requestedModel: null,
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
    this.#connection.toCaller(errorEvent(refusal, this.#handshake.id, null));
  }

  #refuse(refusal: Refusal, message: Message, to: Omit<RefusedTo, 'id'>): void {
    this.#admission.note(refusal, this.#handshake.id);
    this.#sayRefused(refusal, message, { id: this.#handshake.id, ...to });
  }

  #sayRefused(refusal: Refusal, { isCompressed }: Message, { id, streamId, next }: RefusedTo): void {
    if (isCompressed && this.#callerKeepsContext) this.#leavesPlain = true;
    this.#connection.answerCaller(errorEvent(refusal, id, streamId), next);
  }

  #forward({ wire, opcode, isCompressed, text }: Message): void {
    this.#connection.toProvider(isCompressed && this.#leavesPlain ? messageFrame(text, opcode, 'provider') : wire);
  }
}
