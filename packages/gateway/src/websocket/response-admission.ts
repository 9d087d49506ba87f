/**
 * A request for a response → decided and taken as every call is (rules: Decide, then take), with the run, labels and project of its connection's
 * handshake. What the provider begins by itself was not asked for, and cannot be refused: it is admitted, and what would have refused it is noted.
 */
import { refusedModel, refusedModelOf, type BodyModels } from '@metergate/core/call/allowed-models.ts';
import { estimateTokens } from '@metergate/core/rate/four-buckets.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { unmeteredWorkOf, untoldWork, type AskedLater, type UnmeteredWork } from '@metergate/core/usage/unmetered.ts';
import { socketKindOf } from '@metergate/core/usage/socket-kind.ts';
import type { AdmittedCall } from '../call/admitted-call.ts';
import { stillHeld } from '../call/authenticate.ts';
import { withdrawnDestination } from '../call/choose-destination.ts';
import { noteRefusal } from '../call/note-refusal.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import { askAndDecide } from '../guards/ask-and-decide.ts';
import type { HeldKey } from '../guards/held-key.ts';
import { answerFor } from '../callers/refusals.ts';
import { freshRequestId } from '../callers/request-ids.ts';

/** A request, as it was read. */
export interface AskedResponse {
  /** Decompressed. */
  readonly bytes: number;
  /** Whether it asks for its work to be done later. */
  readonly asksLater: AskedLater;
  /** Every model that it may be asking for; asked only where a list is kept. */
  readonly models: () => BodyModels;
}

/** What becomes of a request: exactly one of these, once, or nothing if it is no longer wanted. */
export interface AdmissionEnd {
  /** Whether its caller is there and its connection not over; asked after each wait for the store. If not, it takes no limits. */
  readonly isWanted: () => boolean;
  /** It has taken its limits, if it is to. */
  readonly admitted: (call: AdmittedCall) => void;
  /** The refusal may be sent: what it rests on is in the journal. `id`: of the call that was refused. */
  readonly refused: (refusal: Refusal, id: AdmittedCall['id']) => void;
  /** Our own code threw. */
  readonly broke: (cause: unknown) => void;
}

export class ResponseAdmission {
  readonly #node: GatewayNode;
  readonly #handshake: AdmittedCall;
  /** A request names the model, and may ask for work in the background. Elsewhere the connection has a model. */
  readonly #asksForModels: boolean;
  /** What `refusalNow` decides on, for the settings it was made with. */
  #probe: AdmittedCall | null = null;

  constructor(node: GatewayNode, handshake: AdmittedCall) {
    this.#node = node;
    this.#handshake = handshake;
    this.#asksForModels = socketKindOf(handshake.route) === 'responses';
  }

  ask(asked: AskedResponse, end: AdmissionEnd): void {
    const models = this.#asksForModels ? asked.models : unlessNone(asked.models);
    this.#decide(asked, models, { ...end, admitted: (call) => this.#take(call, end) });
  }

  /** For what the provider may begin by itself: decided as a request is, and asked for where the store must be. Takes nothing. */
  askToBegin({ models }: Pick<AskedResponse, 'models'>, end: AdmissionEnd): void {
    this.#decide(null, unlessNone(models), { ...end, admitted: (call) => {
      this.#node.guards.giveBack(call);
      end.admitted(call);
    } });
  }

  #decide(asked: AskedResponse | null, models: AskedResponse['models'], end: AdmissionEnd): void {
    const { guards } = this.#node;
    const held = stillHeld(this.#node, this.#handshake.keyHash);
    const call = this.#callFor(held ?? this.#handshake.held, asked);
    if (held === null) return this.#refuse(call, { kind: 'service_key_invalid' }, end);
    const refused = withdrawnDestination(call.route, held.organization) ?? modelRefusalOf(held, models);
    if (refused !== null) return this.#refuse(call, refused, end);
    const decision = guards.decide(call);
    if (decision === null) return end.admitted(call);
    askAndDecide(this.#node, call, decision, {
      isWanted: end.isWanted,
      admitted: () => end.admitted(call),
      refused: (refusal) => this.#refuse(call, refusal, end),
      left: () => guards.giveBack(call),
      broke: (cause) => {
        guards.giveBack(call);
        end.broke(cause);
      },
    });
  }

  /** Whether a list binds the models that may be asked for. */
  get readsModels(): boolean {
    const { organization, key } = stillHeld(this.#node, this.#handshake.keyHash) ?? this.#handshake.held;
    return organization.models !== null || key.models !== null;
  }

  get keyIsLive(): boolean {
    return stillHeld(this.#node, this.#handshake.keyHash) !== null;
  }

  /** What would refuse a response that is asked for now; null: nothing that is known here. Takes nothing. */
  refusalNow(): Refusal | null {
    const held = stillHeld(this.#node, this.#handshake.keyHash);
    if (held === null) return { kind: 'service_key_invalid' };
    const withdrawn = withdrawnDestination(this.#handshake.route, held.organization);
    if (withdrawn !== null) return withdrawn;
    if (this.#probe?.held !== held || this.#probe.runCall !== null) this.#probe = this.#callFor(held, null);
    this.#probe.unmetered = this.#unmetered(held, null);
    const decision = this.#node.guards.decide(this.#probe);
    if (decision === null || decision.kind === 'run_unseen' || this.#node.guards.mayAsk(decision)) return null;
    return decision;
  }

  /** What refuses these models, which a message sets for the connection; null: nothing. */
  refusalOfModels(models: readonly string[]): Refusal | null {
    const { organization, key } = stillHeld(this.#node, this.#handshake.keyHash) ?? this.#handshake.held;
    const refused = refusedModel({ organization: organization.models, key: key.models }, models);
    return refused === null ? null : { kind: 'model_not_allowed', refused };
  }

  /** The call of a response that the provider has begun. Taken whatever the limits say. */
  takeBegun(): AdmittedCall {
    const call = this.#callFor(stillHeld(this.#node, this.#handshake.keyHash) ?? this.#handshake.held, null);
    // Its run is that of the handshake, which holds it as long as the connection lasts.
    if (call.runCall !== null) call.runCall.run = this.#handshake.runCall!.run;
    call.startedWallMs = this.#node.clock.wallMs();
    this.#node.guards.take(call);
    return call;
  }

  /** Counts a refusal where others are counted. */
  note(refusal: Refusal, id: AdmittedCall['id']): void {
    const { held, runCall } = this.#handshake;
    const { organization, key } = held;
    const answer = answerFor(refusal);
    const { code } = answer;
    this.#node.counters.refused += 1;
    this.#node.metrics.refused(code);
    noteRefusal(this.#node, held, { id, answerId: id, answer, run: runCall?.declaration.id ?? null });
    this.#node.log.refused({ id, answerId: id, code, organization: organization.id, key: key.id });
  }

  /** `asked`: null where nobody asked. */
  #callFor(held: HeldKey, asked: AskedResponse | null): AdmittedCall {
    const { runCall, id: connection } = this.#handshake;
    return {
      ...this.#handshake, id: freshRequestId(), connection, held, method: 'POST', taken: null, estimate: estimateTokens(asked?.bytes ?? null),
      unmetered: this.#unmetered(held, asked),
      runCall: runCall === null ? null : { ...runCall, held, run: null, asked: null },
      startedWallMs: 0, startedMonotonicMs: this.#node.clock.monotonicMs(),
    };
  }

  /** Work that the organization may refuse. Costs nothing where all is allowed. */
  #unmetered(held: HeldKey, asked: AskedResponse | null): UnmeteredWork | null {
    const { unmetered } = held.organization;
    if (unmetered === null) return null;
    const isUntold = this.#node.guards.isUntold(held);
    if (!this.#asksForModels) return untoldWork(unmetered, isUntold);
    const { route, hidesInHandshake: hides } = this.#handshake;
    const asksLater = asked === null || unmetered.deferred === 'allow' ? 'no' : asked.asksLater;
    return unmeteredWorkOf(unmetered, { ...route, method: 'POST', hides, isUntold }, { asksLater, hidesUsage: 'no' });
  }

  #take(call: AdmittedCall, { admitted }: Pick<AdmissionEnd, 'admitted'>): void {
    call.startedWallMs = this.#node.clock.wallMs();
    this.#node.guards.take(call);
    admitted(call);
  }

  #refuse(call: AdmittedCall, refusal: Refusal, { refused, broke }: AdmissionEnd): void {
    this.#node.guards.giveBack(call);
    this.#node.guards.whenJournalled(call, (error) => {
      try {
        const told: Refusal = error === null ? refusal : { kind: 'internal_fault' };
        this.note(told, call.id);
        refused(told, call.id);
      } catch (cause) {
        broke(cause);
      }
    });
  }
}

function modelRefusalOf({ organization, key }: HeldKey, models: AskedResponse['models']): Refusal | null {
  if (organization.models === null && key.models === null) return null;
  const refused = refusedModelOf({ organization: organization.models, key: key.models }, [], models());
  return refused === null ? null : { kind: 'model_not_allowed', refused };
}

/** A steer need not name a model: the response that it begins has that of the one before. Nor need a request where the session has one. */
function unlessNone(models: AskedResponse['models']): AskedResponse['models'] {
  return () => {
    const named = models();
    return named.length === 0 ? 'none' : named;
  };
}
