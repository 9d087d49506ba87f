/**
 * For tests: bytes played to a whole node as a caller would send them, in pieces, and the whole result: what the caller got, what the
 * provider received, what was recorded and counted. So two nodes can be compared.
 */
import { connect } from 'node:net';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { ReceivedRequest, Script } from '@metergate/testkit/scripted-provider.ts';
import type { GatewayOptions } from '../../gateway.ts';
import { willingRunJournal } from '../../guards/test-support/standing-fixture.ts';
import { startNode } from '../../test-support/whole-node.ts';
import { SetClock } from './set-clock.ts';

export interface Played {
  readonly bytes: Buffer;
  /** Where the bytes are cut, ascending. Each piece is sent in separate turns of the event loop. */
  readonly cuts?: readonly number[];
  /** The caller says behind them that nothing more comes. */
  readonly closing?: boolean;
  /** Each piece is sent when all that the one before it led to has come. */
  readonly waiting?: boolean;
  /** Behind each piece the moment passes within which a request is to come whole. */
  readonly slow?: boolean;
}

/** The result. */
export interface Outcome {
  /** All that the caller got, one character a byte, with `ID` for each id. */
  readonly got: string;
  /** `open`: the node waits for more. */
  readonly ending: 'open' | 'fin' | 'rst';
  /** What the provider received, by the order of their texts: calls side by side come in any order. */
  readonly received: readonly string[];
  readonly recorded: readonly string[];
  readonly refused: number;
  readonly faults: number;
}

export interface PlayedNode {
  play(played: Played, patience?: number): Promise<Outcome>;
}

/** What a provider does, by the last letters of the target; for all others a short answer of known length. */
const scripts: Readonly<Record<string, Script>> = {
  'how=chunks': { headers: [['content-type', 'text/event-stream']], body: ['data: {"a":1}\n\n', 'data: [DONE]\n\n'] },
  'how=none': { status: 204, reason: 'No Content', framing: 'none' },
  'how=empty': { headers: [['X-Odd', 'a\xe9b'], ['x-odd', '']], body: '' },
  'how=same': { status: 304, reason: 'Not Modified', framing: 'none', headers: [['ETag', '"x"']] },
  'how=long': { body: 'long'.repeat(20_000) },
  'how=cut': { body: 'cut short', cutAt: { byte: 3, by: 'fin' } },
  'how=torn': { body: ['torn', 'apart'], cutAt: { byte: 4, by: 'rst' } },
  'how=away': { raw: Buffer.from('no HTTP'), ending: 'fin' },
  'how=close': { framing: 'close', body: 'to the end' },
  'how=control': { headers: [['X-A', 'a\x01b']], body: '' },
};

function scriptFor({ target }: ReceivedRequest): Script {
  const how = /how=[a-z]+$/.exec(target)?.[0] ?? '';
  return scripts[how] ?? { headers: [['Content-Type', 'application/json'], ['Connection', 'keep-alive'], ['Date', 'now']], body: '{}' };
}

/** A node to play to. */
export async function startPlayedNode(t: TestContext, requestsReadBy: 'us' | 'node'): Promise<PlayedNode> {
  const records: CallRecord[] = [];
  const moments = new SetClock();
  const journal: GatewayOptions['journal'] = {
    open: (_opening, done) => void setImmediate(() => done(null)),
    close(record, done) {
      records.push(record);
      setImmediate(done);
    },
    ...willingRunJournal,
    end: async () => {},
    counters: { opened: 0, closed: 0, commits: 0, commitFailures: 0, waiting: 0 },
  };
  const { gateway, provider } = await startNode(t, { requestsReadBy, callersClocks: { seconds: new SetClock(), moments }, journal });
  provider.respond(scriptFor);
  return {
    async play({ bytes, cuts = [], closing = false, waiting = false, slow = false }, patience = 12) {
      provider.requests.length = records.length = 0;
      const { refused, faults } = gateway.counters;
      const socket = connect({ port: gateway.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
      let got = '';
      let ending = 'open' as Outcome['ending'];
      socket.on('data', (chunk: Buffer) => { got += chunk.toString('latin1'); }).on('end', () => { ending = 'fin'; })
        .on('error', () => { ending = 'rst'; });
      await once(socket, 'connect');
      const seen = (): string => [got.length, ending, provider.requests.length, records.length, ...Object.values(gateway.counters)].join();
      let from = 0;
      for (const to of [...cuts, bytes.length]) {
        const piece = bytes.subarray(from, to);
        from = to;
        // A node that has had enough closes the connection: the rest is lost, as it should be.
        if (piece.length > 0 && ending !== 'rst') await new Promise<void>((done) => { socket.write(piece, () => done()); });
        await (waiting || slow ? untilQuiet(seen, patience) : turns(3));
        if (slow) moments.pass(100);
      }
      if (closing) socket.end();
      await untilQuiet(seen, patience);
      moments.pass(100);
      await untilQuiet(seen, patience);
      const outcome: Outcome = {
        got: got.replace(/req_[0-9a-f]{32}/g, 'ID'), ending,
        received: provider.requests.map(textOf).sort(), recorded: records.map(recordText).sort(),
        refused: gateway.counters.refused - refused, faults: gateway.counters.faults - faults,
      };
      const closed = socket.destroyed ? null : once(socket, 'close');
      socket.destroy();
      await closed;
      while (gateway.counters.inFlight > 0) await turns(1);
      return outcome;
    },
  };
}

/** Its chunks are ours to choose: what waits for the provider is joined (decision 317). */
function textOf({ startLine, headers, body, whole }: ReceivedRequest): string {
  const lines = headers.map(([name, value]) => (name === 'host' ? '' : `${name}: ${value}\n`)).join('');
  return `${startLine}\n${lines}\n${body.toString('latin1')}${whole ? '' : ' (cut)'}`;
}

function recordText({ method, path, outcome, status, usage, usageReason, requestBytes, responseBytes, streamed, labels }: CallRecord): string {
  return [method, path, outcome, status, usage, usageReason, requestBytes, responseBytes, streamed, labels.join('+')].join(' ');
}

/** No promise for each turn: the test runner's account of every one costs more than the turn. */
function untilQuiet(seen: () => string, patience: number): Promise<void> {
  return new Promise((resolve) => {
    let [before, quiet] = ['', 0];
    const turn = (): void => {
      const now = seen();
      quiet = now === before ? quiet + 1 : 1;
      before = now;
      if (quiet < patience) setImmediate(turn);
      else resolve();
    };
    setImmediate(turn);
  });
}

function turns(count: number): Promise<void> {
  return new Promise((resolve) => {
    const turn = (left: number): void => void (left === 0 ? resolve() : setImmediate(turn, left - 1));
    setImmediate(turn, count - 1);
  });
}
