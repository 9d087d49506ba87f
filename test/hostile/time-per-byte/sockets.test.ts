/**
 * A whole node takes processor time in proportion to the bytes that its callers and its providers send, whatever stands in them and however they
 * are cut (decision 0100): heads, lists of headers, pipelined requests, bodies and answers, over real sockets. Callers and provider are on another
 * thread, so what is measured is the node. Each request is sent twice: once so that the node's own reader of usual requests has it, and once
 * with a header that leaves it to Node's server.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { header } from '@metergate/core/id.ts';
import { createDestination } from '@metergate/gateway/network/create-destination.ts';
import { ownKey, startNode } from '@metergate/gateway/test-support/whole-node.ts';
import { startFarSide, type Exchange } from './far-side.ts';
import { growthOf } from './growth.ts';
import { bodies, texts, values, type Shape } from './shapes.ts';

/** A head has at most 16 KiB, so that is the most that one can take. */
const headTextBytesMax = 12_288;
/** Quadratic reading of 12 KiB takes longer. */
const headFloorMs = 25;
const bodyBytesMax = 65_536;
/** A chunk costs as much as many bytes. */
const chunkedBytesMax = 16_384;
const pieceBytes = 61;

/** Which of the two readers has the requests. */
const readers = { 'usual requests': [], 'Node\'s server': ['te: trailers'] } as const;
type Lines = readonly string[];

interface Entry {
  readonly shapes: Readonly<Record<string, Shape>>;
  readonly bytesMax: number;
  readonly floorMs?: number;
  /** Status of every answer; undefined: any, a refusal too. */
  readonly status?: number;
  /** The only reader of requests that this is tried with: the other never has it, or what is tried is the answer. */
  readonly reader?: keyof typeof readers;
  exchange(text: string, odd: Lines): Exchange;
}

const visible = (text: string): string => text.replaceAll(/[^\t\x20-\x7e]/g, 'x');
const asLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

function head(target: string, lines: Lines, method: string = 'POST'): string {
  return `${[`${method} ${target} HTTP/1.1`, 'host: node.test', `authorization: Bearer ${ownKey}`, ...lines].join('\r\n')}\r\n\r\n`;
}

function request(body: string, lines: Lines, target: string = '/v1/chat/completions'): string {
  const content = asLatin1(body);
  return head(target, ['content-type: application/json', `content-length: ${content.length}`, ...lines]) + content;
}

const chatBody = (text: string): string => `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":${JSON.stringify(text)}}]}`;
const chunked = (body: string, bytes: number, extension: string = ''): string => {
  const content = asLatin1(body);
  const chunks: string[] = [];
  for (let at = 0; at < content.length; at += bytes) {
    const chunk = content.slice(at, at + bytes);
    chunks.push(`${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`);
  }
  return `${chunks.join('')}0\r\n\r\n`;
};

const lists: Readonly<Record<string, Shape>> = {
  'one name, short values': (bytes) => 'a: b\r\n'.repeat(bytes / 6),
  'one name, no values': (bytes) => 'a:\r\n'.repeat(bytes / 4),
  'different names': (bytes) => Array.from({ length: bytes / 10 }, (_, index) => `n${index}: b\r\n`).join(''),
  'labels': (bytes) => Array.from({ length: bytes / 24 }, (_, index) => `x-svc-label-n${index}: b\r\n`).join(''),
  'hop-by-hop names': (bytes) => `connection: keep-alive, ${'n1, n2, '.repeat(bytes / 16)}\r\n${'n1: a\r\n'.repeat(bytes / 16)}`,
  'cookies': (bytes) => 'cookie: a=b\r\n'.repeat(bytes / 13),
  'run ids': (bytes) => 'x-svc-run-id: a\r\n'.repeat(bytes / 17),
};
const linesOf = (text: string): string[] => text.split('\r\n').filter((line) => line !== '');

/** Headers with any value, and with those that are refused where they say nothing that can be read. */
const free = ['accept', 'cookie', 'traceparent', 'x-any', header.tags, header.project];
const named = [...free, 'authorization', 'x-api-key', header.runId, ...['budget', 'ttl', 'grant'].map((name) => header.runPrefix + name)];
const ofHead = { bytesMax: headTextBytesMax, floorMs: headFloorMs };
const many: Readonly<Record<string, Shape>> = { 'one after the other': (bytes) => 'x'.repeat(bytes) };
const some = Object.fromEntries(['letters', 'backslashes', 'accents', 'brackets'].map((name) => [name, texts[name]!]));

const entries: Readonly<Record<string, Entry>> = {
  ...Object.fromEntries(named.map((name): [string, Entry] => [`the header ${name}`, {
    shapes: texts, ...ofHead, ...(free.includes(name) ? { status: 200 } : {}),
    exchange(text, odd) {
      const run = name.startsWith(header.runPrefix) && name !== header.runId ? [`${header.runId}: a`] : [];
      return { sent: request('{}', [...odd, ...run, `${name}: ${visible(text)}`]) };
    },
  }])),
  'a target': { shapes: texts, ...ofHead, exchange: (text, odd) => ({ sent: head(`/v1/${visible(text).replaceAll(/\s/g, '+')}`, odd, 'GET') }) },
  'no head at all': { shapes: texts, ...ofHead, exchange: (text) => ({ sent: `${asLatin1(text)}\r\n\r\n` }) },
  'a list of headers': { shapes: lists, ...ofHead, exchange: (text, odd) => ({ sent: request('{}', [...odd, ...linesOf(text)]) }) },
  'a list of headers in small pieces': {
    shapes: lists, ...ofHead, exchange: (text, odd) => ({ sent: request('{}', [...odd, ...linesOf(text)]), pieceBytes: 7 }),
  },
  'pipelined calls': {
    shapes: many, bytesMax: bodyBytesMax, status: 200,
    exchange({ length }, odd) {
      const one = head('/v1/models', odd, 'GET');
      const answers = Math.max(1, Math.floor(length / one.length));
      return { sent: one.repeat(answers), answers };
    },
  },
  'pipelined calls that are refused': {
    shapes: many, bytesMax: bodyBytesMax, status: 404,
    exchange({ length }, odd) {
      const one = head('/elsewhere', odd, 'GET');
      const answers = Math.max(1, Math.floor(length / one.length));
      return { sent: one.repeat(answers), answers };
    },
  },
  'a chat body': { shapes: bodies, bytesMax: bodyBytesMax, status: 200, exchange: (text, odd) => ({ sent: request(text, odd) }) },
  'a chat body in small pieces': {
    shapes: some, bytesMax: bodyBytesMax, status: 200, exchange: (text, odd) => ({ sent: request(chatBody(text), odd), pieceBytes }),
  },
  'a chat body in tiny chunks': {
    shapes: some, bytesMax: chunkedBytesMax, status: 200, reader: 'Node\'s server',
    exchange: (text, odd) => ({ sent: head('/v1/chat/completions', [...odd, 'transfer-encoding: chunked']) + chunked(chatBody(text), 1) }),
  },
  'a chat body in tiny chunks, in small pieces': {
    shapes: some, bytesMax: chunkedBytesMax, status: 200, reader: 'Node\'s server',
    exchange: (text, odd) => ({
      sent: head('/v1/chat/completions', [...odd, 'transfer-encoding: chunked']) + chunked(chatBody(text), 2), pieceBytes: 5,
    }),
  },
  'a chat body in chunks with extensions': {
    shapes: some, bytesMax: chunkedBytesMax, status: 200, reader: 'Node\'s server',
    exchange: (text, odd) => ({ sent: head('/v1/chat/completions', [...odd, 'transfer-encoding: chunked']) + chunked(chatBody(text), 1, ';a=b') }),
  },
  'an answer': {
    shapes: values, bytesMax: bodyBytesMax, status: 200, reader: 'usual requests',
    exchange: (text, odd) => ({ sent: request(chatBody('a'), odd), answerBody: `{"model":"gpt-4o","choices":${text}}` }),
  },
  'an answer in small pieces': {
    shapes: values, bytesMax: bodyBytesMax / 2, status: 200, reader: 'usual requests',
    exchange: (text, odd) => ({ sent: request(chatBody('a'), odd), answerBody: `{"model":"gpt-4o","usage":${text}}`, answerPieceBytes: pieceBytes }),
  },
  'a stream in small pieces': {
    shapes: bodies, bytesMax: bodyBytesMax / 2, status: 200, reader: 'usual requests',
    exchange: (text, odd) => ({
      sent: request(chatBody('a'), odd), answerHeaders: [['content-type', 'text/event-stream']], answerPieceBytes: pieceBytes,
      answerBody: `data: {"choices":${text}}\n\ndata: [DONE]\n\n`,
    }),
  },
  ...Object.fromEntries(['content-type', 'keep-alive', 'connection', 'x-any'].map((name): [string, Entry] => [`the header ${name} of an answer`, {
    shapes: texts, ...ofHead, status: 200, reader: 'usual requests',
    exchange: (text, odd) => ({ sent: request('{}', odd), answerHeaders: [[name, visible(text)]] }),
  }])),
  'a list of an answer\'s headers': {
    shapes: lists, ...ofHead, status: 200, reader: 'usual requests',
    exchange: (text, odd) => ({
      sent: request('{}', odd), answerHeaders: linesOf(text).map((line) => [line.split(':')[0]!, line.slice(line.indexOf(':') + 1).trim()] as const),
    }),
  },
};

async function measured(t: TestContext) {
  const far = await startFarSide();
  const destination = createDestination({
    origin: far.providerUrl, timeouts: { connectMs: 5_000, headMs: 30_000, idleBodyMs: 30_000 }, guard: null,
  });
  const { gateway, time } = await startNode(t, { destinations: { provider: () => destination, region: () => null, upstream: () => destination } });
  t.after(async () => {
    await destination.close();
    await far.close();
  });
  const url = `http://127.0.0.1:${gateway.port}`;
  return async (exchange: Exchange) => {
    // The rate limit of a minute is full again.
    time.nowMs += 60_000;
    return far.exchange(url, exchange);
  };
}

for (const [readBy, odd] of Object.entries(readers)) {
  test(`over sockets, read by ${readBy}`, async (t) => {
    const exchanged = await measured(t);
    for (const [entry, { shapes, bytesMax, floorMs, status, reader = readBy, exchange }] of Object.entries(entries)) {
      if (reader !== readBy) continue;
      await t.test(`${entry}: its time grows no faster than its length`, async (context) => {
        let costliest = { name: '', longMs: 0 };
        for (const [name, shape] of Object.entries(shapes)) {
          const { longMs, times, linear } = await growthOf(async (bytes) => {
            const wanted = exchange(shape(bytes), odd);
            const statuses = await exchanged(wanted);
            if (status === undefined) return;
            assert.deepEqual(statuses, Array.from({ length: wanted.answers ?? 1 }, () => status), name);
          }, bytesMax, floorMs);
          if (longMs > costliest.longMs) costliest = { name, longMs };
          assert.ok(linear, `${name}: ${longMs.toFixed(1)} ms for ${bytesMax} bytes, ${times.toFixed(1)} times as long as for an eighth of them`);
        }
        context.diagnostic(`at most ${costliest.longMs.toFixed(1)} ms: ${costliest.name}`);
      });
    }
  });
}
