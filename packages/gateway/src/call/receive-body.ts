/**
 * Receives the caller's request body and prepares what is sent. Three ways: none; held whole and sent in one write with the head (short ones,
 * every chat body, which must be looked into, and those that may ask for work or for models that are refused); streamed. Spec: Endpoints rules
 * 1 and 2; rule 6c. A held body's bytes are never changed except for the one insertion. Past its bound a chat body is streamed untouched, and
 * the record says so. Held bytes count against their organization as they arrive. A body that arrives too slowly is refused with 408 (rule 8a).
 */
import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import type { BodyModels } from '@metergate/core/call/allowed-models.ts';
import { declaredBodyBytes } from '@metergate/core/call/framing.ts';
import { createStreamFlagScanner, includeUsageBytes, type IncludeUsageDecision, type StreamFlagScanner } from '@metergate/core/call/include-usage.ts';
import type { Route } from '@metergate/core/call/route.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { BackgroundScanner } from '@metergate/core/usage/background-scanner.ts';
import type { AskedLater } from '@metergate/core/usage/unmetered.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { BodyPace } from '../body-pace.ts';
import type { CallerRequest, CallerResponse } from '../callers/caller-exchange.ts';
import type { Connection, Receiving } from '../callers/connections.ts';
import { WholeRequest } from '../callers/whole-request.ts';
import type { GatewayNode } from '../gateway-node.ts';
import type { HeldBytes } from '../held-bodies.ts';
import type { OutboundBody } from './admitted-call.ts';
import { bodyModelsOf, createBodyModelReader, type BodyModelReader } from './body-models.ts';
import { inOnePiece, withInsertion } from './body-pieces.ts';
import { createModelWatch, modelName, type ModelWatch } from './requested-model.ts';

/** A declared body up to this length is held on any route: one write instead of a stream. */
const shortBodyBytesMax = 64 * 1024;
/** A chat body past this is not looked into. */
const heldBodyBytesMax = 32 * 1024 * 1024;

export interface BodyReception {
  readonly request: CallerRequest;
  readonly response: CallerResponse;
  readonly connection: Connection;
  readonly route: Route;
  readonly organization: OrganizationId;
  /** The body is held, up to the bound, and read for what it asks to be done in the background. */
  readonly readsBackground: boolean;
  /** As that, for the models that it names. */
  readonly readsModels: boolean;
  /** Runs once, when the body can go out. Never runs when the caller leaves while a body is being held. */
  readonly ready: (body: OutboundBody) => void;
  /** Runs in place of it where the body came too slowly to be held on, or ended too early. */
  readonly refused: (refusal: Refusal) => void;
  /** Runs in place of it where our own code threw while the body was being held. */
  readonly broke: (cause: unknown) => void;
}

/** One whose body is still coming. */
interface StreamedReception extends BodyReception {
  readonly request: IncomingMessage;
}

/** Starts to receive the body of an admitted call. */
export function receiveBody(node: GatewayNode, reception: BodyReception): void {
  const { request, response, route, ready, readsBackground, readsModels } = reception;
  if (request instanceof WholeRequest) return receiveWhole(request, reception);
  const declaredBytes = declaredBodyBytes(request.rawHeaders);
  if (declaredBytes === 0) return ready(noBody);
  if (request.headers.expect !== undefined && request.httpVersionMinor > 0) askForBody(request, response);
  const isHeld = route.bodyHeld || readsBackground || readsModels ? declaredBytes === null || declaredBytes <= heldBodyBytesMax
    : declaredBytes !== null && declaredBytes <= shortBodyBytesMax;
  if (isHeld) {
    new HeldBody(node, { ...reception, request }, declaredBytes).receive();
    return;
  }
  ready(streamedBody(request, { first: [], firstBytes: 0, contentLength: declaredBytes, overBound: route.bodyHeld, release: () => {} }));
}

/** Says 100 where the caller waits for it. Node would put that behind the head of an answer which waits behind another one. */
function askForBody(request: IncomingMessage, response: CallerResponse): void {
  if (response.socket !== null) return response.writeContinue();
  response.once('socket', () => { if (!response.headersSent && !request.complete) response.writeContinue(); });
}

/** It is here already. */
function receiveWhole({ content, rawHeaders }: WholeRequest, { route, readsBackground, readsModels, ready, broke }: BodyReception): void {
  if (content === null) return ready(noBody);
  let body: OutboundBody;
  try {
    body = wholeBody([content], { receivedBytes: content.length, ...(route.bodyHeld ? readOfChat(content) : readOf(content, rawHeaders)),
      asksLater: readsBackground ? backgroundOf(content) : 'unread',
      modelsAsked: readsModels ? bodyModelsOf(content, rawHeaders) : 'unread', counted: null });
  } catch (cause) {
    return broke(cause);
  }
  ready(body);
}

/** What a held body says. `verdict`: of a chat body. */
interface ReadOfBody {
  readonly verdict: IncludeUsageDecision | undefined;
  readonly model: string | null;
}

function readOfChat(content: Buffer): ReadOfBody {
  const scanner = createStreamFlagScanner();
  scanner.push(content);
  const read = { verdict: scanner.result(), model: modelName(scanner.model) };
  scanner.release();
  return read;
}

function readOf(content: Buffer, rawHeaders: readonly string[]): ReadOfBody {
  const watch = createModelWatch(rawHeaders);
  watch.push(content);
  const read = { verdict: undefined, model: watch.model() };
  watch.release();
  return read;
}

/** Whether a whole request asks for a response in the background. */
export function backgroundOf(content: Buffer): AskedLater {
  const scanner = new BackgroundScanner();
  scanner.push(content);
  return scanner.result();
}

/** What is sent for these pieces: they themselves, or with the option put in where the verdict says so. */
function wholeBody(pieces: readonly Buffer[], { verdict, receivedBytes, ...kept }: ReadOfBody & KeptOfBody): OutboundBody {
  const inserts = verdict?.kind === 'insert';
  const contentLength = receivedBytes + (inserts ? includeUsageBytes.length : 0);
  return new WholeBody(inOnePiece(inserts ? withInsertion(pieces, verdict.at) : pieces, contentLength),
    { contentLength, receivedBytes, ...kept });
}

/** What stays known of a body that was held whole. */
interface KeptOfBody {
  readonly receivedBytes: number;
  readonly model: string | null;
  readonly asksLater: AskedLater;
  readonly modelsAsked: BodyModels;
  readonly counted: HeldBytes | null;
}

const noBody: OutboundBody = {
  content: null, contentLength: null, asksLater: 'no', modelsAsked: 'none', overBound: false, requestedModel: () => null, receivedBytes: () => 0,
  release: () => {}, drop: () => {},
};

interface StreamStart {
  readonly first: readonly Buffer[];
  readonly firstBytes: number;
  readonly contentLength: number | null;
  readonly overBound: boolean;
  readonly release: () => void;
}

/** The rest of a request as a stream, counted; what was already read goes first. Dropping it reads the rest away. */
function streamedBody(request: IncomingMessage, start: StreamStart): OutboundBody {
  let received = start.firstBytes;
  let model: string | null = null;
  let watch: ModelWatch | null = createModelWatch(request.rawHeaders);
  for (const chunk of start.first) watch.push(chunk);
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    watch?.push(chunk);
  });
  request.pause();
  const content = start.first.length === 0 ? request : Readable.from(firstThenRest(start.first, request), { objectMode: false });
  return {
    content, contentLength: start.contentLength, asksLater: 'unread', modelsAsked: 'unread', overBound: start.overBound,
    requestedModel: () => watch?.model() ?? model,
    receivedBytes: () => received,
    release: start.release,
    drop() {
      model = watch?.model() ?? model;
      watch?.release();
      watch = null;
      if (content !== request) content.destroy();
      request.resume();
    },
  };
}

async function* firstThenRest(first: readonly Buffer[], request: IncomingMessage): AsyncGenerator<Buffer> {
  yield* first;
  yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

/** One body while it is being held. */
class HeldBody implements Receiving {
  readonly #node: GatewayNode;
  readonly #reception: StreamedReception;
  readonly #declaredBytes: number | null;
  readonly #chunks: Buffer[] = [];
  readonly #pace = new BodyPace();
  #scanner: StreamFlagScanner | null;
  readonly #background: BackgroundScanner | null;
  readonly #models: BodyModelReader | null;
  #watch: ModelWatch | null;
  #bytes = 0;
  /** Null while nothing is counted: a short body mostly comes in one piece, and is whole before there is anything to count. */
  #counted: HeldBytes | null = null;

  constructor(node: GatewayNode, reception: StreamedReception, declaredBytes: number | null) {
    this.#node = node;
    this.#reception = reception;
    this.#declaredBytes = declaredBytes;
    this.#scanner = reception.route.bodyHeld ? createStreamFlagScanner() : null;
    this.#background = reception.readsBackground ? new BackgroundScanner() : null;
    this.#models = reception.readsModels ? createBodyModelReader(reception.request.rawHeaders) : null;
    this.#watch = reception.route.bodyHeld ? null : createModelWatch(reception.request.rawHeaders);
  }

  receive(): void {
    const { request, connection } = this.#reception;
    connection.receiving.push(this);
    if (this.#declaredBytes === null || this.#declaredBytes > shortBodyBytesMax) this.#counted = this.#beginToCount();
    request.on('data', this.#take);
    request.on('end', this.#whole);
    // Its end came while its key was asked for, and was told to nobody.
    if (connection.socket.readableEnded) setImmediate(() => { if (connection.receiving.includes(this)) this.callerEnded(); });
  }

  #beginToCount(): HeldBytes {
    const { request, organization } = this.#reception;
    return this.#node.heldBodies.begin(organization, { pause: () => request.pause(), resume: () => request.resume() });
  }

  /** Ends a body that comes too slowly. Time in which it waits for room is not its own. */
  checkPace(nowMs: number): void {
    if (this.#counted?.waiting === true) return this.#pace.restart();
    if (this.#pace.isLate(this.#bytes, nowMs)) this.#refuse({ kind: 'request_timeout' });
  }

  callerEnded(): void {
    const { request } = this.#reception;
    if (request.complete || !request.socket.writable) return;
    this.#refuse({ kind: 'malformed_request', fault: 'The request is not valid HTTP/1.1.' });
  }

  #refuse(refusal: Refusal): void {
    try {
      this.callerLeft();
      this.#reception.refused(refusal);
    } catch (cause) {
      this.#broke(cause);
    }
  }

  readonly #take = (chunk: Buffer): void => {
    try {
      this.#hold(chunk);
    } catch (cause) {
      this.#broke(cause);
    }
  };

  readonly #whole = (): void => {
    try {
      this.#sendWhole();
    } catch (cause) {
      this.#broke(cause);
    }
  };

  #broke(cause: unknown): void {
    this.callerLeft();
    this.#reception.broke(cause);
  }

  #hold(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#scanner?.push(chunk);
    this.#background?.push(chunk);
    this.#models?.push(chunk);
    this.#watch?.push(chunk);
    if (this.#bytes > heldBodyBytesMax) return this.#streamOn();
    if (this.#bytes === this.#declaredBytes) this.#counted?.finished();
    else this.#counted ??= this.#beginToCount();
    this.#counted?.add(chunk.length);
  }

  #sendWhole(): void {
    this.#stopListening();
    const { ready } = this.#reception;
    const read = { verdict: this.#scanner?.result(), model: this.#watch?.model() ?? modelName(this.#scanner?.model ?? null) };
    this.#dropScanner();
    const asked = { asksLater: this.#background?.result() ?? 'unread', modelsAsked: this.#models?.result() ?? 'unread' } as const;
    ready(wholeBody(this.#chunks, { receivedBytes: this.#bytes, ...read, ...asked, counted: this.#counted }));
  }

  /** An undeclared body grew past the bound: what was held goes first, the rest follows as it comes. */
  #streamOn(): void {
    this.#stopListening();
    this.#counted?.add(this.#chunks.at(-1)!.length);
    this.#dropScanner();
    this.#reception.ready(streamedBody(this.#reception.request, {
      first: this.#chunks, firstBytes: this.#bytes, contentLength: null, overBound: this.#reception.route.bodyHeld, release: () => this.#release(),
    }));
  }

  callerLeft(): void {
    this.#stopListening();
    this.#dropScanner();
    this.#release();
  }

  #dropScanner(): void {
    this.#scanner?.release();
    this.#scanner = null;
    this.#watch?.release();
    this.#watch = null;
  }

  #release(): void {
    this.#counted?.release();
    this.#counted = null;
  }

  /** No more of it is held: it is whole, too large, or will not come. */
  #stopListening(): void {
    const { request, connection } = this.#reception;
    this.#counted?.finished();
    const at = connection.receiving.indexOf(this);
    if (at !== -1) connection.receiving.splice(at, 1);
    request.off('data', this.#take);
    request.off('end', this.#whole);
  }
}

/** A body that was held whole. It knows nothing of how it came: a call keeps it until its answer has ended, which may take long. */
class WholeBody implements OutboundBody {
  content: Uint8Array | Readable | null;
  readonly contentLength: number;
  readonly asksLater: AskedLater;
  readonly modelsAsked: BodyModels;
  readonly overBound = false;
  readonly #receivedBytes: number;
  readonly #model: string | null;
  #counted: HeldBytes | null;

  constructor(
    content: Uint8Array | Readable,
    { contentLength, receivedBytes, model, asksLater, modelsAsked, counted }: KeptOfBody & { readonly contentLength: number },
  ) {
    this.content = content;
    this.contentLength = contentLength;
    this.asksLater = asksLater;
    this.modelsAsked = modelsAsked;
    this.#receivedBytes = receivedBytes;
    this.#model = model;
    this.#counted = counted;
  }

  requestedModel(): string | null {
    return this.#model;
  }

  receivedBytes(): number {
    return this.#receivedBytes;
  }

  release(): void {
    this.content = null;
    this.#counted?.release();
    this.#counted = null;
  }

  drop(): void {
    this.release();
  }
}
