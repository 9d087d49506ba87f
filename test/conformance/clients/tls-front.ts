/** TLS before a server that speaks none, with a certificate that the client is shown: some clients show a key to `https` alone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { selfSigned } from '@metergate/gateway/network/test-support/self-signed.ts';

/** Runs `work` with the address of such a front, and the file of the certificate to trust. */
export async function behindTls<Result>(base: string, work: (front: { readonly base: string; readonly authority: string }) => Promise<Result>) {
  const { key, cert } = selfSigned('localhost');
  const folder = mkdtempSync(join(tmpdir(), 'metergate-tls-'));
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, cert);
  const { port, pathname } = new URL(base);
  const server = createServer({ key, cert }, (socket) => {
    const inner = connect(Number(port), '127.0.0.1');
    for (const [one, other] of [[socket, inner], [inner, socket]] as const) one.pipe(other).on('error', () => one.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work({ base: `https://localhost:${(server.address() as AddressInfo).port}${pathname}`, authority });
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
