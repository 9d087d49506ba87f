/**
 * `node bench/bare-tcp-relay.ts ORIGIN`: a relay of bytes, with Node's sockets and nothing else: what a connection costs that is read and written by
 * Node, and that nobody meters. Prints `ready URL`.
 */
import { connect, createServer, type AddressInfo } from 'node:net';

const { hostname, port } = new URL(process.argv[2]!);
const server = createServer({ noDelay: true }, (caller) => {
  const provider = connect(Number(port), hostname).setNoDelay(true);
  for (const [from, to] of [[caller, provider], [provider, caller]] as const) {
    from.on('data', (bytes) => { if (!to.write(bytes)) from.pause(); });
    to.on('drain', () => from.resume());
    from.on('close', () => to.destroy()).on('error', () => {});
  }
});
server.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`));
