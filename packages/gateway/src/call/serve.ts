/**
 * The stages of a call in order; this order is the precedence of refusals (rules: The path of a call):
 * framing (400) → route (404) → an upgrade that HTTP or the path forbids (426) → authenticate (401), here; then in `admit.ts` run headers (400) →
 * destination (400, 401) → limits (429, 402, 503) → body → limits again, and taken; then `relay.ts`: open → forward (502).
 * A refused call opens no connection to a destination and leaves no record.
 */
import { pathOf } from '@metergate/core/call/route.ts';
import { declaredRunId } from '@metergate/core/run/declaration.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import type { FaultPlace } from '../node/faults.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { HeldKey } from '../guards/held-key.ts';
import type { CallerRequest } from '../callers/caller-exchange.ts';
import { ReadHead } from '../callers/read-head.ts';
import { answerFor } from '../callers/refusals.ts';
import { freshRequestId } from '../callers/request-ids.ts';
import { sendRefusal } from '../callers/respond.ts';
import { noteStranger } from '../fairness/bytes-behind-refusals.ts';
import { Admission, callerHasLeft, type Reception } from './admit.ts';
import { asksForWebSocket, isBareMessages } from './asks-for-websocket.ts';
import { authenticate } from './authenticate.ts';
import { noteRefusal } from './note-refusal.ts';

/** Serves one request to the point where it is forwarded or refused. */
export function serve(node: GatewayNode, reception: Reception): void {
  const { request, response } = reception;
  const id = freshRequestId();
  let caller: HeldKey | null = null;
  const refuseWith = (refusal: Refusal): void => {
    node.counters.refused += 1;
    const answer = answerFor(refusal);
    const { code } = answer;
    node.metrics.refused(code);
    if (caller === null && !request.complete) noteStranger(request);
    const answerId = sendRefusal(request, response, id, refusal);
    if (caller !== null) noteRefusal(node, caller, { id, answerId, answer, run: declaredRunId(request.rawHeaders) });
    node.log.refused({ id, answerId, code, organization: caller?.organization.id ?? null, key: caller?.key.id ?? null });
  };
  const rawTarget = request.url ?? '';
  const method = request.method ?? '';
  const head = headOf(request);
  const { fault, route } = head;
  if (fault !== null) return refuseWith({ kind: 'malformed_request', fault });
  if (route === null) return refuseWith({ kind: 'unknown_url', method, path: pathOf(rawTarget) });
  const isForHttp = reception.transport === 'http' ? route.upstream === null : isBareMessages(route);
  if (isForHttp && asksForWebSocket(request)) return refuseWith({ kind: 'upgrade_unsupported' });
  const broke = (place: FaultPlace, cause: unknown): void => {
    node.faults.note(place, cause);
    if (response.headersSent) request.socket.destroy();
    else sendRefusal(request, response, id, { kind: 'internal_fault' });
  };
  const presented = head.presented();
  // A caller that shows no key does not learn that some organization may have declared such a name.
  if (presented === undefined) return refuseWith({ kind: 'unknown_url', method, path: route.path });
  // An answer to an own call, too, may be sent before the body has come.
  if (presented === null && !request.complete) noteStranger(request);
  if (presented === null && node.ownCalls?.take(request, response) === true) return;
  authenticate(node, { presented, head, connection: reception.connection }, (outcome) => {
    try {
      if (callerHasLeft(reception)) return;
      if (outcome === 'invalid') refuseWith({ kind: 'service_key_invalid' });
      else if (outcome === 'unavailable') refuseWith({ kind: 'internal_fault' });
      else {
        caller = outcome.held;
        const { hash: keyHash, held } = outcome;
        const heard = { id, method, route, keyHash, held, transport: reception.transport, connection: null } as const;
        const admission = new Admission(node, reception, { heard, head }, { refuseWith, broke });
        const organization = caller.organization.id;
        if (node.turns.mayGo(organization)) admission.begin();
        else node.turns.later(organization, () => admission.beginLater());
      }
    } catch (cause) {
      broke('admission', cause);
    }
  });
}

/** What was read of its head so far: that of the request before it where both have the same. */
function headOf(request: CallerRequest): ReadHead {
  if ('readHead' in request && request.readHead !== null) return request.readHead;
  return new ReadHead({
    method: request.method ?? '', target: request.url ?? '', pairs: request.rawHeaders,
    majorVersion: request.httpVersionMajor, minorVersion: request.httpVersionMinor,
  });
}
