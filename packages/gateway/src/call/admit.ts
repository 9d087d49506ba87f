/**
 * An authenticated call → taken and forwarded, or refused: run headers (400) → destination (400, 401; by name also 404, 426) → limits, caps and
 * run (429, 402, 503) on the head → body → the same limits again, and taken in the same turn (rules: Decide, then take).
 * The first decision refuses before a body is read; the second is the one that counts, since time passes while a body is held. Key and
 * destination are then checked again, so that a call with a key or credential revoked in the meantime is not sent. A call asks the store only
 * if everything else admits it, for its run and the leases it lacks, and waits at most 250 ms.
 */
import { declaredBodyBytes } from '@metergate/core/call/framing.ts';
import { refusedModelOf, type BodyModels } from '@metergate/core/call/allowed-models.ts';
import { modelsOfTarget } from '@metergate/core/call/models-asked.ts';
import { hasWrongBaseUrl } from '@metergate/core/call/wrong-base-url.ts';
import { estimateTokens } from '@metergate/core/rate/four-buckets.ts';
import type { CallTransport } from '@metergate/core/record/call-record.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { hidesInHead, reportsStreamsUnasked } from '@metergate/core/usage/hidden-usage.ts';
import type { AskedInBody } from '@metergate/core/usage/later-work.ts';
import {
  asksInHeader, mayHideInBody, membersAsking, unmeteredByHead, unmeteredSocketOf, unmeteredWorkOf, type AskedOfBody, type UnmeteredWork,
} from '@metergate/core/usage/unmetered.ts';
import { socketKindOf } from '@metergate/core/usage/socket-kind.ts';
import type { CallerRequest, CallerResponse } from '../callers/caller-exchange.ts';
import type { Connection } from '../callers/connections.ts';
import type { ReadHead } from '../callers/read-head.ts';
import type { FaultPlace } from '../node/faults.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import { askAndDecide } from '../guards/ask-and-decide.ts';
import type { HeldKey } from '../guards/held-key.ts';
import { readRun } from '../guards/read-run.ts';
import type { CredentialMaker, Made } from '../credentials/made-credential.ts';
import type { AdmittedCall, AuthenticatedCall, ChosenDestination, OutboundBody } from './admitted-call.ts';
import { asksForWebSocket } from './asks-for-websocket.ts';
import { stillHeld } from './authenticate.ts';
import { chooseDestination } from './choose-destination.ts';
import { receiveBody } from './receive-body.ts';

/** How a call ends that is not forwarded: a refusal, or our own fault. */
interface Unforwarded {
  readonly refuseWith: (refusal: Refusal) => void;
  readonly broke: (place: FaultPlace, cause: unknown) => void;
}

/** One request and what answers it. */
export interface Reception {
  readonly request: CallerRequest;
  readonly response: CallerResponse;
  readonly connection: Connection;
  /** `websocket`: the handshake of a connection, for which the caller's was already taken off HTTP. */
  readonly transport: CallTransport;
  /** Takes the call over once nothing refuses it and its body can go out. */
  readonly forward: (call: AdmittedCall, body: OutboundBody) => void;
}

export class Admission {
  readonly #node: GatewayNode;
  readonly #reception: Reception;
  readonly #heard: AuthenticatedCall;
  readonly #head: ReadHead;
  readonly #end: Unforwarded;
  /** Read once, if it matters. */
  #headHides: boolean | null = null;

  constructor(
    node: GatewayNode, reception: Reception, { heard, head }: { readonly heard: AuthenticatedCall; readonly head: ReadHead }, end: Unforwarded,
  ) {
    this.#node = node;
    this.#reception = reception;
    this.#heard = heard;
    this.#head = head;
    this.#end = end;
  }

  /** As `begin`, in a later turn. Does nothing if the caller has left meanwhile. */
  beginLater(): void {
    try {
      if (!callerHasLeft(this.#reception)) this.begin();
    } catch (cause) {
      this.#end.broke('admission', cause);
    }
  }

  begin(): void {
    const { request, response } = this.#reception;
    const { id, method, route, keyHash, held, transport, connection } = this.#heard;
    const { rawHeaders } = request;
    const runCall = readRun(this.#head.run(), held, this.#node.verifyGrant);
    if (runCall !== null && 'kind' in runCall) return this.#end.refuseWith(runCall);
    const chosen = this.#choose(held);
    if ('kind' in chosen) return this.#end.refuseWith(chosen);
    const full = transport === 'websocket' ? this.#node.sessions.refusal(held.organization.id) : null;
    if (full !== null) return this.#end.refuseWith({ kind: full });
    const { labels, labelsDropped } = this.#head.labels();
    const call: AdmittedCall = {
      id, method, route, keyHash, held, transport, connection, chosen, labels, labelsDropped, runCall,
      unmetered: this.#unmetered(held, chosen, null),
      project: this.#head.project(),
      session: this.#head.session(this.#node.sessionHeaders),
      hidesInHandshake: transport === 'websocket' && this.#hides('POST'),
      traceParent: this.#node.traces?.parentOf(rawHeaders) ?? null,
      estimate: estimateTokens(declaredBodyBytes(rawHeaders)),
      taken: null,
      startedWallMs: 0,
      startedMonotonicMs: this.#node.clock.monotonicMs(),
    };
    const refusedByPath = modelRefusalOf(this.#heard, held, 'none');
    if (refusedByPath !== null) return this.#end.refuseWith(refusedByPath);
    const early = this.#node.guards.decide(call);
    if (early !== null && early.kind !== 'run_unseen' && !this.#node.guards.mayAsk(early)) return this.#refuse(call, early);
    receiveBody(this.#node, {
      request, response, route, connection: this.#reception.connection, organization: held.organization.id,
      readsLater: readsLater(this.#heard),
      readsHidden: readsHidden(this.#heard, chosen),
      readsModels: bindsModels(this.#heard, held),
      signs: chosen.maker?.needsBody ?? false,
      refused: (refusal) => this.#end.refuseWith(refusal),
      ready: (body) => this.#bodyCame(call, body),
      broke: (cause) => this.#end.broke('body', cause),
    });
  }

  /** Work that the organization may refuse, as far as it is known. `asked`: null while the body has not come. Costs nothing where all is allowed. */
  #unmetered(held: HeldKey, chosen: ChosenDestination, asked: AskedOfBody | null): UnmeteredWork | null {
    const { unmetered } = held.organization;
    if (unmetered === null) return null;
    const { route, method, transport } = this.#heard;
    if (transport === 'websocket') return unmeteredSocketOf(unmetered, socketKindOf(route));
    const { rawHeaders } = this.#reception.request;
    return unmeteredWorkOf(unmetered, {
      ...route, method,
      isAsynchronous: asksInHeader(route, rawHeaders),
      hides: unmetered.hidden !== 'allow' && this.#hides(method),
      isUntold: unmetered.hidden !== 'allow' && this.#node.guards.isUntold(held),
      streamsReport: reportsStreamsUnasked(chosen),
    }, asked);
  }

  /** Whether the head asks for an answer without usage. `method`: of the work. */
  #hides(method: string): boolean {
    return this.#headHides ??= hidesInHead({ ...this.#heard.route, method }, this.#reception.request.rawHeaders);
  }

  #bodyCame(call: AdmittedCall, body: OutboundBody): void {
    const now = this.#asOfNow(call);
    if ('kind' in now) return this.#refuseHeld(call, body, now);
    const refused = modelRefusalOf(this.#heard, now.held, body.modelsAsked);
    if (refused !== null) return this.#refuseHeld(call, body, refused);
    now.unmetered = this.#unmetered(now.held, now.chosen, body);
    if (now.chosen.maker === null) return this.#bodyReady(now, body);
    this.#credit(now, body, now.chosen.maker);
  }

  /** Has the call's credential made, and goes on with it. What changed while it was waited for is asked for again. */
  #credit(call: AdmittedCall, body: OutboundBody, maker: CredentialMaker): void {
    const early = this.#node.guards.decide(call);
    if (early !== null && early.kind !== 'run_unseen' && !this.#node.guards.mayAsk(early)) return this.#refuseHeld(call, body, early);
    const { content } = body;
    const broke = (cause: unknown): void => {
      this.#drop(call, body);
      this.#end.broke('admission', cause);
    };
    const goOn = (made: Made): void => {
      try {
        this.#credited(call, body, made);
      } catch (cause) {
        broke(cause);
      }
    };
    let isAtHand = true;
    maker.make({
      method: call.method, target: call.chosen.target, rawHeaders: this.#reception.request.rawHeaders,
      body: content === null || content instanceof Uint8Array ? content : 'streamed',
    }, {
      broke,
      // Otherwise all calls that waited for one token would go on in the turn in which it came, and hold up every other call meanwhile.
      made: (made) => (isAtHand ? goOn(made) : this.#inTurn(() => goOn(made))),
    });
    isAtHand = false;
  }

  #inTurn(step: () => void): void {
    const { turns } = this.#node;
    const organization = this.#heard.held.organization.id;
    if (turns.mayGo(organization)) step();
    else turns.later(organization, step);
  }

  #credited(call: AdmittedCall, body: OutboundBody, made: Made): void {
    if (callerHasLeft(this.#reception)) return this.#drop(call, body);
    const now = this.#asOfNow(call);
    if ('kind' in now) return this.#refuseHeld(call, body, now);
    if (now !== call) return this.#bodyCame(now, body);
    if ('kind' in made) return this.#refuseHeld(call, body, made);
    const { header: credential, beside } = made;
    this.#bodyReady({ ...call, chosen: { ...call.chosen, credential, beside } }, body);
  }

  /** The call under the settings of this moment; if none changed, itself. */
  #asOfNow(call: AdmittedCall): AdmittedCall | Refusal {
    const held = stillHeld(this.#node, call.keyHash);
    if (held === null) return { kind: 'service_key_invalid' };
    if (held === call.held) return call;
    const chosen = this.#choose(held);
    if ('kind' in chosen) return chosen;
    return { ...call, held, chosen, runCall: call.runCall === null ? null : { ...call.runCall, held } };
  }

  #choose({ organization }: HeldKey): ChosenDestination | Refusal {
    const { route } = this.#heard;
    if (hasWrongBaseUrl(organization.wrongBaseUrl, route, this.#reception.request.rawHeaders)) return { kind: 'wrong_base_url' };
    const chosen = chooseDestination(this.#node, this.#heard, organization);
    // Only a caller who may use the name learns that there is no WebSocket.
    if (route.upstream !== null && !('kind' in chosen) && asksForWebSocket(this.#reception.request)) return { kind: 'upgrade_unsupported' };
    return chosen;
  }

  #bodyReady(call: AdmittedCall, body: OutboundBody): void {
    const decision = this.#node.guards.decide(call);
    if (decision === null) return this.#forward(call, body);
    askAndDecide(this.#node, call, decision, {
      isWanted: () => !callerHasLeft(this.#reception),
      admitted: () => this.#forward(call, body),
      refused: (refusal) => this.#refuseHeld(call, body, refusal),
      left: () => this.#drop(call, body),
      broke: (cause) => {
        this.#drop(call, body);
        this.#end.broke('admission', cause);
      },
    });
  }

  #forward(call: AdmittedCall, body: OutboundBody): void {
    call.startedWallMs = this.#node.clock.wallMs();
    this.#node.guards.take(call);
    try {
      this.#reception.forward(call, body);
    } catch (cause) {
      this.#drop(call, body);
      throw cause;
    }
  }

  #refuseHeld(call: AdmittedCall, body: OutboundBody, refusal: Refusal): void {
    this.#drop(call, body);
    this.#refuse(call, refusal);
  }

  /** The body of a call that is not forwarded is read away, and what it took, if it came so far, is given back. */
  #drop(call: AdmittedCall, body: OutboundBody): void {
    body.release();
    body.drop();
    this.#node.guards.giveBack(call);
  }

  /** Answers once the refusal is journalled; if it cannot be, the caller does not see it. */
  #refuse(call: AdmittedCall, refusal: Refusal): void {
    this.#node.guards.whenJournalled(call, (error) => {
      try {
        this.#end.refuseWith(error === null ? refusal : { kind: 'internal_fault' });
      } catch (cause) {
        this.#end.broke('admission', cause);
      }
    });
  }
}

/** Whether a list says which models the call may ask for. What only reads asks for none, unless it opens a connection. */
function bindsModels({ method, transport }: AuthenticatedCall, { organization, key }: HeldKey): boolean {
  if (organization.models === null && key.models === null) return false;
  return transport === 'websocket' || (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS');
}

/** `body`: `none` while it has not come. Costs nothing where there is no list. */
function modelRefusalOf(heard: AuthenticatedCall, held: HeldKey, body: BodyModels): Refusal | null {
  if (!bindsModels(heard, held)) return null;
  const lists = { organization: held.organization.models, key: held.key.models };
  const named = modelsOfTarget(heard.route.target);
  // Where no message is read, the handshake must name the model.
  const isUnread = heard.transport === 'websocket' && named.length === 0 && socketKindOf(heard.route) === 'unread';
  const refused = refusedModelOf(lists, named, isUnread ? 'unread' : body);
  return refused === null ? null : { kind: 'model_not_allowed', refused };
}

/** What the body must be read for, since only it can ask for work that is done later; null: nothing that the organization may refuse. */
function readsLater({ route, method, held: { organization: { unmetered } } }: AuthenticatedCall): AskedInBody | null {
  if (unmetered === null || unmetered.deferred === 'allow') return null;
  const operation = { ...route, method };
  return unmeteredByHead(operation) === 'by_body' ? membersAsking(operation) : null;
}

/** Whether the body must be read, since only it can ask for a stream without usage. */
function readsHidden({ route, method, held: { organization: { unmetered } } }: AuthenticatedCall, chosen: ChosenDestination): boolean {
  if (unmetered === null || unmetered.hidden === 'allow') return false;
  return mayHideInBody({ ...route, method, streamsReport: reportsStreamsUnasked(chosen) });
}

/** Node does not notify a response that waits behind another on its connection that the connection is gone. */
export function callerHasLeft({ request, response }: Pick<Reception, 'request' | 'response'>): boolean {
  return response.destroyed || request.socket.destroyed;
}
