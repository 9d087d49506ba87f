/**
 * A load in which each call can be identified: call i names project `NAME-i` and its provider reports i prompt tokens, so that records
 * can be compared with what the providers saw and what the callers got. Both wires, streamed and not, in turn.
 */
import assert from 'node:assert/strict';
import type { CallRecordJson } from '@metergate/core/record/call-record.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { RawConnection, type RawAnswer } from '@metergate/testkit/raw-client.ts';
import type { ReceivedRequest, Piece, Script } from '@metergate/testkit/scripted-provider.ts';
import type { System } from '@metergate/testkit/system.ts';
import { bearer } from '../running-product.ts';

const json: readonly HeaderPair[] = [['content-type', 'application/json']];
const eventStream: readonly HeaderPair[] = [['content-type', 'text/event-stream']];

/** One way of calling: a wire, streamed or not. */
export interface Kind {
  readonly name: string;
  readonly target: string;
  readonly streamed: boolean;
  readonly wire: 'openai' | 'anthropic' | 'upstream';
}

export const kinds: readonly Kind[] = [
  { name: 'first wire', target: '/v1/chat/completions', streamed: false, wire: 'openai' },
  { name: 'first wire, streamed', target: '/v1/chat/completions', streamed: true, wire: 'openai' },
  { name: 'second wire', target: '/v1/messages', streamed: false, wire: 'anthropic' },
  { name: 'second wire, streamed', target: '/v1/messages', streamed: true, wire: 'anthropic' },
];
export const upstreamKinds: readonly Kind[] = [
  { name: 'declared', target: '/upstream/v1/chat/completions', streamed: false, wire: 'upstream' },
  { name: 'declared, streamed', target: '/upstream/v1/chat/completions', streamed: true, wire: 'upstream' },
];

/** The body of call `number`. */
export function bodyOf(kind: Kind, number: number): string {
  return `{"model":"m","n":${number}${kind.streamed ? ',"stream":true' : ''}}`;
}

/** The whole answer to call `number` of that kind, in its pieces. In a stream, the last but one holds the usage. */
export function answerPieces(kind: Kind, number: number): readonly string[] {
  if (kind.wire === 'anthropic') return kind.streamed ? messageEvents(number) : [message(number)];
  return kind.streamed ? chatEvents(number) : [`{"model":"gpt-4o-mini","choices":[],"usage":${tokens(number)}}`];
}

export function answerHeaders(kind: Kind): readonly HeaderPair[] {
  return kind.streamed ? eventStream : json;
}

function tokens(number: number): string {
  return `{"prompt_tokens":${number},"completion_tokens":2,"total_tokens":${number + 2}}`;
}

function message(number: number): string {
  return `{"type":"message","model":"claude-sonnet-4-5","content":[],"usage":{"input_tokens":${number},"output_tokens":2}}`;
}

function chatEvents(number: number): string[] {
  return [
    `data: {"model":"gpt-4o-mini","choices":[{"index":0,"delta":{"content":"call ${number}"}}]}\n\n`,
    `data: {"model":"gpt-4o-mini","choices":[],"usage":${tokens(number)}}\n\n`,
    'data: [DONE]\n\n',
  ];
}

function messageEvents(number: number): string[] {
  const event = (name: string, data: string): string => `event: ${name}\ndata: {"type":"${name}"${data}}\n\n`;
  return [
    event('message_start', `,"message":{"model":"claude-sonnet-4-5","usage":{"input_tokens":${number},"output_tokens":1}}`),
    event('content_block_delta', `,"index":0,"delta":{"type":"text_delta","text":"call ${number}"}`),
    event('message_delta', ',"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}'),
    event('message_stop', ''),
  ];
}

/** The call that a request is for. @throws if it is not a request of a load. */
export function requestedCall({ target, body }: ReceivedRequest): { readonly number: number; readonly kind: Kind } {
  const text = body.toString('latin1');
  const number = Number(/"n":(\d+)/.exec(text)?.[1]);
  const streamed = text.includes('"stream":true');
  const kind = kinds.find((each) => each.streamed === streamed && target.endsWith(each.target));
  assert.ok(kind !== undefined && number > 0, `not a request of the load: ${target}`);
  return { number, kind };
}

export interface Load {
  /** Numbers of calls whose request a provider saw, each as often as it saw it. */
  readonly seen: number[];
  /** Numbers of calls whose answer a caller got whole. */
  readonly delivered: ReadonlySet<number>;
  /** Calls whose answer came only in part, or with another status than 200, and how it looked. */
  readonly spoiled: readonly { readonly number: number; readonly answer: RawAnswer }[];
  /** Calls whose connection ended without one byte of an answer. */
  readonly unanswered: readonly number[];
  /** The project of call `number`. */
  projectOf(number: number): string;
  /** Begins no further call; resolves when those in flight are over, one way or another. */
  stop(): Promise<void>;
  /** Resolves once that many answers are delivered, or the load has ended. */
  reached(deliveredCount: number): Promise<void>;
}

export interface LoadOptions {
  readonly name: string;
  readonly key: string;
  readonly callers: number;
  /** How many of the callers use a new connection for each call instead of one for all; default 0. */
  readonly freshCallers?: number;
  /** The providers' pause between two pieces of an answer; default none. It bounds the number of calls. */
  readonly providerMs?: number;
}

let lastNumber = 0;

/** Calls without pause until stopped; a caller whose connection breaks ends. Scripts the system's providers. */
export function startLoad(system: System, { name, key, callers, freshCallers = 0, providerMs = 0 }: LoadOptions): Load {
  const seen: number[] = [];
  const delivered = new Set<number>();
  const spoiled: { number: number; answer: RawAnswer }[] = [];
  const unanswered: number[] = [];
  let stopping = false;
  let ended = false;
  let waiters: { count: number; resolve: () => void }[] = [];
  const projectOf = (number: number): string => `${name}-${number}`;
  const respond = (request: ReceivedRequest): Script => {
    const { number, kind } = requestedCall(request);
    seen.push(number);
    // Small pieces, one event-loop turn apart, so that a kill finds calls in every phase.
    return { headers: answerHeaders(kind), body: inTurns(answerPieces(kind, number), providerMs) };
  };
  system.openai.respond(respond);
  system.anthropic.respond(respond);

  async function caller(fresh: boolean): Promise<void> {
    let connection: RawConnection | null = null;
    for (;;) {
      if (stopping) break;
      const number = ++lastNumber;
      const kind = kinds[number % kinds.length]!;
      try {
        connection ??= await connectionOf(system);
        const headers: HeaderPair[] = [bearer(key), ['x-svc-project', projectOf(number)], ['content-type', 'application/json']];
        const answer = await connection.call({ target: kind.target, headers, body: bodyOf(kind, number) });
        if (answer.whole && answer.status === 200) {
          delivered.add(number);
          assert.equal(answer.body.toString(), answerPieces(kind, number).join(''));
        } else {
          spoiled.push({ number, answer });
        }
        for (const waiter of waiters) if (delivered.size >= waiter.count) waiter.resolve();
        const closes = /^connection: close\r$/mi.test(answer.head.toString('latin1'));
        if (!answer.whole || closes || fresh) {
          await connection.close();
          connection = null;
          if (!answer.whole) break;
        }
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        unanswered.push(number);
        break;
      }
    }
    await connection?.close();
  }

  async function allCallers(): Promise<void> {
    await Promise.all(Array.from({ length: callers }, (_, at) => caller(at < freshCallers)));
    ended = true;
    for (const waiter of waiters) waiter.resolve();
    waiters = [];
  }
  const over = allCallers();
  return {
    seen, delivered, spoiled, unanswered, projectOf,
    async stop() {
      stopping = true;
      await over;
    },
    reached: (count) => new Promise<void>((resolve) => {
      if (ended || delivered.size >= count) resolve();
      else waiters.push({ count, resolve });
    }),
  };
}

/** A connection that ends when the gateway ends it. */
export async function connectionOf({ gatewayUrl }: System): Promise<RawConnection> {
  const connection = await RawConnection.open(gatewayUrl);
  connection.socket.on('end', () => connection.socket.end());
  return connection;
}

async function* inTurns(pieces: readonly string[], pauseMs: number): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield Buffer.from(piece);
    await new Promise((resolve) => { if (pauseMs === 0) setImmediate(resolve); else setTimeout(resolve, pauseMs); });
  }
}

/** Pieces with something awaited before the last one: a test's gate, or a promise that never resolves. */
export function heldBack(pieces: readonly string[], until: Promise<unknown>): readonly Piece[] {
  return [...pieces.slice(0, -1), until, ...pieces.slice(-1)];
}

/**
 * Compares the records of a load with what happened: every call a provider saw has one record, no call has two, a call that was delivered
 * whole is completed with its own figure, and no figure is another call's. Returns the records by number.
 */
export function assertCounted(load: Load, records: readonly CallRecordJson[], openAtMost: number): Map<number, CallRecordJson> {
  const byNumber = new Map<number, CallRecordJson>();
  const prefix = load.projectOf(0).slice(0, -1);
  for (const record of records) {
    if (record.project?.startsWith(prefix) !== true) continue;
    const number = Number(record.project.slice(prefix.length));
    assert.ok(!byNumber.has(number), `call ${number} has two records`);
    byNumber.set(number, record);
    if (record.usage === 'reported' || record.inputTokens !== null) assert.equal(record.inputTokens, number, 'a figure of another call');
  }
  for (const number of load.seen) assert.ok(byNumber.has(number), `call ${number} was forwarded and has no record`);
  for (const number of load.delivered) {
    const record = byNumber.get(number);
    assert.deepEqual([record?.outcome, record?.usage, record?.inputTokens, record?.outputTokens], ['completed', 'reported', number, 2]);
  }
  assert.equal(new Set(load.seen).size, load.seen.length, 'a call was sent twice');
  const interrupted = [...byNumber.values()].filter(({ outcome }) => outcome === 'interrupted');
  assert.ok(interrupted.length <= openAtMost, `${interrupted.length} interrupted calls, ${openAtMost} could be open`);
  return byNumber;
}
