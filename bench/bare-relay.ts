/**
 * The reference to compare a gateway on Node with: `node:http` in, undici out, nothing else. No keys, no records, no reading.
 * A small request body is held and sent in one write, answers are streamed. Prints `ready URL`. Argument: the provider's URL.
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';

const provider = process.argv[2] ?? '';
const pool = new Pool(provider, { connections: 128, pipelining: 1 });
const dropped = new Set(['host', 'connection', 'content-length', 'keep-alive', 'transfer-encoding']);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const headers: string[] = [];
    for (let at = 0; at < request.rawHeaders.length; at += 2) {
      const name = request.rawHeaders[at] ?? '';
      if (!dropped.has(name.toLowerCase())) headers.push(name, request.rawHeaders[at + 1] ?? '');
    }
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    pool.dispatch({ method: 'POST', path: request.url ?? '/', headers, body: body ?? null }, {
      onRequestStart() {},
      onResponseStart(controller, statusCode, _headers) {
        const raw = (controller.rawHeaders ?? []) as Buffer[];
        const out: string[] = [];
        for (let at = 0; at < raw.length; at += 2) {
          const name = raw[at]?.toString('latin1') ?? '';
          if (!/^(?:connection|keep-alive|transfer-encoding)$/i.test(name)) out.push(name, raw[at + 1]?.toString('latin1') ?? '');
        }
        response.sendDate = false;
        response.writeHead(statusCode, out);
      },
      onResponseData(_controller, chunk) { response.write(chunk); },
      onResponseEnd() { response.end(); },
      onResponseError() { response.destroy(); },
    });
  });
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) console.log(`ready http://127.0.0.1:${address.port}`);
});
