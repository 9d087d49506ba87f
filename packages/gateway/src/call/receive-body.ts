/**
 * Receives the caller's request body and prepares what is sent. Three ways: none; held whole and sent in one write with the head (short ones,
 * every chat body, which must be looked into, and those that are signed or may ask for work or for models that are refused); streamed. Spec:
 * Endpoints rules 1 and 2; rule 6c.
 */
import { declaredBodyBytes } from '@metergate/core/call/framing.ts';
import type { CallerResponse, StreamedRequest } from '../callers/caller-exchange.ts';
import { WholeRequest } from '../callers/whole-request.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { OutboundBody } from './admitted-call.ts';
import { BodyReading } from './body-reading.ts';
import type { BodyReception } from './body-reception.ts';
import { HeldBody, heldBodyBytesMax, shortBodyBytesMax } from './held-body.ts';
import { streamedBody } from './streamed-body.ts';
import { noBody, WholeBody } from './whole-body.ts';

/** Starts to receive the body of an admitted call. */
export function receiveBody(node: GatewayNode, reception: BodyReception): void {
  const { request, response, route, ready, readsLater, readsHidden, readsModels, signs } = reception;
  if (request instanceof WholeRequest) return receiveWhole(request.content, reception);
  const declaredBytes = declaredBodyBytes(request.rawHeaders);
  if (declaredBytes === 0) return ready(noBody);
  if (request.headers.expect !== undefined && request.httpVersionMinor > 0) askForBody(request, response);
  const mustBeHeld = route.bodyHeld || readsLater !== null || readsHidden || readsModels || signs;
  const isHeld = mustBeHeld ? declaredBytes === null || declaredBytes <= heldBodyBytesMax
    : declaredBytes !== null && declaredBytes <= shortBodyBytesMax;
  if (isHeld) {
    new HeldBody(node, { ...reception, request }, declaredBytes).receive();
    return;
  }
  ready(streamedBody(request, { first: [], firstBytes: 0, contentLength: declaredBytes, overBound: route.bodyHeld, release: () => {} }));
}

/** Says 100 where the caller waits for it. Node would put that behind the head of an answer which waits behind another one. */
function askForBody(request: StreamedRequest, response: CallerResponse): void {
  if (response.socket !== null) return response.writeContinue();
  response.once('socket', () => { if (!response.headersSent && !request.complete) response.writeContinue(); });
}

/** It is here already. */
function receiveWhole(content: Buffer | null, reception: BodyReception): void {
  if (content === null) return reception.ready(noBody);
  let body: OutboundBody;
  try {
    const reading = new BodyReading(reception);
    reading.push(content);
    const pieces = [content];
    body = new WholeBody({ pieces, bytes: content.length, counted: null, joins: reception.signs }, reading.result(pieces));
    reading.release();
  } catch (cause) {
    return reception.broke(cause);
  }
  reception.ready(body);
}
