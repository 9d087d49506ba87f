/**
 * Where the browser of this machine brings back what the page gave it. On the loopback address alone, on a free port, for one sign-in.
 * Decision 196.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

interface Loopback {
  readonly port: number;
  /** The code that came for this sign-in; null: the person refused. Other requests are answered and change nothing. */
  broughtFor(id: string): Promise<string | null>;
  close(): void;
}

const headers = {
  'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', connection: 'close',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'", 'x-content-type-options': 'nosniff',
};

export async function openLoopback(): Promise<Loopback> {
  let expected: { readonly id: string; readonly bring: (code: string | null) => void } | null = null;
  const server = createServer({ maxHeaderSize: 8_192, requestTimeout: 5_000 }, (request, response) => {
    const { port } = server.address() as AddressInfo;
    const url = URL.parse(request.url ?? '', `http://127.0.0.1:${port}`);
    // A page elsewhere that has a name for this address is not the one that was opened.
    const isOurs = request.method === 'GET' && request.headers.host === `127.0.0.1:${port}` && url?.pathname === '/'
      // Nor is a picture or a frame in any page. Browsers that do not say what they ask for are old.
      && (request.headers['sec-fetch-dest'] ?? 'document') === 'document';
    if (!isOurs || expected === null || url.searchParams.get('id') !== expected.id) {
      response.writeHead(404, headers).end(page('Nothing is here.'));
      return;
    }
    const code = url.searchParams.get('code');
    const { bring } = expected;
    if (url.searchParams.has('refused')) {
      response.writeHead(200, headers).end(page('This machine gets nothing. You can close this page.'), () => bring(null));
    } else if (code !== null && /^\w{43}$/.test(code)) {
      response.writeHead(200, headers).end(page('This machine has what it needs. You can close this page and go back to the terminal.'), () =>
        bring(code));
    } else response.writeHead(404, headers).end(page('Nothing is here.'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    broughtFor: (id) => new Promise((resolve) => { expected = { id, bring: resolve }; }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function page(sentence: string): string {
  const style = 'font:16px system-ui;max-width:32rem;margin:20vh auto;padding:0 1rem';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Metergate</title><body style="${style}">`
    + `<main><h1 style="font-size:1.25rem">Metergate</h1><p>${sentence}</p></main></body></html>`;
}
