/** An organization's own provider, which answers with a bomb, without end, or not at all. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

/** Answers that decompress to 64 MiB. */
export type Bomb = 'bombs' | 'bombs-gzip' | 'bombs-deflate' | 'bombs-zstd';

const codings: Readonly<Record<Bomb, readonly [string, (bytes: Buffer) => Buffer]>> = {
  bombs: ['br', brotliCompressSync],
  'bombs-gzip': ['gzip', gzipSync],
  'bombs-deflate': ['deflate', deflateSync],
  'bombs-zstd': ['zstd', zstdCompressSync],
};

const endlessBytes = 60 * 1024 * 1024;

/** Bombs in each coding, 60 MB on request, and a plain answer of the size of the smallest bomb. Resolves with its URL. */
export async function startHostileProvider(): Promise<string> {
  const type = { 'content-type': 'application/json' };
  const zeros = Buffer.alloc(64 * 1024 * 1024);
  const bombs = new Map(Object.entries(codings).map(([name, [coding, compressed]]) =>
    [name, { headers: { ...type, 'content-encoding': coding }, body: compressed(zeros) }]));
  const usage = '{"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}';
  const plain = { headers: type, body: Buffer.from(usage.padEnd(bombs.get('bombs')!.body.length)) };
  const server = createServer((request, response) => {
    const wanted = String(request.headers['x-answer']);
    const { headers, body } = bombs.get(wanted) ?? plain;
    request.resume().on('end', () => {
      if (wanted === 'endless') Readable.from(muchOf()).pipe(response.on('error', () => {}).writeHead(200, type));
      else response.writeHead(200, headers).end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function* muchOf(): Generator<Buffer> {
  const piece = Buffer.alloc(256 * 1024, ' ');
  for (let sent = 0; sent < endlessBytes; sent += piece.length) yield piece;
}

/** Accepts connections and says nothing. Resolves with its URL. */
export async function startBlackHole(): Promise<string> {
  const server = createTcpServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
